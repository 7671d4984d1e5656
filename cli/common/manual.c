/* SPDX-License-Identifier: Apache-2.0
 * Manual pages in mdoc(7), one for each verb. */
#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "generate.h"
#include "message.h"
#include "zermelo/version.h"

/* Text as roff wants it: no line begins with a control character, and dashes stay dashes.
 * Outside of literal blocks an empty line is a new paragraph and other line breaks are kept. */
static void put_text(FILE *f, const char *text, bool literal)
{
    bool begins = true;

    for (const char *c = text; *c; c++) {
        if (*c == '\n' && !literal && c[1]) {
            fputs(c[1] == '\n' ? "\n.Pp" : c[1] == ' ' ? "" : "\n.br", f);
            c += c[1] == '\n';
        }
        if (!literal && *c == ' ' && c > text && strchr(".?!", c[-1]) &&
            isupper((unsigned char)c[1])) {
            putc('\n', f); /* roff decides on the space between sentences */
            continue;
        }
        if (begins && (*c == '.' || *c == '\''))
            fputs("\\&", f);
        if (*c == '\\')
            fputs("\\e", f);
        else if (*c == '-')
            fputs("\\-", f);
        else
            putc(*c, f);
        begins = *c == '\n';
    }
    if (!begins)
        putc('\n', f);
}

/* Name of the page: that of the verb with dashes, e.g. zermelo-fire-physics. */
static const char *page_of(const verb *v, char *room, size_t size, bool upper)
{
    snprintf(room, size, "zermelo%s%s", *v->name ? "-" : "", v->name);
    for (char *c = room; *c; c++)
        *c = *c == ' ' ? '-' : upper ? (char)toupper((unsigned char)*c) : *c;
    return room;
}

/* SOURCE_DATE_EPOCH lets distributors build the same page twice. */
static void put_head(FILE *f, const verb *v)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    const time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    char date[64] = "", page[128];
    struct tm day;

    if (gmtime_r(&now, &day))
        strftime(date, sizeof date, "%B %d, %Y", &day);
    fprintf(
        f,
        ".\\\" Made from the options of the program by --generate.\n.Dd %s\n.Dt %s 1\n",
        date, page_of(v, page, sizeof page, true));
    fprintf(f, ".Os zermelo %s\n.Sh NAME\n.Nm %s\n.Nd ", zm_version(),
            page_of(v, page, sizeof page, false));
    put_text(f, v->summary, false);
    fprintf(f, ".Sh SYNOPSIS\n.Nm zermelo\n");
    if (*v->name)
        fprintf(f, ".Cm %s\n", v->name);
    put_text(f, v->usage, false);
    fprintf(f, ".Sh DESCRIPTION\n");
    put_text(f, v->description, false);
}

static void put_options(FILE *f, const verb *v)
{
    fprintf(f, ".Sh OPTIONS\n");
    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++) {
        fprintf(f, ".Ss %s\n.Bl -tag -width Ds\n", v->tables[i]->title);
        for (const option *o = v->tables[i]->options; o->name; o++) {
            fprintf(f, ".It Fl Fl %s%s%s\n", o->name, o->value ? " Ar " : "",
                    o->value ? o->value : "");
            put_text(f, o->help, false);
        }
        fprintf(f, ".El\n");
    }
}

static void put_members(FILE *f, const verb *v)
{
    char page[128];

    fprintf(f, ".Sh VERBS\n.Bl -tag -width reproduce\n");
    for (const verb *const *m = v->members; *m; m++) {
        fprintf(f, ".It Cm %s\n", verb_word(*m));
        put_text(f, (*m)->summary, false);
        fprintf(f, ".Pq see Xr %s 1\n", page_of(*m, page, sizeof page, false));
    }
    fprintf(f, ".El\n");
}

static void put_see_also(FILE *f, const verb *v)
{
    if (!*v->name)
        return;
    fprintf(f, ".Sh SEE ALSO\n.Xr zermelo 1");
    if (strchr(v->name, ' ')) /* a member leads to its group */
        fprintf(f, " ,\n.Xr zermelo-%.*s 1", (int)strcspn(v->name, " "), v->name);
    fprintf(f, "\n");
}

static int write_page(const verb *v, const char *folder)
{
    char page[128], path[4096];
    FILE *f;
    bool complete;

    snprintf(path, sizeof path, "%s/%s.1", folder,
             page_of(v, page, sizeof page, false));
    if (!(f = fopen(path, "w")))
        return failure("cannot write %s: %s", path, strerror(errno));
    put_head(f, v);
    if (v->members)
        put_members(f, v);
    else
        put_options(f, v);
    fprintf(
        f,
        ".Sh EXIT STATUS\n0 done, 1 failed, 2 wrong command line, 130 interrupted.\n");
    if (v->example) {
        fprintf(f, ".Sh EXAMPLES\n.Bd -literal -offset indent\n");
        put_text(f, v->example, true);
        fprintf(f, ".Ed\n");
    }
    put_see_also(f, v);
    complete = !ferror(f);
    if (fclose(f) || !complete)
        return failure("cannot write %s: %s", path, strerror(errno));
    return DONE;
}

int manual_write(const verb *v, const char *folder)
{
    int code = write_page(v, folder);

    for (const verb *const *m = v->members; m && *m && code == DONE; m++) {
        if ((*m)->program)
            generate_elsewhere(*m, "man", folder);
        else
            code = write_page(*m, folder);
    }
    return code;
}
