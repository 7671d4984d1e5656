/* SPDX-License-Identifier: Apache-2.0
 * Tick selection and number writing. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "plot/ticks.h"

static int numbered(const tick_set *ticks)
{
    int n = 0;

    for (int i = 0; i < ticks->n; i++)
        n += ticks->at[i].text[0] != '\0';
    return n;
}

/* A random range of a random size anywhere in the numbers an axis may meet. */
static void random_range(uint64_t *state, zm_plot_scale scale, double *lo, double *hi)
{
    const double size = pow(10, 40 * zm_random_unit(state) - 20);

    *lo = size * zm_random_normal(state);
    *hi = *lo + size * pow(10, 6 * zm_random_unit(state) - 3) * zm_random_unit(state);
    if (scale == ZM_SCALE_LOG) {
        *lo = fabs(*lo) + 1e-280;
        *hi = *lo * pow(10, 30 * zm_random_unit(state));
    }
    ticks_make_range(scale, lo, hi);
}

/* Multiples of 1, 2 or 5 times a power of ten have a first digit (of the step) 1, 2 or 5,
 * differ by the step, and lie inside; with n at most and a step ratio of at most 2.5, at
 * least n/2.5 - 1 of them fit. */
TEST(linear_ticks_are_round_inside_and_neither_few_nor_many)
{
    uint64_t state = t->seed;

    for (int k = 0; k < 2000; k++) {
        const int most = 2 + (int)zm_random_below(&state, 10);
        double lo, hi, step, digit;
        static tick_set ticks;

        random_range(&state, ZM_SCALE_LINEAR, &lo, &hi);
        ticks_make(ZM_SCALE_LINEAR, lo, hi, most, &ticks);
        step = ticks_step(lo, hi, most);
        digit = step / pow(10, floor(log10(step * 1.0000001)));
        CHECK_MSG(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 ||
                      fabs(digit - 5) < 1e-6,
                  "step %g", step);
        CHECK_MSG(ticks.n <= most && ticks.n >= (int)(most / 2.5) - 1,
                  "%d of %d in %g .. %g", ticks.n, most, lo, hi);
        for (int i = 0; i < ticks.n; i++) {
            const double value = ticks.at[i].value, multiple = value / step;

            CHECK(value >= lo - 1e-8 * step && value <= hi + 1e-8 * step);
            CHECK_NEAR(multiple, round(multiple), 1e-6);
        }
    }
}

/* Two ticks with the same text would tell the reader nothing. */
TEST(neighbouring_tick_numbers_differ)
{
    uint64_t state = t->seed;

    for (int k = 0; k < 2000; k++) {
        const zm_plot_scale scale = k % 2 ? ZM_SCALE_LOG : ZM_SCALE_LINEAR;
        const char *last = "";
        static tick_set ticks;
        double lo, hi;

        random_range(&state, scale, &lo, &hi);
        ticks_make(scale, lo, hi, 7, &ticks);
        for (int i = 0; i < ticks.n; i++)
            if (ticks.at[i].text[0]) {
                CHECK_MSG(strcmp(last, ticks.at[i].text),
                          "'%s' twice in %.17g .. %.17g", last, lo, hi);
                last = ticks.at[i].text;
            }
    }
}

TEST(log_ticks_have_two_numbers_and_at_most_what_was_asked)
{
    uint64_t state = t->seed;

    for (int k = 0; k < 2000; k++) {
        const int most = 3 + (int)zm_random_below(&state, 8);
        static tick_set ticks;
        double lo, hi;

        random_range(&state, ZM_SCALE_LOG, &lo, &hi);
        ticks_make(ZM_SCALE_LOG, lo, hi, most, &ticks);
        CHECK_MSG(numbered(&ticks) <= most, "%d of %d in %g .. %g", numbered(&ticks),
                  most, lo, hi);
        if (hi > 1.5 * lo)
            CHECK_MSG(numbered(&ticks) >= 2, "%d numbers in %g .. %g", numbered(&ticks),
                      lo, hi);
        for (int i = 0; i < ticks.n; i++)
            CHECK(ticks.at[i].value >= lo * 0.999999 &&
                  ticks.at[i].value <= hi * 1.000001);
    }
}

static void check_texts(test_run *t, zm_plot_scale scale, double lo, double hi,
                        int most, const char *expected)
{
    static tick_set ticks;
    char all[400] = "";

    ticks_make(scale, lo, hi, most, &ticks);
    for (int i = 0; i < ticks.n; i++)
        if (ticks.at[i].text[0])
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                     all[0] ? "|" : "", ticks.at[i].text);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
             ticks.factor[0] ? " " : "", ticks.factor);
    CHECK_MSG(!strcmp(all, expected), "'%s', not '%s'", all, expected);
}

TEST(numbers_are_written_as_in_print)
{
    check_texts(t, ZM_SCALE_LINEAR, 0, 1, 6, "0.0|0.2|0.4|0.6|0.8|1.0");
    check_texts(t, ZM_SCALE_LINEAR, -20, 20, 5, "−20|−10|0|10|20");
    check_texts(t, ZM_SCALE_LINEAR, 0, 40000, 5,
                "0|10\u2009000|20\u2009000|30\u2009000|40\u2009000");
    check_texts(t, ZM_SCALE_LINEAR, 0, 2000, 5, "0|500|1000|1500|2000");
    check_texts(t, ZM_SCALE_LINEAR, 0, 4e-5, 5, "0|1|2|3|4 ×10⁻⁵");
    check_texts(t, ZM_SCALE_LINEAR, 0, 3e7, 4, "0|1|2|3 ×10⁷");
    check_texts(t, ZM_SCALE_LINEAR, 1e6, 1000003, 4,
                "0|1|2|3 + \u20091\u2009000\u2009000");
    check_texts(t, ZM_SCALE_LOG, 0.01, 100, 6, "0.01|0.1|1|10|100");
    check_texts(t, ZM_SCALE_LOG, 1e-9, 1e-5, 6, "10⁻⁹|10⁻⁸|10⁻⁷|10⁻⁶|10⁻⁵");
    check_texts(t, ZM_SCALE_LOG, 1, 20, 6, "1|2|5|10|20");
    check_texts(t, ZM_SCALE_LOG, 3, 6, 4, "3|4|5|6");
}

TEST(a_single_number_shows_its_resolution)
{
    char text[TICK_TEXT];

    ticks_format(2.5, 0.5, text);
    CHECK(!strcmp(text, "2.5"));
    ticks_format(-30, 10, text);
    CHECK(!strcmp(text, "−30"));
    ticks_format(0, 1e-4, text);
    CHECK(!strcmp(text, "0"));
    ticks_format(2e-5, 1e-5, text);
    CHECK(!strcmp(text, "2×10⁻⁵"));
    ticks_format(-INFINITY, 1, text);
    CHECK(!strcmp(text, "−∞"));
}

/* Constant, upside-down, infinite, NaN, tiny and huge ends must all leave a finite range
 * of some width, or ticks would divide by zero or run forever. */
TEST(every_range_becomes_one_that_can_be_divided)
{
    static const double ends[] = { 0,         1,      -1,      1e300,     -1e308,
                                   1e308,     1e-320, -1e-300, 12345.678, INFINITY,
                                   -INFINITY, NAN,    1.7e308 };
    enum { N = sizeof ends / sizeof *ends };

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int scale = 0; scale < 2; scale++) {
                double lo = ends[i], hi = ends[j];
                static tick_set ticks;

                ticks_make_range((zm_plot_scale)scale, &lo, &hi);
                CHECK_MSG(isfinite(lo) && isfinite(hi) && lo < hi && isfinite(hi - lo),
                          "%g .. %g became %g .. %g", ends[i], ends[j], lo, hi);
                CHECK(!scale || lo > 0);
                ticks_make((zm_plot_scale)scale, lo, hi, 6, &ticks);
                CHECK_MSG(ticks.n >= 1, "no ticks in %g .. %g", lo, hi);
            }
}

TEST(short_numbers_have_three_digits_and_no_idle_zeros)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = { { 0.84, "0.84" },
                  { 0.1, "0.1" },
                  { 0, "0" },
                  { 12, "12" },
                  { 1234, "1230" },
                  { 0.99951, "1" },
                  { 3.14159, "3.14" },
                  { -2.5, "\xe2\x88\x92"
                          "2.5" },
                  { 98765, "98\xe2\x80\x89"
                           "800" },
                  { 3e-5, "3\xc3\x97"
                          "10\xe2\x81\xbb\xe2\x81\xb5" },
                  { 1.5e7, "1.5\xc3\x97"
                           "10\xe2\x81\xb7" },
                  { INFINITY, "\xe2\x88\x9e" } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TICK_TEXT];

        ticks_format_digits(cases[i].value, 3, text);
        CHECK_MSG(!strcmp(text, cases[i].text), "%g: %s", cases[i].value, text);
    }
}

TEST(the_round_number_below_is_1_2_or_5_times_a_power_of_ten)
{
    static const double cases[][2] = { { 1, 1 },       { 1.99, 1 },  { 2, 2 },
                                       { 4.9, 2 },     { 9.99, 5 },  { 0.0123, 0.01 },
                                       { 0.05, 0.05 }, { 777, 500 }, { 1e-9, 1e-9 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_NEAR(ticks_round_below(cases[i][0]) / cases[i][1], 1, 1e-12);
}

/* Numbers that were asked for are those that are written: 1024 is not 1020. */
TEST(given_ticks_are_kept_in_order_and_written_as_they_are)
{
    const double values[] = { 1024, 0.1, 25, 5000, 512, -3, 0.3 };
    const char *texts[] = { "0.1", "0.3", "25", "512", "1024" };
    tick_set ticks;

    ticks_at(values, 7, 0.1, 2000, &ticks);
    CHECK(ticks.n == 5 && ticks.factor[0] == '\0');
    for (int i = 0; i < 5; i++)
        CHECK_MSG(!strcmp(ticks.at[i].text, texts[i]), "%s", ticks.at[i].text);
}
