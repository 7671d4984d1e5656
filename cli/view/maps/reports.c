/* SPDX-License-Identifier: Apache-2.0
 * The history of an inversion from its report, as a table of the page. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "core/file.h"
#include "view/view.h"

/* Numbers of a list of objects: what is none, or not there, is shown empty. */
static int add_table(building *b, const char *title, const json_t *list, const char *const *columns,
                     size_t n_columns)
{
    const size_t rows = json_array_size(list);
    double *values;
    zm_error err;
    int code;

    if (!rows)
        return DONE;
    values = grow(NULL, rows * n_columns, sizeof *values);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < n_columns; c++) {
            const json_t *cell = json_object_get(json_array_get(list, r), columns[c]);

            values[r * n_columns + c] = json_is_number(cell) ? json_number_value(cell) : (double)NAN;
        }
    code = checked(zm_view_add_table(b->page, title, columns, n_columns, values, rows, &err), &err);
    free(values);
    return code;
}

static int add_report(building *b, const char *path)
{
    static const char *const history[] = { "iteration", "stage", "solves", "chi2", "misfit",
                                           "lambda",    "eps",   "objective", "step" };
    static const char *const lcurve[] = { "lambda", "chi2", "misfit", "regulariser", "solves" };
    json_error_t why;
    json_t *top = NULL;
    char *text;
    size_t n;
    zm_error err;
    int code;

    if (zm_file_read(path, ZM_FILE_TEXT, &text, &n, &err) < 0)
        return failure("cannot read %s", err.text);
    top = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    if (!top)
        GO(failure("%s, line %d: no JSON: %s", path, why.line, why.text));
    if (!json_is_array(json_object_get(top, "history")))
        GO(failure("%s is no report of zermelo invert --json: it has no history", path));
    GO(add_table(b, "iterations", json_object_get(top, "history"), history,
                 sizeof history / sizeof *history));
    GO(add_table(b, "L-curve", json_object_get(top, "lcurve"), lcurve,
                 sizeof lcurve / sizeof *lcurve));
    note("%s: history of an inversion", printable(path).text);
done:
    json_decref(top);
    free(text);
    return code;
}

int add_reports(building *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->inputs[i].kind == INPUT_REPORT)
            TRY(add_report(b, b->inputs[i].path));
    return DONE;
}
