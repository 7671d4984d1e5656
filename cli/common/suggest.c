/* SPDX-License-Identifier: Apache-2.0
 * "Did you mean ...?" by edit distance. */
#include "suggest.h"

#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Letters to insert, delete or replace (Levenshtein), row by row. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[LONGEST + 1];

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t above = row[j];

            row[j] =
                least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

void suggest(const char *typed, size_t n, const char *candidate, const char **nearest,
             size_t *smallest)
{
    const size_t m = strlen(candidate);
    size_t d;

    if (n > LONGEST || m > LONGEST)
        return;
    d = distance(typed, n, candidate, m);
    if (d < *smallest && d <= 1 + m / 4) {
        *smallest = d;
        *nearest = candidate;
    }
}
