/* SPDX-License-Identifier: Apache-2.0
 * A verb of the tool.  To add one: write verb_<name>.c with a `const verb` like the
 * others, declare it below and list it in main.c. */
#ifndef ZM_CLI_VERB_H
#define ZM_CLI_VERB_H

#include "option.h"

typedef struct verb {
    const char *name;
    const char *summary;     /**< one line */
    const char *usage;       /**< what follows the name */
    const char *description; /**< paragraphs separated by "\n\n" */
    const char *example;     /**< shell commands that run as they stand */
    const option_table *tables[MOST_OPTION_TABLES]; /**< ends with NULL if shorter */
    bool takes_operands;
    /** The i-th word that may be an operand, NULL after the last; NULL: operands are files. */
    const char *(*operand)(size_t i);
    const void *defaults; /**< settings as they are without any option */
    size_t settings_size;
    /** Returns the exit status; operands are what is left without the options. */
    int (*run)(const void *settings, char **operands, int n_operands);
    void (*release)(void *settings); /**< frees what parsers allocated; may be NULL */
    /** Of a group, instead of all after `description`: its members, named "group member", up
     *  to NULL. */
    const struct verb *const *members;
    /** Instead of all after `summary`: the program that does it; `description` then tells what
     *  to do where it is missing. */
    const char *program;
} verb;

extern const verb verb_solve, verb_gradient, verb_tangent, verb_path, verb_invert,
    verb_convert, verb_info;
/** Verbs of the tool that are programs beside it. */
extern const verb program_fire, program_reproduce, program_view;

/** Fills settings from the arguments after the verb and moves operands to the front of
 *  argv.  DONE, or USAGE or FAILED after a message. */
int options_parse(const verb *v, int argc, char **argv, void *settings,
                  int *n_operands);

/** Refuses outputs that would overwrite an input or each other, and those that cannot be
 *  written, before any work is done. */
int options_check_paths(const verb *v, const void *settings);

/** Refuses an output that is one of the operands, n files that are read. */
int options_check_operands(const verb *v, const void *settings, char **operands, int n);

/** Help of one verb on standard output; of a group a list of its members. */
void help_verb(const verb *v);

/** Last word of the name: what a member is called in its group. */
const char *verb_word(const verb *v);

#endif
