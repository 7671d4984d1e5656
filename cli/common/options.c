/* SPDX-License-Identifier: Apache-2.0
 * Reads the command line by the tables of a verb. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "suggest.h"
#include "verb.h"

typedef struct command_line {
    const verb *verb;
    char **argv;
    int argc, next; /* argv[next] has not been looked at */
    char *settings;
    const option *seen[MOST_OPTIONS];
    size_t n_seen;
} command_line;

static const option *find_option(const verb *v, const char *name, size_t length)
{
    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++)
        for (const option *o = v->tables[i]->options; o->name; o++)
            if (strlen(o->name) == length && !memcmp(o->name, name, length))
                return o;
    return NULL;
}

static int unknown_option(const verb *v, const char *name, size_t length)
{
    const char *nearest = NULL;
    size_t smallest = SIZE_MAX;

    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++)
        for (const option *o = v->tables[i]->options; o->name; o++)
            suggest(name, length, o->name, &nearest, &smallest);
    if (nearest)
        return usage_error("unknown option --%.*s; did you mean --%s?", (int)length,
                           name, nearest);
    return usage_error("unknown option --%.*s", (int)length, name);
}

static bool was_seen(const command_line *c, const option *o)
{
    for (size_t i = 0; i < c->n_seen; i++)
        if (c->seen[i] == o)
            return true;
    return false;
}

/* The value after '=', or the next argument unless that is an option. */
static const char *take_value(command_line *c, const char *after_name)
{
    if (*after_name == '=')
        return after_name + 1;
    if (c->next == c->argc || !strncmp(c->argv[c->next], "--", 2))
        return NULL;
    return c->argv[c->next++];
}

bool choice_parse(const option_choice *list, const char *word, void *field)
{
    for (; list->name; list++)
        if (!strcmp(list->name, word)) {
            memcpy(field, &list->value, sizeof list->value);
            return true;
        }
    return false;
}

const char *choice_name(const option_choice *list, int value)
{
    while (list->name && list->value != value)
        list++;
    return list->name ? list->name : "?";
}

/* "a, b or c" */
static int wrong_choice(const option *o, const char *text)
{
    char words[200] = "";
    size_t n = 0;

    for (const option_choice *c = o->choices; c->name && n < sizeof words; c++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", c->name,
                              !c[1].name  ? ""
                              : c[2].name ? ", "
                                          : " or ");
    return usage_error("--%s needs %s, not '%s'", o->name, words, text);
}

static int store(const option *o, const char *text, char *settings)
{
    void *field = settings + o->offset;

    if (o->choices)
        return choice_parse(o->choices, text, field) ? DONE : wrong_choice(o, text);
    if (o->parse) {
        if (!o->parse(text, field))
            return usage_error("--%s needs %s, not '%s'", o->name, o->expects, text);
    } else if (!*text) {
        return usage_error("--%s needs the name of a file, not ''", o->name);
    } else if (!strcmp(text, "-") && !o->dash_allowed) {
        return usage_error("--%s needs the name of a file, not '-'; /dev/%s is one",
                           o->name, o->kind == OPTION_INPUT ? "stdin" : "stdout");
    } else {
        *(const char **)field = text;
    }
    return DONE;
}

/* One option; argument points behind its dashes. */
static int parse_option(command_line *c, const char *argument)
{
    const size_t length = strcspn(argument, "=");
    const option *o = find_option(c->verb, argument, length);
    const char *text;

    if (!o)
        return unknown_option(c->verb, argument, length);
    if (was_seen(c, o)) {
        if (!o->repeatable)
            return usage_error("--%s is given twice; give it once", o->name);
    } else {
        c->seen[c->n_seen++] = o;
    }
    if (o->kind == OPTION_FLAG) {
        if (argument[length])
            return usage_error("--%s takes no value", o->name);
        *(bool *)(c->settings + o->offset) = true;
        return DONE;
    }
    text = take_value(c, argument + length);
    if (!text)
        return usage_error("--%s needs a value: --%s %s", o->name, o->name, o->value);
    return store(o, text, c->settings);
}

static int check_required(const command_line *c)
{
    for (int i = 0; i < MOST_OPTION_TABLES && c->verb->tables[i]; i++)
        for (const option *o = c->verb->tables[i]->options; o->name; o++)
            if (o->required && !was_seen(c, o))
                return usage_error("--%s %s is missing", o->name, o->value);
    return DONE;
}

int options_parse(const verb *v, int argc, char **argv, void *settings, int *n_operands)
{
    command_line c = { .verb = v, .argv = argv, .argc = argc, .settings = settings };
    bool only_operands = false;
    int n = 0;

    while (c.next < argc) {
        char *argument = argv[c.next++];

        if (only_operands || argument[0] != '-' || !argument[1])
            argv[n++] = argument;
        else if (!strcmp(argument, "--"))
            only_operands = true;
        else if (argument[1] == '-')
            TRY(parse_option(&c, argument + 2));
        else
            return usage_error("unknown option %s; options start with two dashes",
                               argument);
    }
    if (n > 0 && !v->takes_operands)
        return usage_error("unexpected argument '%s'; files are given by options",
                           argv[0]);
    *n_operands = n;
    return check_required(&c);
}
