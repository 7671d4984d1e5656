/* SPDX-License-Identifier: Apache-2.0
 * The hidden option --generate, with which the build makes manual pages and completions. */
#define _POSIX_C_SOURCE 200809L /* access */
#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "tool.h"

int generate(const verb *v, int argc, char **argv)
{
    int code;

    if (argc == 2 && !strcmp(argv[0], "man"))
        return manual_write(v, argv[1]);
    if (argc != 1)
        return usage_error("--generate needs man DIR, bash, zsh or fish");
    code = completion_print(v, argv[0]);
    return code == DONE ? flush_output() : code;
}

void generate_elsewhere(const verb *v, const char *what, const char *folder)
{
    char program[PATH_ROOM], command[3 * PATH_ROOM];

    if (!path_beside(v->program, program) || access(program, X_OK) != 0)
        return;
    snprintf(command, sizeof command, "'%s' --generate %s %s%s%s", program, what,
             folder ? "'" : "", folder ? folder : "", folder ? "'" : "");
    fflush(NULL);
    if (system(command) != 0)
        warning("%s made no part of %s", program, what);
}
