/* SPDX-License-Identifier: Apache-2.0
 * Help texts, made from the tables of a verb. */
#include <stdio.h>
#include <string.h>

#include "verb.h"

enum { WIDTH = 79, HELP_COLUMN = 26 };

/* Prints words up to the right margin; a newline in the text is kept. */
static void print_wrapped(const char *text, int column, int indent)
{
    while (*text) {
        const size_t blanks = strspn(text, " ");
        const size_t word = strcspn(text + blanks, " \n");

        if (text[blanks] == '\n') {
            printf("\n%*s", text[blanks + 1] == '\n' ? 0 : indent, "");
            column = indent;
            text += blanks + 1;
            continue;
        }
        if (column + (int)(blanks + word) > WIDTH && column > indent) {
            printf("\n%*s%.*s", indent, "", (int)word, text + blanks);
            column = indent + (int)word;
        } else {
            printf("%.*s", (int)(blanks + word), text);
            column += (int)(blanks + word);
        }
        text += blanks + word;
    }
    printf("\n");
}

static void print_option(const option *o)
{
    const int n =
        printf("  --%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");

    if (n + 2 > HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    else
        printf("%*s", HELP_COLUMN - n, "");
    print_wrapped(o->help, HELP_COLUMN, HELP_COLUMN);
}

const char *verb_word(const verb *v)
{
    const char *blank = strrchr(v->name, ' ');

    return blank ? blank + 1 : v->name;
}

static void help_group(const verb *v)
{
    const char *blank = *v->name ? " " : ""; /* the tool itself has no name here */

    printf("zermelo%s%s - %s\n\n", blank, v->name, v->summary);
    printf("Usage: zermelo%s%s %s\n\nVerbs:\n", blank, v->name, v->usage);
    for (const verb *const *m = v->members; *m; m++)
        printf("  %-10s %s\n", verb_word(*m), (*m)->summary);
    printf("  %-10s help of a verb: zermelo%s%s help VERB\n\n", "help", blank, v->name);
    print_wrapped(v->description, 0, 0);
}

void help_verb(const verb *v)
{
    enum { USAGE_INDENT = 8 };

    if (v->members) {
        help_group(v);
        return;
    }
    printf("zermelo %s - %s\n\n", v->name, v->summary);
    print_wrapped(v->usage, printf("Usage: zermelo %s ", v->name), USAGE_INDENT);
    printf("\n");
    print_wrapped(v->description, 0, 0);
    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++) {
        printf("\n%s:\n", v->tables[i]->title);
        for (const option *o = v->tables[i]->options; o->name; o++)
            print_option(o);
    }
    printf("\nExample:\n%s", v->example);
    printf("\nExit status: 0 done, 1 failed, 2 wrong command line, 130 interrupted.\n");
}
