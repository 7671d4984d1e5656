/* SPDX-License-Identifier: Apache-2.0
 * File names and words of files in messages. */
#ifndef ZM_CORE_SHOWN_NAME_H
#define ZM_CORE_SHOWN_NAME_H

#include <string.h>

/** The end of a long name: the reason after it must still fit into a zm_error. */
static inline const char *zm_shown_name(const char *name)
{
    enum { MOST = 120 };
    const size_t length = strlen(name);

    return length > MOST ? name + length - MOST : name;
}

/** Bytes of the UTF-8 character at c; 0: none begins there. */
static inline size_t zm_utf8_length(const unsigned char *c)
{
    /* what the second byte may be: neither longer than need be nor half of a pair of UTF-16 */
    const unsigned char least = *c == 0xe0   ? 0xa0
                                : *c == 0xf0 ? 0x90
                                             : 0x80,
                        most = *c == 0xed   ? 0x9f
                               : *c == 0xf4 ? 0x8f
                                            : 0xbf;
    const size_t n = *c < 0x80                ? 1
                     : *c < 0xc2 || *c > 0xf4 ? 0
                     : *c < 0xe0              ? 2
                     : *c < 0xf0              ? 3
                                              : 4;

    if (n > 1 && (c[1] < least || c[1] > most))
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/** Puts '?' for what a terminal might obey: C0 controls, DEL, C1 controls, alone or in UTF-8, and
 *  all that is no UTF-8. */
static inline void zm_make_printable(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        const size_t n = zm_utf8_length(c);

        if (n > 1 && !(*c == 0xc2 && c[1] < 0xa0)) {
            c += n;
            continue;
        }
        if (n != 1 || *c < ' ' || *c == 0x7f)
            *c = '?';
        c++;
    }
}

/** As much of a word as a message has room for, without what a terminal might obey. */
typedef struct zm_shown_word {
    char text[40];
} zm_shown_word;

static inline zm_shown_word zm_word_shown(const char *word)
{
    zm_shown_word s;
    const size_t most = sizeof s.text - 4, length = strlen(word);
    const size_t n = length < most ? length : most;

    for (size_t i = 0; i < n; i++)
        s.text[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    memcpy(s.text + n, n < length ? "..." : "", n < length ? 4 : 1);
    return s;
}

#endif
