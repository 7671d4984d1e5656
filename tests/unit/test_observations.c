/* SPDX-License-Identifier: Apache-2.0
 * Tables of observations: every spelling of a table reads to the same numbers, and
 * everything else is refused with a message that names file, line and column. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/comma.h"
#include "zermelo/observations.h"

static zm_status parse(const char *text, zm_observations *out, zm_error *err)
{
    return zm_observations_parse(text, strlen(text), "t.csv", out, err);
}

static void check_two_lines(test_run *t, const char *text)
{
    zm_observations table = { 0 };
    zm_error err = { ZM_OK, -1, "" };

    CHECK_MSG(parse(text, &table, &err) == ZM_OK, "%s: %s", text, err.text);
    CHECK(table.n == 2 && table.has_experiment && table.has_sigma && table.has_upper);
    if (table.n == 2) {
        const zm_observation *o = table.items;

        CHECK(o[0].experiment == 1 && o[0].row == 12 && o[0].col == 40);
        CHECK(o[0].time == 3.25 && o[0].upper == 3.25 && o[0].sigma == 0.125);
        CHECK(o[1].experiment == 0 && o[1].row == 0 && o[1].col == 2147483647);
        CHECK(o[1].time == -0.5 && o[1].upper == INFINITY && isnan(o[1].sigma));
        CHECK(o[0].line < o[1].line);
    }
    zm_observations_free(&table);
}

TEST(order_case_blanks_quotes_comments_and_line_ends_do_not_matter)
{
    check_two_lines(t, "experiment,row,col,time,sigma,time_upper\n"
                       "1,12,40,3.25,0.125,\n0,0,2147483647,-0.5,,inf\n");
    check_two_lines(t, "Time_Upper, SIGMA,col , Row,TIME,Experiment\n"
                       ",.125,40,12,325e-2,1\n  inf ,,2147483647,0.0,-5e-1,0");
    check_two_lines(
        t, "\xEF\xBB\xBF# by hand\r\n\r\n"
           "\"experiment\",\"row\",\"col\",\"time\",\"sigma\",\"time_upper\"\r\n"
           "\r\n1,12,40,+3.25,\"0.125\",\"\"\r\n  # half\r\n"
           "0,0,2147483647,-.5,\t,+Inf\r\n\r\n");
}

TEST(places_may_lie_between_cells)
{
    zm_observations table = { 0 };
    zm_error err;

    CHECK(parse("row,col,time\n1.25,0.5,7\n", &table, &err) == ZM_OK);
    CHECK(table.n == 1 && table.items[0].row == 1.25 && table.items[0].col == 0.5);
    zm_observations_free(&table);
}

TEST(columns_that_may_be_missing_have_their_defaults)
{
    zm_observations table = { 0 };
    zm_error err;

    CHECK(parse("time,col,row\n7,2,1\n", &table, &err) == ZM_OK);
    CHECK(!table.has_experiment && !table.has_sigma && !table.has_upper);
    CHECK(table.n == 1 && table.items[0].experiment == 0 && table.items[0].upper == 7);
    CHECK(table.n == 1 && isnan(table.items[0].sigma) && table.items[0].line == 2);
    zm_observations_free(&table);
    CHECK(!table.items && table.n == 0);
    zm_observations_free(NULL);
}

TEST(mistakes_are_named_with_file_line_and_column)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "t.csv: empty; the first line must name the columns: experiment, row" },
        { "\n# nothing\n", "t.csv: empty" },
        { "row,col,time\n", "t.csv: a header and no observations" },
        { "0,1,2,3\n", "t.csv, line 1: unknown column '0'; the first line names" },
        { "\nrow;col;time\n", "t.csv, line 2: unknown column 'row;col;time'" },
        { "row,col,time,sgima\n", "unknown column 'sgima'" },
        { "row,col,time,\n", "unknown column ''" },
        { "row,col,time,Row\n", "t.csv, line 1: column row is there twice" },
        { "row,col\n", "t.csv, line 1: no column time; needed are row, col and time" },
        { "row,col,time\n1,2\n",
          "t.csv, line 2: 2 values, must be 3 as in the header" },
        { "row,col,time\n1,2,3,4\n", "line 2: 4 values, must be 3" },
        { "row,col,time\n\n1,2,abc\n", "line 3, column time: 'abc', must be a number" },
        { "row,col,time\n1,2,\n", "line 2, column time: '', must be a number" },
        { "row,col,time\n1,2,nan\n", "line 2, column time: 'nan', must be a number" },
        { "row,col,time\n1,2,inf\n", "column time: 'inf', must be finite" },
        { "row,col,time\n1,2,1e999\n", "column time: '1e999', must be a number" },
        { "row,col,time\n1,2,0x10\n", "column time: '0x10', must be a number" },
        { "row,col,time\n-1,2,3\n",
          "column row: '-1', must be a number from 0 on" },
        { "row,col,time\n1,inf,3\n", "column col: 'inf', must be a number from 0 on" },
        { "row,col,time,experiment\n1,2,3,2147483648\n",
          "column experiment: '2147483648', must be a whole" },
        { "row,col,time,experiment\n1,2,3,0.5\n", "column experiment: '0.5', must be" },
        { "row,col,time,experiment\n1,2,3,-1\n", "column experiment: '-1', must be" },
        { "row,col,time,sigma\n1,2,3,0\n", "column sigma: '0', must be > 0" },
        { "row,col,time,sigma\n1,2,3,inf\n", "column sigma: 'inf', must be > 0" },
        { "row,col,time,time_upper\n1,2,3,2.5\n",
          "line 2, column time_upper: 2.5, must be at least time, 3" },
        { "row,col,time\n1,2,\x1b[31m\n", "column time: '?[31m', must be" },
        { "\x93NUMPY...", "t.csv: an NPY array, must be a table of text" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zm_observations table = { .n = 77 };
        zm_error err = { ZM_OK, 0, "" };

        CHECK(parse(cases[i].text, &table, &err) == ZM_E_FORMAT);
        CHECK_MSG(strstr(err.text, cases[i].says), "'%s' lacks '%s'", err.text,
                  cases[i].says);
        CHECK(table.n == 77 && err.cell == -1);
    }
}

TEST(long_names_and_values_leave_room_for_the_reason)
{
    char name[400], text[400] = "row,col,time\n1,2,";
    zm_observations table;
    zm_error err;

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memset(text + strlen(text), '9', 300);
    CHECK(zm_observations_parse(text, strlen(text), name, &table, &err) == ZM_E_FORMAT);
    CHECK_MSG(strstr(err.text, "must be a number"), "%s", err.text);
}

TEST(nothing_to_read_is_an_error)
{
    zm_observations table;
    zm_error err;

    CHECK(zm_observations_parse(NULL, 1, "x", &table, &err) == ZM_E_ARG);
    CHECK(zm_observations_parse("", 0, "x", NULL, &err) == ZM_E_ARG);
    CHECK(zm_observations_parse(NULL, 0, NULL, &table, &err) == ZM_E_FORMAT);
    CHECK(zm_observations_read(NULL, &table, &err) == ZM_E_ARG);
    CHECK(zm_observations_read("/no/such/file.csv", &table, &err) == ZM_E_IO);
    CHECK(strstr(err.text, "/no/such/file.csv: No such file") != NULL);
}

TEST(the_locale_does_not_matter)
{
    zm_observations table = { 0 };

    if (!comma_begin(t))
        return;
    CHECK(parse("row,col,time\n1,2,3.25\n", &table, NULL) == ZM_OK);
    CHECK(table.n == 1 && table.items[0].time == 3.25);
    CHECK(strtod("3,25", NULL) == 3.25); /* and it is left as it was */
    zm_observations_free(&table);
    comma_end();
}
