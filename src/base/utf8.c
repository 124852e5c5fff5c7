/* utf8.c - well-formed UTF-8, and how wide it is. */
#include "base/utf8.h"

#include <stdint.h>

/* Length of the well-formed sequence at s, or 0. Unicode 15, table 3-7. */
static size_t well_formed(const unsigned char *s, size_t len) {
    unsigned char c = s[0];
    if (c < 0x80) {
        return 1;
    }
    size_t n = c >= 0xc2 && c < 0xe0   ? 2
               : c >= 0xe0 && c < 0xf0 ? 3
               : c >= 0xf0 && c < 0xf5 ? 4
                                       : 0;
    if (n == 0 || len < n) {
        return 0;
    }
    unsigned char lo = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    unsigned char hi = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < lo || s[1] > hi) {
        return 0;
    }
    for (size_t i = 2; i < n; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf) {
            return 0;
        }
    }
    return n;
}

size_t tc_utf8_next(const char *s, size_t len) {
    if (len == 0) {
        return 0;
    }
    size_t n = well_formed((const unsigned char *)s, len);
    return n ? n : 1;
}

int tc_utf8_count(const char *s, size_t len) {
    int count = 0;
    for (size_t i = 0; i < len; count++) {
        i += (unsigned char)s[i] < 0x80 ? 1 : tc_utf8_next(s + i, len - i);
    }
    return count;
}

bool tc_utf8_valid(const char *s, size_t len) {
    for (size_t i = 0; i < len;) {
        size_t n = well_formed((const unsigned char *)s + i, len - i);
        if (n == 0) {
            return false;
        }
        i += n;
    }
    return true;
}
