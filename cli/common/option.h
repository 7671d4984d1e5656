/* SPDX-License-Identifier: Apache-2.0
 * Options as tables: one entry gives the parser, the help text and the check of file
 * names all they need. */
#ifndef ZM_CLI_OPTION_H
#define ZM_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>

typedef enum option_kind {
    OPTION_FLAG,   /**< bool */
    OPTION_INPUT,  /**< const char *: file that is read */
    OPTION_INPUTS, /**< begins with a file_list: files that are read; has a parser */
    OPTION_OUTPUT, /**< const char *: file that is written */
    OPTION_VALUE   /**< what `parse` makes of it */
} option_kind;

/** Stores what the text means at `field`; false when it means nothing. */
typedef bool option_parser(const char *text, void *field);

/** A word that an option accepts, and what it stands for; a list ends without a name. */
typedef struct option_choice {
    const char *name;
    int value;
} option_choice;

/** Stores the value of the word in an int or enum; false where it is none of the list. */
bool choice_parse(const option_choice *list, const char *word, void *field);

/** Name of a value; "?" where the list has none. */
const char *choice_name(const option_choice *list, int value);

typedef struct option {
    const char *name;  /**< without the dashes */
    const char *value; /**< name of its value in help texts; NULL for a flag */
    option_kind kind;
    size_t offset; /**< of the field in the verb's settings */
    bool required, repeatable;
    bool dash_allowed;    /**< OPTION_OUTPUT only: "-" is standard output */
    option_parser *parse; /**< OPTION_VALUE; files only if not any name will do */
    const char *expects;  /**< what `parse` accepts, for messages */
    const option_choice *choices; /**< instead of both: the field is an int or enum */
    const char *help;
} option;

typedef struct option_table {
    const char *title;
    const option *options; /**< ends with an entry without name */
} option_table;

enum { MOST_OPTION_TABLES = 6, MOST_OPTIONS = 64 };

#endif
