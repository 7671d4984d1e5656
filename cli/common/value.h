/* SPDX-License-Identifier: Apache-2.0
 * Values of options: numbers, pairs, choices. */
#ifndef ZM_CLI_VALUE_H
#define ZM_CLI_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "option.h"
#include "zermelo/forward.h"

typedef struct source_list {
    zm_source *items;
    size_t count;
} source_list;

typedef struct spacing {
    double dx, dy;
} spacing;

typedef struct grid_shape {
    int32_t rows, cols;
} grid_shape;

typedef struct number_list {
    double *items;
    size_t count;
} number_list;

typedef struct file_list {
    const char **items;
    size_t count;
} file_list;

typedef enum dtype_choice {
    DTYPE_OF_METRIC,
    DTYPE_FLOAT64,
    DTYPE_FLOAT32
} dtype_choice;

/* Parsers as in option.h; the comment says what they accept and the type of the field. */
bool parse_file(const char *text, void *field);      /* any but ''; appends to a file_list */
bool parse_text(const char *text, void *field);      /* any but ''; const char * */
bool parse_time(const char *text, void *field);      /* number or inf; double */
bool parse_tolerance(const char *text, void *field); /* finite number >= 0; double */
bool parse_share(const char *text, void *field);     /* number >= 0 and < 1; double */
bool parse_positive(const char *text, void *field);  /* finite number > 0; double */
bool parse_count(const char *text, void *field);     /* whole number >= 1; int32_t */
bool parse_seed(const char *text, void *field);      /* whole number >= 0; uint64_t */
bool parse_bytes(const char *text, void *field); /* > 0, in bytes, K, M, G or T; size_t */
bool parse_threads(const char *text, void *field); /* 1..MOST_THREADS or all; int32_t */
bool parse_spacing(const char *text, void *field); /* DX[,DY] > 0; spacing */
bool parse_shape(const char *text, void *field);   /* ROWS,COLS >= 1; grid_shape of
                                                      less than 2^30 cells */
bool parse_place(const char *text, void *field);   /* the same, also between cells */
bool parse_cell(const char *text, void *field);  /* ROW,COL; appends to a source_list */
bool parse_point(const char *text, void *field); /* the same, also between cells */
bool parse_order(const char *text, void *field);    /* 1 to 3; int32_t */
bool parse_factor(const char *text, void *field);   /* none, all, radius > 0; double */
bool parse_periodic(const char *text, void *field); /* x, y or xy; int32_t bits */
bool parse_cells(const char *text, void *field);    /* whole number >= 1; int64_t */

extern const option_choice dtype_choices[];   /* dtype_choice */
extern const option_choice stencil_choices[]; /* zm_stencil_choice */

/** Numbers > 0 between commas, appended to the list. */
bool parse_positive_list(const char *text, number_list *list);

/** Text after "K:", with K a whole number; text itself, and K as it was, where that is
 *  missing. */
const char *after_number(const char *text, int32_t *K);

enum { MOST_THREADS = 256 }; /* as the library */

/** Processors this process may use, at most MOST_THREADS. */
int32_t processors(void);

/** old grown to n items of the given size; ends the program when there is no memory. */
void *grow(void *old, size_t n, size_t size);

#endif
