/* SPDX-License-Identifier: Apache-2.0
 * Results do not depend on units: for every engine and option, with G times 4^k, b times 2^k
 * and the spacing times 2^j, times, derivatives, paths, flow, labels and residuals are those of
 * before times a power of two, to the bit, over the whole range of numbers; what is out of it is
 * refused. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/outcome.h"
#include "support/random_media.h"

static const medium_limits mild = { 3, 0.5, 4, 0, 300 },
                           near_the_eight = { 2, 0.3, 4, 0.2, 300 },
                           strong = { 300, 0.9, 1e3, 0.2, 200 };

/* Powers of two of the slowness and of the spacing.  For float64 slownesses from 2^-505 to
 * 2^505 and times from 2^-900 to 2^900; for float32 2^-50 to 2^50, and 2^-85 to 2^100. */
typedef struct shift {
    int metric, spacing;
} shift;

static const shift of_f64[] = { { 20, 0 },     { -20, 0 },    { 70, 0 },
                                { -66, 0 },    { 166, 0 },    { -110, 0 },
                                { 220, 0 },    { 480, 0 },    { -480, 0 },
                                { 0, 300 },    { 0, -300 },   { 400, -250 },
                                { -400, 250 }, { -300, 400 }, { 300, -400 },
                                { 450, 400 },  { -450, -400 } };
static const shift of_f32[] = { { 20, 0 },   { -20, 0 }, { 45, 0 },  { -45, 0 },
                                { 0, 60 },   { 0, -60 }, { 40, 40 }, { -40, -40 },
                                { 45, -30 }, { -45, 30 } };

/* Times, or derivatives with respect to the metric, that are no numbers of the type. */
static const shift beyond_f64[] = { { 500, 600 }, { -500, -600 }, { 0, 1005 },
                                    { 0, -1010 }, { -400, 700 },  { 400, -700 } };
static const shift beyond_f32[] = { { 45, 75 },  { -45, -70 }, { 0, 120 },
                                    { 0, -120 }, { -45, 75 },  { 45, -75 } };

static void check_medium(test_run *t, const variant *v, const test_case *c)
{
    const shift *shifts = v->dtype == ZM_F32 ? of_f32 : of_f64;
    const size_t n = v->dtype == ZM_F32 ? sizeof of_f32 / sizeof *of_f32
                                        : sizeof of_f64 / sizeof *of_f64;
    outcome here = outcome_of(v, c, 1, true);

    CHECK_MSG(here.status >= 0, "%s: %s", v->name, here.err.text);
    for (size_t i = 0; i < n; i++) {
        test_case there = case_in_units(c, shifts[i].metric, shifts[i].spacing);
        outcome o =
            outcome_of(v, &there, ldexp(1, shifts[i].metric + shifts[i].spacing), true);
        char text[300];

        outcome_compare_units(&here, &o, shifts[i].metric, shifts[i].spacing, v, text,
                              sizeof text);
        CHECK_MSG(!text[0], "%s, slowness 2^%d, spacing 2^%d: %s", v->name,
                  shifts[i].metric, shifts[i].spacing, text);
        outcome_free(&o);
        case_free(&there);
    }
    outcome_free(&here);
}

static void check_media(test_run *t, const medium_limits *limits, bool between)
{
    for (size_t k = 0; k < n_variants; k++) {
        random_medium m;
        uint64_t seed = 40 + k;

        if (variants[k].threads > 1 || /* the order of visits is not the same again */
            variants[k].order > 2)     /* needs what the eight neighbours suffice for */
            continue;
        do
            m = medium_draw(seed += 100, limits);
        while (m.c.n < 60 && (medium_free(&m), true));
        if (variants[k].dtype == ZM_F32)
            case_round_to_f32(&m.c);
        if (between && variants[k].stencils == ZM_STENCILS_ADAPTIVE &&
            !variants[k].timed)
            case_add_source_at(&m.c, m.c.grid.rows > 1 ? 0.25 : 0,
                               (m.c.grid.cols - 1) / 2.0, 0.5);
        check_medium(t, &variants[k], &m.c);
        medium_free(&m);
    }
}

/* Never a wrong number with status 0. */
TEST(units_that_numbers_cannot_hold_are_refused)
{
    for (size_t k = 0; k < n_variants; k++) {
        const bool is_f32 = variants[k].dtype == ZM_F32;
        random_medium m = medium_draw(5, &mild);

        for (size_t i = 0; i < sizeof beyond_f64 / sizeof *beyond_f64; i++) {
            const shift by = (is_f32 ? beyond_f32 : beyond_f64)[i];
            test_case there = case_in_units(&m.c, by.metric, by.spacing);
            outcome o = outcome_of(&variants[k], &there,
                                   ldexp(1, by.metric + by.spacing), true);

            CHECK_MSG(o.status == ZM_E_METRIC || o.status == ZM_E_UNSUPPORTED ||
                          o.status == ZM_E_ARG || o.status == ZM_E_SOURCE,
                      "%s, slowness 2^%d, spacing 2^%d: status %d", variants[k].name,
                      by.metric, by.spacing, (int)o.status);
            outcome_free(&o);
            case_free(&there);
        }
        medium_free(&m);
    }
}

TEST(results_scale_to_the_bit_with_the_units_on_refined_blocks)
{
    int looked_at = 0;

    for (size_t k = 0; k < n_variants; k++)
        for (uint64_t seed = 1; seed < 9; seed++) {
            random_medium m;
            outcome o;

            if (variants[k].threads > 1 || variants[k].order < 2 ||
                !variants[k].factored)
                continue;
            m = medium_draw(seed, &near_the_eight);
            if (variants[k].dtype == ZM_F32)
                case_round_to_f32(&m.c);
            o = outcome_of(&variants[k], &m.c, 1, false);
            if (o.status == ZM_OK && o.report.method == ZM_SOLVED_BY_REFINED_BLOCKS) {
                check_medium(t, &variants[k], &m.c);
                looked_at++;
            }
            outcome_free(&o);
            medium_free(&m);
        }
    CHECK_MSG(looked_at >= 30, "%d media", looked_at);
}

TEST(results_scale_to_the_bit_with_the_units_in_mild_media)
{
    check_media(t, &mild, true);
}

TEST(results_scale_to_the_bit_with_the_units_in_strong_media)
{
    check_media(t, &strong, false);
}
