/* SPDX-License-Identifier: Apache-2.0
 * Tables of comma-separated values with a header, held as words. */
#ifndef ZM_CORE_CSV_H
#define ZM_CORE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/status.h"

typedef struct zm_table {
    const char *name;   /**< of the file, for messages; borrowed */
    char *text;         /**< the words, cut apart */
    const char **words; /**< header, then rows, n_columns each */
    size_t *lines;      /**< line of the file of the header and of each row */
    size_t n_rows, n_columns;
} zm_table;

/** Stands for a column that the table does not have. */
#define ZM_NO_COLUMN ((size_t)-1)

/** Blanks and double quotes around words, empty lines, lines that begin with #, a byte order
 *  mark and \r before \n do not matter.  Every row must have as many words as the header.
 *  `columns` is the list of names for a message about a missing header; NULL: none. */
zm_status zm_table_parse(const void *bytes, size_t n, const char *name,
                         const char *columns, zm_table *out, zm_error *err);
zm_status zm_table_read(const char *path, zm_table *out, zm_error *err);
void zm_table_free(zm_table *table);

/** Number of the column of that name (case does not matter), or ZM_NO_COLUMN. */
size_t zm_table_column(const zm_table *table, const char *column);
/** The same, or a failure that names the columns that are there. */
zm_status zm_table_need(const zm_table *table, const char *column, size_t *out,
                        zm_error *err);
const char *zm_table_word(const zm_table *table, size_t row, size_t column);

/** "name, line 3, column c: 'word', must be <must>" */
zm_status zm_table_fail(const zm_table *table, size_t row, size_t column,
                        const char *must, zm_error *err);

/** What values a column may have. */
typedef struct zm_column_rule {
    const char *column;
    double least, most;
    bool whole;     /**< whole numbers only */
    bool needed;    /**< the column must be there, and no value blank */
    double missing; /**< value where it is not */
} zm_column_rule;

/** All values of a column, n_rows doubles. */
zm_status zm_table_numbers(const zm_table *table, const zm_column_rule *rule,
                           double *out, zm_error *err);

#endif
