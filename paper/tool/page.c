/* SPDX-License-Identifier: Apache-2.0
 * index.html: all tables and figures in one page without other files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/save_text.h"
#include "common/solution.h"
#include "common/value.h"
#include "core/file.h"
#include "report.h"
#include "zermelo/version.h"

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#22262c;--soft:#5b626c;"
    "--line:#dfe3e8;--good:#0b6b3a;--bad:#b3261e;--link:#0a58a8}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#16191d;--ink:#e8eaed;"
    "--soft:#a4abb5;--line:#343a42;--good:#6fd39c;--bad:#ff9d94;"
    "--link:#8cc0ff}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:62rem;padding:1.2rem;background:var(--paper);"
    "color:var(--ink);font:1rem/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.6rem;line-height:1.25}h2{margin-top:3rem;border-bottom:1px solid "
    "var(--line)}h3{margin:2.2rem 0 .3rem}a{color:var(--link)}\n"
    "p{max-width:46rem}.where,figcaption,.remark{color:var(--soft)}.where{margin:0}\n"
    "nav ul{columns:16rem;padding-left:1.2rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;"
    "font-variant-numeric:tabular-nums;margin:.8rem 0}\n"
    "th,td{padding:.25rem .8rem .25rem 0;text-align:left;border-bottom:1px solid "
    "var(--line);vertical-align:top}td.n,th.n{text-align:right;white-space:nowrap}\n"
    ".better,.same{color:var(--good)}.worse{color:var(--bad);font-weight:600}\n"
    "figure{margin:1.2rem 0}figure img{max-width:100%;height:auto;display:block}\n"
    ".failed{border-left:4px solid var(--bad);padding-left:.8rem}\n"
    /* On a phone wide figures keep letters one can read, and scroll. */
    "@media screen and (max-width:40rem){th,td{padding-right:.5rem}"
    "th:last-child,td:last-child{white-space:nowrap}td:first-child{min-width:9rem}"
    "figure img{max-width:none;"
    "min-width:100%;width:calc(var(--points)*.7px)}}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--good:#063;"
    "--bad:#900}body{max-width:none;padding:0;font-size:10pt}nav{display:none}"
    "figure,tr{break-inside:avoid}h2,h3{break-after:avoid}}\n";

/* A number with as many digits as help: four significant ones; 1.23e-4 where it is small or
 * large, or where the paper writes so. */
static void add_number(zm_text *t, double value, const char *paper)
{
    const bool plain = value == 0 || (fabs(value) >= 1e-3 && fabs(value) < 1e5 &&
                                      !strpbrk(paper, "eE"));
    const int exponent = plain ? 0 : (int)floor(log10(fabs(value)));

    if (isnan(value))
        zm_text_add(t, "–");
    else if (plain || isinf(value))
        zm_text_print(t, "%.4g", value);
    else
        zm_text_print(t, "%.2fe%d", value / pow(10, exponent), exponent);
}

/* The string with <, >, & and quotes as HTML wants them. */
static void add_html(zm_text *t, const char *string)
{
    for (; *string; string++) {
        const char *name = *string == '<'   ? "&lt;"
                           : *string == '>' ? "&gt;"
                           : *string == '&' ? "&amp;"
                           : *string == '"' ? "&quot;"
                                            : NULL;

        if (name)
            zm_text_add(t, name);
        else
            zm_text_add_bytes(t, string, 1);
    }
}

/* <tag attributes>content</tag> */
static void add_element(zm_text *t, const char *tag, const char *content)
{
    zm_text_print(t, "<%s>", tag);
    add_html(t, content);
    zm_text_print(t, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

static void add_paragraphs(zm_text *t, const char *paragraphs)
{
    while (*paragraphs) {
        const char *end = strstr(paragraphs, "\n\n");
        const size_t n = end ? (size_t)(end - paragraphs) : strlen(paragraphs);
        char *one = grow(NULL, n + 1, 1);

        memcpy(one, paragraphs, n);
        one[n] = '\0';
        add_element(t, "p", one);
        free(one);
        paragraphs += end ? n + 2 : n;
    }
}

static void add_row(zm_text *t, const outcome_row *row)
{
    const char *standing = verdict_name(outcome_verdict(row));

    zm_text_add(t, "<tr><td>");
    add_html(t, row->quantity);
    zm_text_add(t, "</td><td class=n>");
    add_html(t, *row->paper_text ? row->paper_text : "–");
    zm_text_add(t, "</td><td class=n>");
    add_number(t, row->ours, row->paper_text);
    zm_text_add(t, "</td><td>");
    add_html(t, row->unit);
    zm_text_print(t, "</td><td class=\"%s\">%s</td><td>", standing, standing);
    add_html(t, row->reference);
    zm_text_add(t, "</td></tr>\n");
}

static void add_table(zm_text *t, const outcome *o)
{
    if (!o->n_rows)
        return;
    zm_text_add(
        t, "<div class=wide><table><thead><tr><th>Quantity</th><th class=n>Paper</th>"
           "<th class=n>Ours</th><th>Unit</th><th>Verdict</th><th>In the paper</th>"
           "</tr></thead><tbody>\n");
    for (size_t i = 0; i < o->n_rows; i++)
        add_row(t, &o->rows[i]);
    zm_text_add(t, "</tbody></table></div>\n");
}

/* All of a file; false after a message. */
static bool read_file(zm_text *file, const char *path)
{
    zm_error err;

    if (zm_file_read(path, ZM_FILE_TEXT, &file->bytes, &file->n, &err) < 0)
        failure("cannot read %s", err.text);
    return file->bytes != NULL;
}

/* n bytes in base 64, for data: addresses. */
static void add_base64(zm_text *t, const void *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789+/";
    const unsigned char *in = bytes;

    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i < 3 ? n - i : 3;
        uint32_t group = 0;
        char out[4];

        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (k < left ? in[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            out[k] = k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
        zm_text_add_bytes(t, out, sizeof out);
    }
}

static void add_svg(zm_text *t, const zm_text *svg)
{
    zm_text_add(t, "data:image/svg+xml;base64,");
    add_base64(t, svg->bytes, svg->n);
}

/* The first width="..." of an SVG file: that of the picture, in points. */
static double svg_width(const zm_text *svg)
{
    char head[512] = "";
    const char *width;

    memcpy(head, svg->bytes, svg->n < sizeof head ? svg->n : sizeof head - 1);
    width = strstr(head, " width=\"");
    return width ? strtod(strchr(width, '"') + 1, NULL) : 0;
}

static void add_pictures(zm_text *t, const zm_text *light, const zm_text *dark,
                         const char *caption)
{
    zm_text_add(t, "<div class=wide><picture><source media=\"screen and "
                   "(prefers-color-scheme:dark)\" srcset=\"");
    add_svg(t, dark);
    zm_text_add(t, "\"><img alt=\"");
    add_html(t, caption);
    zm_text_print(t, "\" style=\"--points:%.0f\" src=\"", svg_width(light));
    add_svg(t, light);
    zm_text_add(t, "\"></picture></div>");
}

/* False where the pictures are gone; the caption remains. */
static bool add_figure(zm_text *t, const outcome_figure *f)
{
    zm_text light = { 0 }, dark = { 0 };
    const bool read = read_file(&light, f->svg) && read_file(&dark, f->dark_svg);

    zm_text_add(t, "<figure>");
    if (read)
        add_pictures(t, &light, &dark, f->caption);
    zm_text_add(t, "<figcaption>");
    if (*f->reference) {
        zm_text_add(t, "<b>");
        add_html(t, f->reference);
        zm_text_add(t, ".</b> ");
    }
    add_html(t, f->caption);
    zm_text_add(t, "</figcaption></figure>\n");
    zm_text_free(&light);
    zm_text_free(&dark);
    return read;
}

static bool add_experiment(zm_text *t, const outcome *o)
{
    bool done = true;

    zm_text_print(t, "<section id=\"%s\">\n", o->what->name);
    add_element(t, "h3", o->what->title);
    zm_text_add(t, "<p class=where><code>");
    add_html(t, o->what->name);
    zm_text_add(t, "</code> · ");
    add_html(t, o->what->paper);
    zm_text_print(t, " · %s</p>\n", time_of(o->seconds).text);
    add_paragraphs(t, o->what->about);
    if (o->failure) {
        zm_text_add(t, "<p class=failed>Failed: ");
        add_html(t, o->failure);
        zm_text_add(t, "</p>\n");
    } else if (o->status != ZM_OK) {
        zm_text_add(t, "<p class=failed>Stopped before it was finished.</p>\n");
    }
    add_table(t, o);
    for (size_t i = 0; i < o->n_remarks; i++)
        add_element(t, "p class=remark", o->remarks[i]);
    for (size_t i = 0; i < o->n_figures; i++)
        done = add_figure(t, &o->figures[i]) && done;
    zm_text_add(t, "</section>\n");
    return done;
}

static void add_contents(zm_text *t, const outcome *found, size_t n)
{
    zm_text_add(t, "<nav><ul>\n");
    for (size_t i = 0; i < n; i++) {
        zm_text_print(t, "<li><a href=\"#%s\">", found[i].what->name);
        add_html(t, found[i].what->title);
        zm_text_add(t, "</a></li>\n");
    }
    zm_text_add(t, "</ul></nav>\n");
}

/* A row that is worse, in a list. */
static void add_worse(zm_text *t, const experiment *what, const outcome_row *row)
{
    zm_text_print(t, "<li class=worse><a href=\"#%s\">", what->name);
    add_html(t, what->title);
    zm_text_add(t, "</a>: ");
    add_html(t, row->quantity);
    zm_text_add(t, " ");
    add_number(t, row->ours, row->paper_text);
    zm_text_add(t, " against ");
    add_html(t, row->paper_text);
    zm_text_add(t, " ");
    add_html(t, row->unit);
    zm_text_add(t, "</li>\n");
}

/* How many rows stand how to the paper's, and those that are worse. */
static void add_summary(zm_text *t, const outcome *found, size_t n, size_t wanted,
                        const run_settings *settings)
{
    size_t count[4] = { 0 }, finished = 0;
    zm_text worse = { 0 };
    double seconds = 0;

    for (size_t i = 0; i < n; i++) {
        finished += found[i].status == ZM_OK;
        seconds += found[i].seconds;
        for (size_t k = 0; k < found[i].n_rows; k++) {
            const verdict v = outcome_verdict(&found[i].rows[k]);

            count[v]++;
            if (v == VERDICT_WORSE)
                add_worse(&worse, found[i].what, &found[i].rows[k]);
        }
    }
    zm_text_print(
        t,
        "<p>%zu of %zu experiments in %s%s, seed %llu, %d thread%s, zermelo %s. "
        "Of the numbers that the paper has too, <b class=better>%zu are "
        "better</b>, %zu the same to its last digit, <b class=%s>%zu worse</b>.</p>\n",
        finished, wanted, time_of(seconds).text, settings->quick ? " (--quick)" : "",
        (unsigned long long)settings->seed, (int)settings->threads,
        settings->threads == 1 ? "" : "s", zm_version(), count[VERDICT_BETTER],
        count[VERDICT_SAME], count[VERDICT_WORSE] ? "worse" : "same",
        count[VERDICT_WORSE]);
    if (count[VERDICT_WORSE]) {
        zm_text_add(t, "<ul>\n");
        zm_text_add_bytes(t, worse.bytes, worse.n);
        zm_text_add(t, "</ul>\n");
    }
    zm_text_free(&worse);
}

int report_write_page(const outcome *found, size_t n, size_t wanted,
                      const run_settings *settings)
{
    char *path = report_path(settings, "index.html");
    const char *group = "";
    zm_text t = { 0 };
    int code = DONE;

    zm_text_print(
        &t,
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
        "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
        "<title>zermelo reproduce</title>\n<style>\n%s</style></head><body>\n"
        "<h1>Differentiable Randers eikonal solver: the paper's experiments</h1>\n",
        style);
    add_summary(&t, found, n, wanted, settings);
    add_contents(&t, found, n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(group, found[i].what->group) != 0)
            add_element(&t, "h2", group = found[i].what->group);
        if (!add_experiment(&t, &found[i]))
            code = FAILED;
    }
    zm_text_add(&t, "</body></html>\n");
    if (save_text(&t, "", path) != DONE)
        code = FAILED;
    free(path);
    return code;
}
