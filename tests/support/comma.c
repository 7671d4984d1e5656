/* SPDX-License-Identifier: Apache-2.0
 * A locale in which one and a half is written 1,5. */
#define _POSIX_C_SOURCE 200809L /* setenv, mkdtemp */

#include "support/comma.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_set(const char *name)
{
    return setlocale(LC_NUMERIC, name) && !strcmp(localeconv()->decimal_point, ",");
}

static bool make_and_set(void)
{
    char folder[] = "/tmp/zermelo-locale-XXXXXX", command[200];
    bool set = false;

    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    if (system(command) == 0 && setenv("LOCPATH", folder, 1) == 0)
        set = is_set("de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && set;
}

bool comma_begin(test_run *t)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE",
                                         "fr_FR" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_set(names[i]))
            return true;
    if (make_and_set())
        return true;
    comma_end();
    test_skip(t, "no locale with a decimal comma here, and localedef cannot make one");
    return false;
}

void comma_end(void)
{
    setlocale(LC_NUMERIC, "C");
}
