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
                                     &verb_info,  &program_fire,  &program_reproduce,
                                     NULL };

static void print_help(FILE *to)
{
    fprintf(to,
            "zermelo - arrival times of moving fronts, and their exact derivatives\n\n"
            "Usage: zermelo VERB [options]\n\nVerbs:\n");
    for (const verb *const *v = verbs; *v; v++)
        fprintf(to, "  %-10s %s\n", (*v)->name, (*v)->summary);
    fprintf(to, "  %-10s %s\n\n", "help", "help of a verb: zermelo help VERB");
    fprintf(
        to,
        "A front moves by v at the cost F(v) = sqrt(v' G v) - b.v, with metric G and\n"
        "drift b in every cell of a grid; the tool computes when it arrives where.\n"
        "Files are NumPy's NPY.  zermelo --version tells the version.\n");
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";

    interrupt_catch();
    if (argc < 2) {
        print_help(stderr);
        return USAGE;
    }
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        printf("zermelo %s\n", zm_version());
        return flush_output();
    }
    if (is_help(first) && argc > 2)
        return help_one_of(verbs, argc - 2, argv + 2);
    if (is_help(first)) {
        print_help(stdout);
        return flush_output();
    }
    if (first[0] == '-')
        return usage_error("unknown option %s before a verb", first);
    return run_one_of(verbs, argc - 1, argv + 1);
}
