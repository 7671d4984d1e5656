/* SPDX-License-Identifier: Apache-2.0
 * Manual pages and shell completions, made from the tables of the verbs.  The build runs
 * `zermelo --generate man DIR` and `zermelo --generate bash|zsh|fish`. */
#ifndef ZM_CLI_GENERATE_H
#define ZM_CLI_GENERATE_H

#include "verb.h"

/** Writes what argv asks for about a program's group of verbs or its only verb; an exit
 *  status. */
int generate(const verb *v, int argc, char **argv);

/** Writes one manual page for the verb into the folder, and one for each member of a group;
 *  an exit status. */
int manual_write(const verb *v, const char *folder);

/** Prints a completion script for the shell: whole for the tool itself, and for a program of
 *  its own the part that belongs into that script.  USAGE for an unknown shell. */
int completion_print(const verb *v, const char *shell);

/** Runs the program of a verb with `--generate what [folder]`; prints nothing where it was not
 *  built. */
void generate_elsewhere(const verb *v, const char *what, const char *folder);

#endif
