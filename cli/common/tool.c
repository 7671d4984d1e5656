/* SPDX-License-Identifier: Apache-2.0
 * Runs the verb that a command line names. */
#define _POSIX_C_SOURCE 200809L /* readlink, execv */
#include "tool.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate.h"
#include "message.h"
#include "suggest.h"
#include "value.h"
#include "zermelo/limit.h"

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

bool is_help(const char *word)
{
    return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

/* ---- a program of its own --------------------------------------------------------- */

bool path_beside(const char *program, char path[PATH_ROOM])
{
    const ssize_t n = readlink("/proc/self/exe", path, PATH_ROOM - 1);
    char *slash;

    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + strlen(program) + 2 > PATH_ROOM)
        return false;
    strcpy(slash + 1, program);
    return true;
}

/* The verb is another program, installed beside this one: becomes it.  That keeps large
 * libraries out of a tool that mostly does without them.  PATH is not searched: a program of
 * that name elsewhere is not ours. */
static int become(const verb *v, const char *first, int argc, char **argv)
{
    char **words = grow(NULL, (size_t)argc + 3, sizeof *words);
    char path[PATH_ROOM];
    int n = 0;

    if (!path_beside(v->program, path)) {
        free(words);
        return failure("cannot tell where this program is; run %s itself", v->program);
    }
    words[n++] = path;
    if (first)
        words[n++] = (char *)(uintptr_t)first;
    for (int i = 0; i < argc; i++)
        words[n++] = argv[i];
    words[n] = NULL;
    fflush(NULL);
    execv(path, words);
    free(words);
    return errno == ENOENT ? failure("%s", v->description)
                           : failure("cannot run %s: %s", v->program, strerror(errno));
}

static int read_limit_from_environment(void)
{
    const char *text = getenv("ZERMELO_READ_LIMIT");
    size_t bytes;

    if (!text)
        return DONE;
    if (!parse_bytes(text, &bytes))
        return usage_error("ZERMELO_READ_LIMIT is '%s', must be a number of bytes such as "
                           "500M or 16G",
                           text);
    zm_read_limit_set(bytes);
    return DONE;
}

/* ---- verbs ------------------------------------------------------------------------ */

static int run_verb(const verb *v, int argc, char **argv)
{
    void *settings;
    int n_operands = 0, code;

    message_verb(v->name);
    if (v->program)
        return become(v, NULL, argc, argv);
    if (asks_for_help(argc, argv)) {
        help_verb(v);
        return flush_output();
    }
    settings = grow(NULL, v->settings_size, 1);
    memcpy(settings, v->defaults, v->settings_size);
    GO(read_limit_from_environment());
    GO(options_parse(v, argc, argv, settings, &n_operands));
    GO(options_check_paths(v, settings));
    GO(v->run(settings, argv, n_operands));
    code = flush_output();
done:
    if (v->release)
        v->release(settings);
    free(settings);
    return code;
}

int run_one_of(const verb *const *verbs, int argc, char **argv)
{
    const verb *v = find_verb(verbs, argv[0]);

    return v ? run_verb(v, argc - 1, argv + 1) : unknown_verb(verbs, argv[0]);
}

int run_alone(const verb *v, int argc, char **argv)
{
    if (argc > 0 && !strcmp(argv[0], "--generate"))
        return generate(v, argc - 1, argv + 1);
    if (argc == 0 || !is_help(argv[0]))
        return run_verb(v, argc, argv);
    help_verb(v);
    return flush_output();
}

/* Help of the verb that the words name, argc >= 1. */
static int help_one_of(const verb *const *verbs, int argc, char **argv)
{
    const verb *v = find_verb(verbs, argv[0]);

    if (!v)
        return unknown_verb(verbs, argv[0]);
    if (v->program) {
        message_verb(v->name);
        return become(v, "help", argc - 1, argv + 1);
    }
    if (argc > 1)
        return usage_error("help takes one verb, not '%s'", argv[1]);
    help_verb(v);
    return flush_output();
}

static int which_verb(const verb *group)
{
    char words[256] = "";
    size_t n = 0;

    for (const verb *const *m = group->members; *m && n < sizeof words; m++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? ", " : "",
                              verb_word(*m));
    return usage_error("which verb? One of %s", words);
}

int run_group(const verb *group, int argc, char **argv)
{
    message_verb(group->name);
    if (argc == 0)
        return which_verb(group);
    if (!strcmp(argv[0], "--generate"))
        return generate(group, argc - 1, argv + 1);
    if (!is_help(argv[0]))
        return run_one_of(group->members, argc, argv);
    if (argc > 1)
        return help_one_of(group->members, argc - 1, argv + 1);
    help_verb(group);
    return flush_output();
}
