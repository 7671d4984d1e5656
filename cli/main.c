/* SPDX-License-Identifier: Apache-2.0
 * The zermelo tool: its verbs. */
#include <stdio.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/tool.h"
#include "zermelo/version.h"

static const verb *const verbs[] = { &verb_solve, &verb_gradient, &verb_tangent,
                                     &verb_path,  &verb_invert,   &verb_convert,
                                     &verb_info,  &program_view,  &program_fire,
                                     &program_reproduce, NULL };

static const verb zermelo = {
    .name = "",
    .summary = "arrival times of moving fronts, and their exact derivatives",
    .usage = "VERB [options]",
    .description =
        "A front moves over a grid of cells. Moving by v takes the time "
        "F(v) = sqrt(v' G v) - b.v, where the metric G and the drift b may differ from "
        "cell to "
        "cell, so the front is faster along +b. The tool computes when it arrives "
        "where.\n\n"
        "Arrays are files of NumPy (NPY versions 1.0 to 3.0). Results are written to a "
        "temporary file that is renamed when it is complete, so a run that fails or is "
        "interrupted leaves older files as they were. A pipe, and what is open already "
        "(/dev/stdout, /dev/fd/N), is written to directly. Only regular files are read, "
        "and what is open already: /dev/stdin and /dev/fd/N.\n\n"
        "Reading a file takes at most half of the machine's memory, 256 MiB for a table; "
        "the environment variable ZERMELO_READ_LIMIT sets another limit, such as 20G.\n\n"
        "zermelo VERB --help shows every option of a verb; zermelo --version prints "
        "the "
        "version.",
    .members = verbs,
};

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";

    interrupt_catch();
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        printf("zermelo %s\n", zm_version());
        return flush_output();
    }
    if (first[0] == '-' && !is_help(first) && strcmp(first, "--generate") != 0)
        return usage_error("unknown option %s before a verb", first);
    return run_group(&zermelo, argc - 1, argv + 1);
}
