/* SPDX-License-Identifier: Apache-2.0
 * Round numbers for axes, colour bars and isochrones, and how they are written. */
#include "plot/ticks.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these, differences and products of ends overflow or lose their digits. */
static const double largest = 1e300, smallest = 1e-290;
/* Ends closer than this, relative to their size, leave too few digits to divide. */
static const double thinnest = 1e-10;
/* A tick this close outside an end, in steps, counts as on it: rounding. */
static const double tick_slack = 1e-9;

#define MINUS_SIGN "\xe2\x88\x92"
#define THIN_SPACE "\xe2\x80\x89"
#define TIMES_SIGN "\xc3\x97"

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static void sort_ends(double *lo, double *hi)
{
    const double smaller = fmin(*lo, *hi);

    *hi = fmax(*lo, *hi);
    *lo = smaller;
}

static void make_log_range(double *lo, double *hi)
{
    *hi = *hi > 0 ? clamp(*hi, smallest, largest) : 1;
    *lo = *lo > 0 ? clamp(*lo, smallest, largest) : *hi / 10;
    sort_ends(lo, hi);
    if (!(*hi > *lo * (1 + thinnest))) {
        const double middle = *lo;

        *lo = middle / 2;
        *hi = middle * 2;
    }
}

void zm_plot_ticks_make_range(zm_plot_scale scale, double *lo, double *hi)
{
    double size;

    if (scale == ZM_SCALE_LOG) {
        make_log_range(lo, hi);
        return;
    }
    *lo = isnan(*lo) ? 0 : clamp(*lo, -largest, largest);
    *hi = isnan(*hi) ? 0 : clamp(*hi, -largest, largest);
    sort_ends(lo, hi);
    size = fmax(fabs(*lo), fabs(*hi));
    if (!(*hi - *lo > thinnest * size) || *hi - *lo < smallest) {
        const double room = size == 0 ? 1 : fmax(0.05 * size, smallest);

        *lo -= room;
        *hi += room;
    }
}

/* A step m * 10^e with m in {1, 2, 5}. */
typedef struct round_step {
    int m, e;
} round_step;

static double power_of_ten(int e)
{
    return e >= 0 ? pow(10, e) : 1 / pow(10, -e);
}

/* i * m * 10^e with one rounding, as the number would be written. */
static double multiple(round_step s, int64_t i)
{
    return s.e >= 0 ? (double)(i * s.m) * pow(10, s.e)
                    : (double)(i * s.m) / pow(10, -s.e);
}

static round_step next_step(round_step s)
{
    if (s.m == 5)
        return (round_step){ 1, s.e + 1 };
    return (round_step){ s.m == 1 ? 2 : 5, s.e };
}

static int64_t first_multiple(round_step s, double lo)
{
    return (int64_t)ceil(lo / (s.m * power_of_ten(s.e)) - tick_slack);
}

static int64_t last_multiple(round_step s, double hi)
{
    return (int64_t)floor(hi / (s.m * power_of_ten(s.e)) + tick_slack);
}

static round_step choose_step(double lo, double hi, int most)
{
    round_step s = { 1, (int)floor(log10((hi - lo) / most)) - 1 };

    while (last_multiple(s, hi) - first_multiple(s, lo) + 1 > most)
        s = next_step(s);
    return s;
}

double zm_plot_ticks_step(double lo, double hi, int most)
{
    const round_step s = choose_step(lo, hi, most);

    return multiple(s, 1);
}

double zm_plot_ticks_round_below(double value)
{
    round_step s = { 1, (int)floor(log10(value)) - 1 };

    while (multiple(next_step(s), 1) <= value)
        s = next_step(s);
    return multiple(s, 1);
}

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text + used, size - used, format, args); /* cut where it is too long */
    va_end(args);
}

/* Fixed-point text with a real minus sign, a point whatever the locale says, and thin
 * spaces between thousands from five digits on. */
static void format_fixed(double value, int decimals, char *text, size_t size)
{
    char raw[TICK_TEXT * 10];
    const char *digit = raw;
    size_t whole;

    (void)snprintf(raw, sizeof raw, "%.*f", decimals, fabs(value));
    whole = strspn(raw, "0123456789");
    text[0] = '\0';
    if (value < 0 && strspn(raw, "0.,") < strlen(raw))
        append(text, size, MINUS_SIGN);
    for (size_t left = whole; left > 0; left--, digit++)
        append(text, size, "%c%s", *digit,
               whole > 4 && left > 1 && left % 3 == 1 ? THIN_SPACE : "");
    if (decimals > 0)
        append(text, size, ".%s", raw + strlen(raw) - decimals);
}

static void append_superscript(char *text, size_t size, int number)
{
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9",
    };
    char raw[16];

    (void)snprintf(raw, sizeof raw, "%d", number);
    for (const char *c = raw; *c; c++)
        append(text, size, "%s", *c == '-' ? "\xe2\x81\xbb" : digits[*c - '0']);
}

static void append_power(char *text, size_t size, int exponent)
{
    append(text, size, "10");
    append_superscript(text, size, exponent);
}

static int exponent_of(double value)
{
    return value == 0 ? 0 : (int)floor(log10(fabs(value)) + 1e-12);
}

/* Numbers outside of 10^-3 .. 10^6 are written with a power of ten. */
static bool needs_power(int exponent)
{
    return exponent >= 6 || exponent < -3;
}

/* Writes (ticks - base) / 10^shift, with the decimals the step needs, and says so. */
static void label_linear(tick_set *out, round_step s, double base)
{
    const double first = out->at[0].value - base,
                 last = out->at[out->n - 1].value - base;
    const int size = exponent_of(fmax(fabs(first), fabs(last)));
    const int shift = needs_power(size) ? size : 0;
    const int decimals = shift - s.e > 0 ? shift - s.e : 0;

    for (int i = 0; i < out->n; i++)
        format_fixed((out->at[i].value - base) / power_of_ten(shift), decimals,
                     out->at[i].text, sizeof out->at[i].text);
    if (shift) {
        append(out->factor, sizeof out->factor, TIMES_SIGN);
        append_power(out->factor, sizeof out->factor, shift);
    }
}

/* Digits that all numbers share: a multiple of a power of ten above their range. */
typedef struct shared_digits {
    double value;
    int exponent; /* of that power */
} shared_digits;

/* Where numbers would have more than six digits, the shared ones are written once. */
static shared_digits share_digits(const tick_set *ticks, round_step s)
{
    enum { MOST_DIGITS = 6 };
    const double first = ticks->at[0].value, last = ticks->at[ticks->n - 1].value;
    const int exponent = exponent_of(last - first) + 1;
    const double unit = power_of_ten(exponent);

    if (exponent_of(fmax(fabs(first), fabs(last))) - s.e < MOST_DIGITS)
        return (shared_digits){ 0, 0 };
    return (shared_digits){ round(0.5 * (first / unit + last / unit)) * unit,
                            exponent };
}

static void append_shared(tick_set *out, shared_digits shared)
{
    char text[TICK_TEXT];

    if (shared.value == 0)
        return;
    if (exponent_of(shared.value) < 15) /* digits a double can tell */
        format_fixed(fabs(shared.value), shared.exponent < 0 ? -shared.exponent : 0,
                     text, sizeof text);
    else
        zm_plot_ticks_format(fabs(shared.value), power_of_ten(shared.exponent), text);
    append(out->factor, sizeof out->factor, "%s%s " THIN_SPACE "%s",
           out->factor[0] ? " " : "", shared.value < 0 ? MINUS_SIGN : "+", text);
}

static void make_linear(double lo, double hi, int most, tick_set *out)
{
    const round_step s = choose_step(lo, hi, most);
    const int64_t last = last_multiple(s, hi);
    shared_digits shared;

    for (int64_t i = first_multiple(s, lo); i <= last; i++)
        out->at[out->n++].value = multiple(s, i);
    if (out->n == 0)
        return;
    shared = share_digits(out, s);
    label_linear(out, s, shared.value);
    append_shared(out, shared);
}

static void format_log(double value, int m, int e, bool plain, char text[TICK_TEXT])
{
    text[0] = '\0';
    if (plain) {
        format_fixed(value, e < 0 ? -e : 0, text, TICK_TEXT);
        return;
    }
    if (m != 1)
        append(text, TICK_TEXT, "%d" TIMES_SIGN, m);
    append_power(text, TICK_TEXT, e);
}

/* Which of m * 10^e get a number, and which a tick at all. */
typedef struct log_plan {
    int stride;        /* numbered decades */
    bool one_two_five; /* numbers also at 2 and 5 */
    bool decades;      /* ticks at all decades */
    bool minor;        /* ticks at 2 .. 9 */
} log_plan;

static log_plan plan_log(int decades, int most, bool one_two_five)
{
    log_plan plan = { .stride = 1, .one_two_five = one_two_five };

    while ((decades + plan.stride - 1) / plan.stride > most)
        plan.stride++;
    plan.decades = decades <= 50;
    plan.minor = plan.stride == 1 && decades <= 14;
    return plan;
}

static bool has_number(log_plan plan, int m, int e)
{
    if (plan.one_two_five)
        return m == 1 || m == 2 || m == 5;
    return m == 1 && e % plan.stride == 0;
}

static bool has_tick(log_plan plan, int m, int e)
{
    return has_number(plan, m, e) || (m == 1 ? plan.decades : plan.minor);
}

static int numbered(const tick_set *ticks)
{
    int n = 0;

    for (int i = 0; i < ticks->n; i++)
        n += ticks->at[i].text[0] != '\0';
    return n;
}

static void make_log(double lo, double hi, int most, bool one_two_five, tick_set *out)
{
    const double low = log10(lo), high = log10(hi);
    const int inside = (int)floor(high + tick_slack) - (int)ceil(low - tick_slack);
    const log_plan plan = plan_log(inside + 1, most, one_two_five);
    const bool plain = low >= -4 && high <= 5;

    *out = (tick_set){ 0 };
    for (int e = (int)floor(low); e <= (int)ceil(high); e++)
        for (int m = 1; m <= 9 && out->n < MOST_TICKS; m++) {
            const double value = multiple((round_step){ m, e }, 1);
            tick *here = &out->at[out->n];

            if (!has_tick(plan, m, e) || value < lo * (1 - tick_slack) ||
                value > hi * (1 + tick_slack))
                continue;
            here->value = value;
            if (has_number(plan, m, e))
                format_log(value, m, e, plain, here->text);
            out->n++;
        }
}

void zm_plot_ticks_make(zm_plot_scale scale, double lo, double hi, int most,
                        tick_set *out)
{
    if (most < 2)
        most = 2;
    *out = (tick_set){ 0 };
    if (scale == ZM_SCALE_LOG) {
        if (hi / lo < 1e4) {
            make_log(lo, hi, most, true, out);
            if (numbered(out) >= 3 && numbered(out) <= most)
                return;
        }
        make_log(lo, hi, most, false, out);
        if (numbered(out) >= 2)
            return;
        *out = (tick_set){ 0 }; /* about a decade or less: as on a linear scale */
    }
    make_linear(lo, hi, most, out);
}

void zm_plot_ticks_format(double value, double resolution, char text[TICK_TEXT])
{
    int size, fine, shift;

    if (value == 0 || !isfinite(value)) {
        (void)snprintf(text, TICK_TEXT, "%s%s", value < 0 ? MINUS_SIGN : "",
                       value == 0     ? "0"
                       : isnan(value) ? "nan"
                                      : "\xe2\x88\x9e");
        return;
    }
    size = exponent_of(value);
    fine = exponent_of(resolution);
    shift = needs_power(size) && fine >= size - 6 ? size : 0;
    format_fixed(value / power_of_ten(shift),
                 shift > fine ? (int)fmin(shift - fine, 17) : 0, text, TICK_TEXT);
    if (shift) {
        append(text, TICK_TEXT, TIMES_SIGN);
        append_power(text, TICK_TEXT, shift);
    }
}

void zm_plot_ticks_format_digits(double value, int digits, char text[TICK_TEXT])
{
    const int e = isfinite(value) ? exponent_of(value) : 0, fine = e - digits + 1;
    const double unit = power_of_ten(fine), rounded = round(value / unit);
    int zeros = 0; /* at the end, of those that are not needed */

    if (!isfinite(value)) {
        zm_plot_ticks_format(value, 1, text);
        return;
    }
    while (zeros < digits && fmod(rounded, power_of_ten(zeros + 1)) == 0)
        zeros++;
    zm_plot_ticks_format(rounded * unit, power_of_ten(fine + zeros), text);
}

static int by_value(const void *a, const void *b)
{
    const double x = ((const tick *)a)->value, y = ((const tick *)b)->value;

    return (x > y) - (x < y);
}

enum { TICK_DIGITS = 9 }; /* as given, short of rounding errors */

void zm_plot_ticks_at(const double *values, size_t n, double lo, double hi,
                      tick_set *out)
{
    *out = (tick_set){ 0 };
    for (size_t i = 0; i < n && out->n < MOST_TICKS; i++) {
        tick *here = &out->at[out->n];

        if (!(values[i] >= lo && values[i] <= hi))
            continue;
        here->value = values[i];
        zm_plot_ticks_format_digits(values[i], TICK_DIGITS, here->text);
        out->n++;
    }
    qsort(out->at, (size_t)out->n, sizeof *out->at, by_value);
}
