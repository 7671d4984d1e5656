/* SPDX-License-Identifier: Apache-2.0
 * results.json: every number of every experiment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/message.h"
#include "report.h"
#include "common/value.h"

static const char *better_name(better_is better)
{
    static const char *const names[] = { "neither", "lower", "higher", "equal" };

    return names[better];
}

const char *verdict_name(verdict v)
{
    static const char *const names[] = { "", "better", "same", "worse" };

    return names[v];
}

static void add_row(json *j, const outcome *o, const outcome_row *row)
{
    json_open(j, NULL, '{');
    json_text(j, "experiment", o->what->name);
    json_text(j, "reference", row->reference);
    json_text(j, "quantity", row->quantity);
    json_text(j, "unit", row->unit);
    json_number(j, "paper", row->paper);
    json_number(j, "ours", row->ours);
    json_text(j, "better", better_name(row->better));
    json_text(j, "verdict", verdict_name(outcome_verdict(row)));
    json_number(j, "seconds", row->seconds);
    json_close(j, '}');
}

char *report_path(const run_settings *settings, const char *name)
{
    const size_t room = strlen(settings->directory) + strlen(name) + 2;
    char *path = grow(NULL, room, 1);

    snprintf(path, room, "%s/%s", settings->directory, name);
    return path;
}

int report_write_json(const outcome *found, size_t n, const run_settings *settings)
{
    char *path = report_path(settings, "results.json");
    json j = { 0 };
    int code;

    json_open(&j, NULL, '[');
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < found[i].n_rows; k++)
            add_row(&j, &found[i], &found[i].rows[k]);
    json_close(&j, ']');
    code = json_save(&j, "", path);
    free(path);
    return code;
}
