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

/** Puts '?' for what a terminal might obey: C0 controls, DEL, and C1 controls in UTF-8. */
static inline void zm_make_printable(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < ' ' || *c == 0x7f)
            *c = '?';
        else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
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
