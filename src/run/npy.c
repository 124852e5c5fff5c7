/* npy.c - arrays in NumPy's format (numpy.lib.format, versions 1.0 to 3.0): a
 * magic number, a header that is a dict of Python's, and the elements. */
#include "run/npy.h"
#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, ALIGN = 64, LARGEST = 1 << 30 };

/* What follows 'KEY': in the header, or NULL. */
static const char *value_of(const char *header, const char *key) {
    const char *at = strstr(header, key);
    const char *colon = at != NULL ? strchr(at, ':') : NULL;
    return colon != NULL ? colon + 1 + strspn(colon + 1, " ") : NULL;
}

/* Where the elements begin and what the header says; 0 with why. */
static size_t read_header(tc_arena *a, const tc_buf *file, const char **header,
                          const char **why) {
    const uint8_t *p = (const uint8_t *)file->data;
    *why = "it is no .npy file";
    if (file->len < 10 || memcmp(p, magic, MAGIC) != 0) {
        return 0;
    }
    size_t wide = p[6] >= 2 ? 4 : 2, at = 8 + wide, n = p[8] | p[9] << 8;
    if (wide == 4 && file->len >= 12) {
        n |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    }
    if (at > file->len || n > file->len - at) {
        *why = "its header is cut off";
        return 0;
    }
    *header = tc_strndup(a, file->data + at, n);
    return at + n;
}

/* "'<f4'": bytes of an element, and its letter. */
static bool read_type(const char *text, char *letter, long *bytes) {
    if (text == NULL || (*text != '\'' && *text != '"')) {
        return false;
    }
    text++;
    bool big = *text == '>';
    text += strchr("<>|=", *text) != NULL && *text != '\0';
    *letter = *text;
    *bytes = *text != '\0' ? strtol(text + 1, NULL, 10) : 0;
    return !big || *bytes == 1;
}

/* May elements of that letter be those of the type? Of types that NumPy lacks
 * any of the size. */
static bool fits(char letter, tc_dtype type) {
    switch (tc_dtypes[type].cls) {
    case TC_CLASS_FLOAT:
        return letter == 'f';
    case TC_CLASS_INT:
    case TC_CLASS_UINT:
        return letter == 'i' || letter == 'u' || letter == 'b';
    default:
        return letter != 'f';
    }
}

const void *tc_npy_read(tc_arena *a, const char *path, tc_dtype type,
                        uint64_t bytes, const char **why) {
    tc_buf file = TC_BUF_INIT;
    char reason[TC_FILE_WHY], letter = '\0';
    const char *header = NULL;
    long size = 0;
    if (!tc_file_read(&file, path, LARGEST, NULL, reason)) {
        *why = tc_strdup(a, reason);
        tc_buf_free(&file);
        return NULL;
    }
    void *out = NULL;
    size_t at = read_header(a, &file, &header, why);
    const char *order = at > 0 ? value_of(header, "fortran_order") : NULL;
    if (at > 0 && !read_type(value_of(header, "descr"), &letter, &size)) {
        *why = "its elements are not plain little-endian numbers";
    } else if (at > 0 &&
               (size != tc_dtype_bytes(type) || !fits(letter, type))) {
        *why = tc_format(a, "its elements are '%c%ld', and the buffer's %s",
                         letter, size, tc_dtypes[type].name);
    } else if (at > 0 && order != NULL && strncmp(order, "True", 4) == 0) {
        *why = "it is in Fortran's order: numpy.ascontiguousarray() first";
    } else if (at > 0 && file.len - at != bytes) {
        *why = tc_format(
            a, "it has %zu bytes of elements, and the buffer %" PRIu64,
            file.len - at, bytes);
    } else if (at > 0) {
        out = tc_alloc(a, bytes);
        memcpy(out, file.data + at, bytes);
    }
    tc_buf_free(&file);
    return out;
}

/* NumPy's name of the type; of those that it lacks, unsigned numbers. */
static void type_text(tc_dtype type, tc_buf *b) {
    int bytes = tc_dtype_bytes(type);
    tc_dtype_class c = tc_dtypes[type].cls;
    char letter = c == TC_CLASS_FLOAT ? 'f' : c == TC_CLASS_INT ? 'i' : 'u';
    tc_buf_printf(b, "%c%c%d", bytes == 1 ? '|' : '<', letter, bytes);
}

bool tc_npy_write(const char *path, tc_dtype type, int rank,
                  const int64_t *shape, const void *data, uint64_t bytes,
                  char why[TC_FILE_WHY]) {
    tc_buf header = TC_BUF_INIT, file = TC_BUF_INIT;
    tc_buf_puts(&header, "{'descr': '");
    type_text(type, &header);
    tc_buf_puts(&header, "', 'fortran_order': False, 'shape': (");
    for (int i = 0; i < rank; i++) {
        tc_buf_printf(&header, "%" PRId64 "%s", shape[i],
                      rank == 1      ? ","
                      : i + 1 < rank ? ", "
                                     : "");
    }
    tc_buf_puts(&header, "), }");
    while ((10 + header.len + 1) % ALIGN != 0) {
        tc_buf_putc(&header, ' ');
    }
    tc_buf_putc(&header, '\n');
    const char begin[] = {1, 0, (char)(header.len & 255),
                          (char)(header.len >> 8)};
    tc_buf_write(&file, magic, MAGIC);
    tc_buf_write(&file, begin, sizeof begin);
    tc_buf_write(&file, header.data, header.len);
    tc_buf_write(&file, data, bytes);
    bool ok = tc_file_write(path, file.data, file.len, NULL, why);
    tc_buf_free(&header);
    tc_buf_free(&file);
    return ok;
}
