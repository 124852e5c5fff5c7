/* tool.c - NVIDIA's compilers as judges of texts. */
#include "tool.h"

const char *tool_path(const char *tool, char *out, size_t size) {
    const char *home = getenv("CUDA_HOME");
    const char *own = getenv("TILECOPY_TOOLKIT"); /* make test fetches it */
    const char *dirs[] = {home != NULL ? home : "", "/usr/local/cuda",
                          own != NULL ? own : ""};
    for (size_t i = 0; i < 3; i++) {
        snprintf(out, size, "%s%s/bin/%s", dirs[i],
                 i == 2 ? "/nvidia/cu13" : "", tool);
        if (dirs[i][0] != '\0' && access(out, X_OK) == 0) {
            return out;
        }
    }
    snprintf(out, size, "command -v %s >/dev/null 2>&1", tool);
    if (system(out) != 0) {
        return NULL;
    }
    snprintf(out, size, "%s", tool);
    return out;
}

bool have_tool(const char *tool) {
    char path[512];
    if (getenv("TEST_WITHOUT_JUDGES") != NULL) {
        return false; /* another pass has asked the same */
    }
    bool there = tool_path(tool, path, sizeof path) != NULL;
    if (!there) {
        printf("SKIPPED: no %s found\n", tool);
    }
    return there;
}

bool run_tool(const char *tool, const char *flags, const char *suffix,
              const char *text) {
    char path[512], file[64], command[1024];
    snprintf(file, sizeof file, "/tmp/tilecopy-test-XXXXXX%s", suffix);
    int fd = mkstemps(file, (int)strlen(suffix));
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f == NULL || tool_path(tool, path, sizeof path) == NULL) {
        return false;
    }
    fputs(text, f);
    fclose(f);
    snprintf(command, sizeof command, "%s %s %s -o /dev/null 1>&2", path, flags,
             file);
    bool ok = system(command) == 0;
    if (!ok) {
        fprintf(stderr, "%s\n--- %s %s\n", text, tool, flags);
    }
    remove(file);
    return ok;
}

bool ptxas_takes(const char *arch, const char *text) {
    char flags[64];
    snprintf(flags, sizeof flags, "-arch=%s", arch);
    return !have_tool("ptxas") || run_tool("ptxas", flags, ".ptx", text);
}
