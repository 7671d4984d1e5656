/* SPDX-License-Identifier: Apache-2.0
 * Writes JSON, one value at a time. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "save_text.h"

static void add(json *j, const char *string)
{
    zm_text_add(&j->text, string);
}

static void start_line(json *j)
{
    add(j, "\n");
    for (int i = 0; i < j->depth; i++)
        add(j, "  ");
}

static void start_item(json *j, const char *key)
{
    if (j->has_items)
        add(j, ",");
    if (j->depth)
        start_line(j);
    if (key) {
        zm_text_add_quoted(&j->text, key);
        add(j, ": ");
    }
    j->has_items = true;
}

void json_open(json *j, const char *key, char bracket)
{
    start_item(j, key);
    zm_text_add_bytes(&j->text, &bracket, 1);
    j->depth++;
    j->has_items = false;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (j->has_items)
        start_line(j);
    zm_text_add_bytes(&j->text, &bracket, 1);
    j->has_items = true;
}

void json_text(json *j, const char *key, const char *value)
{
    start_item(j, key);
    zm_text_add_quoted(&j->text, value);
}

void json_int(json *j, const char *key, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)value);
    start_item(j, key);
    add(j, text);
}

void json_number(json *j, const char *key, double value)
{
    char text[40];
    int digits = 15;

    do /* the shortest text that reads back as the same number */
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (digits++ < 17 && strtod(text, NULL) != value);
    start_item(j, key);
    add(j, isfinite(value) ? text : "null");
}

void json_bool(json *j, const char *key, bool value)
{
    start_item(j, key);
    add(j, value ? "true" : "false");
}

int json_save(json *j, const char *option, const char *path)
{
    int code;

    add(j, "\n");
    code = save_text(&j->text, option, path);
    json_free(j);
    return code;
}

void json_free(json *j)
{
    zm_text_free(&j->text);
    *j = (json){ 0 };
}
