/* SPDX-License-Identifier: Apache-2.0
 * Runs the verb that a command line names. */
#ifndef ZM_CLI_TOOL_H
#define ZM_CLI_TOOL_H

#include "verb.h"

/** Whether the word asks for help: help, --help, -h. */
bool is_help(const char *word);

/** One of the verbs, named by argv[0], with the arguments behind it; an exit status. */
int run_one_of(const verb *const *verbs, int argc, char **argv);

/** The only verb of a program of its own: argv is what follows the verb's name, or begins with
 *  `help`. */
int run_alone(const verb *v, int argc, char **argv);

/** A group of verbs, e.g. "fire": runs the member that argv[0] names. */
int run_group(const verb *group, int argc, char **argv);

enum { PATH_ROOM = 4096 };
/** Path of the program in the folder where this one is; false where that is not known. */
bool path_beside(const char *program, char path[PATH_ROOM]);

#endif
