/* files.c - what a run of a submission reads and writes. */
#include "grade/files.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

uint8_t *tc_grade_read(tc_arena *a, int fd, size_t *size) {
    enum { MOST = 64 << 20 };
    off_t end = lseek(fd, 0, SEEK_END);
    size_t n = end > 0 ? (size_t)end : 0, got = 0;
    n = n < MOST ? n : MOST;
    uint8_t *bytes = tc_alloc(a, n + 1);
    while (got < n) {
        ssize_t k = pread(fd, bytes + got, n - got, (off_t)got);
        if (k <= 0) {
            break;
        }
        got += (size_t)k;
    }
    *size = got;
    return bytes;
}

/* ---- what it prints ---- */

static void *read_printed(void *user) {
    tc_grade_files *f = user;
    char bytes[16384];
    for (;;) {
        ssize_t n = read(f->from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return NULL;
        }
        size_t room = TC_GRADE_PRINTED - f->printed.len;
        tc_buf_write(&f->printed, bytes, (size_t)n < room ? (size_t)n : room);
        f->total += (uint64_t)n;
    }
}

static bool listen_to_it(tc_grade_files *f) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    f->from = ends[0];
    f->out = ends[1];
    errno = pthread_create(&f->reader, NULL, read_printed, f);
    f->reads = errno == 0;
    return f->reads;
}

bool tc_grade_files_open(tc_grade_files *f) {
    *f = (tc_grade_files){-1, -1, -1, -1, .printed = TC_BUF_INIT};
    f->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    f->report = f->in < 0 ? -1 : memfd_create("report", MFD_CLOEXEC);
    return f->report >= 0 && listen_to_it(f);
}

void tc_grade_files_ended(tc_grade_files *f) {
    if (f->out >= 0) {
        close(f->out);
        f->out = -1;
    }
    if (f->reads) {
        pthread_join(f->reader, NULL);
        f->reads = false;
    }
}

void tc_grade_files_close(tc_grade_files *f) {
    tc_grade_files_ended(f);
    const int all[] = {f->in, f->report, f->from};
    for (int i = 0; i < 3; i++) {
        if (all[i] >= 0) {
            close(all[i]);
        }
    }
    tc_buf_free(&f->printed);
}

/* ---- folders ---- */

char *tc_grade_folder(tc_arena *a) {
    const char *tmp = getenv("TMPDIR");
    char *path =
        mkdtemp(tc_format(a, "%s/tilecopy-grade-XXXXXX",
                          tmp != NULL && tmp[0] == '/' ? tmp : "/tmp"));
    if (path != NULL) {
        tc_temporary_note(path);
    }
    return path;
}

static int remove_one(const char *path, const struct stat *s, int type,
                      struct FTW *at) {
    (void)s, (void)type, (void)at;
    remove(path); /* what cannot be removed stays: nobody can do more */
    return 0;
}

void tc_grade_folder_remove(const char *path) {
    enum { DESCRIPTORS = 8 };
    if (path != NULL) {
        nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
        tc_remove_tree(path); /* and it is no longer noted */
    }
}
