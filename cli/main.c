/* SPDX-License-Identifier: Apache-2.0
 * The zermelo tool: picks the verb. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "suggest.h"
#include "value.h"
#include "verb.h"
#include "zermelo/version.h"

static const verb *const verbs[] = {
    &verb_solve,     &verb_gradient, &verb_tangent, &verb_path, &verb_invert,
#if defined(ZM_WITH_CAIRO)
    &verb_reproduce,
#endif
    &verb_convert,   &verb_fire,     &verb_info,    NULL
};

static const verb *find_verb(const verb *const *among, const char *name)
{
    while (*among && strcmp(verb_word(*among), name) != 0)
        among++;
    return *among;
}

static int unknown_verb(const verb *const *among, const char *name)
{
    const char *nearest = NULL;
    size_t smallest = SIZE_MAX;

    for (; *among; among++)
        suggest(name, strlen(name), verb_word(*among), &nearest, &smallest);
    if (nearest)
        return usage_error("unknown verb '%s'; did you mean %s?", name, nearest);
    return usage_error("unknown verb '%s'", name);
}

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

/* Help of the verb that the words name. */
static int help_command(const verb *const *among, int argc, char **argv)
{
    const verb *v = argc ? find_verb(among, argv[0]) : NULL;

    if (argc == 0) {
        print_help(stdout);
        return flush_output();
    }
    if (!v)
        return unknown_verb(among, argv[0]);
    if (v->members && argc > 1)
        return help_command(v->members, argc - 1, argv + 1);
    if (argc > 1)
        return usage_error("help takes one verb, not '%s'", argv[1]);
    help_verb(v);
    return flush_output();
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

static bool is_help(const char *word)
{
    return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int run_verb(const verb *v, int argc, char **argv);

/* A verb of a group: the next word names it. */
static int run_group(const verb *v, int argc, char **argv)
{
    const verb *member = argc ? find_verb(v->members, argv[0]) : NULL;

    if (!v->members[0])
        return failure("%s", v->description);
    if (argc == 0)
        return usage_error("which verb?");
    if (is_help(argv[0])) {
        if (argc > 1)
            return help_command(v->members, argc - 1, argv + 1);
        help_verb(v);
        return flush_output();
    }
    return member ? run_verb(member, argc - 1, argv + 1)
                  : unknown_verb(v->members, argv[0]);
}

static int run_verb(const verb *v, int argc, char **argv)
{
    void *settings;
    int n_operands = 0, code;

    message_verb(v->name);
    if (v->members)
        return run_group(v, argc, argv);
    if (asks_for_help(argc, argv)) {
        help_verb(v);
        return flush_output();
    }
    settings = grow(NULL, v->settings_size, 1);
    memcpy(settings, v->defaults, v->settings_size);
    code = options_parse(v, argc, argv, settings, &n_operands);
    if (code == DONE)
        code = options_check_paths(v, settings);
    if (code == DONE)
        code = v->run(settings, argv, n_operands);
    if (v->release)
        v->release(settings);
    free(settings);
    return code == DONE ? flush_output() : code;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    const verb *v;

    interrupt_catch();
    if (argc < 2) {
        print_help(stderr);
        return USAGE;
    }
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        printf("zermelo %s\n", zm_version());
        return flush_output();
    }
    if (is_help(first))
        return help_command(verbs, argc - 2, argv + 2);
    if (first[0] == '-')
        return usage_error("unknown option %s before a verb", first);
    v = find_verb(verbs, first);
    return v ? run_verb(v, argc - 2, argv + 2) : unknown_verb(verbs, first);
}
