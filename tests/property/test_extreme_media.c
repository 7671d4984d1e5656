/* SPDX-License-Identifier: Apache-2.0
 * What random media (tests/attack/media) brought to light, each with its medium. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/outcome.h"
#include "support/random_media.h"

static const medium_limits small = { 1e4, 0.99, 1e6, 0.4, 400 },
                           large = { 1e4, 0.99, 1e6, 0.4, 2500 },
                           mild = { 3, 0.3, 1e3, 0.4, 1200 };

static double time_at_source(const test_case *c, const double *T, size_t k)
{
    return T[(size_t)c->sources[k].row * (size_t)c->grid.cols +
             (size_t)c->sources[k].col];
}

static const char *const not_fixed[] = { "adaptive", "marching", "factored", "second",
                                         "second factored" };
enum { NOT_FIXED = sizeof not_fixed / sizeof *not_fixed };

/* T = min(start, update): also where by times of first order another front came before. */
TEST(no_source_is_later_than_its_start)
{
    random_medium m = medium_draw(1007700, &small);

    for (size_t k = 0; k < NOT_FIXED; k++) {
        outcome o = outcome_of(variant_named(not_fixed[k]), &m.c, 1, false);

        CHECK(o.status == ZM_OK);
        for (size_t i = 0; i < m.c.n_sources; i++)
            CHECK_MSG(time_at_source(&m.c, o.T, i) <= m.c.sources[i].time,
                      "%s: %.17g after %.17g", not_fixed[k],
                      time_at_source(&m.c, o.T, i), m.c.sources[i].time);
        outcome_free(&o);
    }
    medium_free(&m);
}

/* Times are counted from the earliest start inside, and 0.3 - 0.1 + 0.1 is not 0.3. */
TEST(sources_that_nothing_overtakes_have_their_time_to_the_last_bit)
{
    test_case c = case_create(9, 60);

    case_add_source(&c, 4, 3, 0.1);
    case_add_source(&c, 2, 50, 0.3);
    case_add_source(&c, 6, 30, 0.7);
    for (size_t k = 0; k < NOT_FIXED; k++) {
        outcome o = outcome_of(variant_named(not_fixed[k]), &c, 1, false);

        for (size_t i = 0; i < c.n_sources; i++)
            CHECK_MSG(time_at_source(&c, o.T, i) == c.sources[i].time, "%s: %.17g",
                      not_fixed[k], time_at_source(&c, o.T, i));
        outcome_free(&o);
    }
    case_free(&c);
}

/* Times rounded to float32 are upper bounds no more; policy iteration needs such. */
TEST(fixed_stencils_settle_in_float32_too)
{
    random_medium m = medium_draw(1000094, &large);
    outcome o = outcome_of(variant_named("fixed float32"), &m.c, 1, false);

    CHECK(o.status == ZM_OK);
    outcome_free(&o);
    medium_free(&m);
}

/* A minimum between donors is found where Newton's method alone goes to and fro: time and weight
 * belong together. */
TEST(weights_through_intervals_are_those_of_their_times)
{
    random_medium m = medium_draw(1002978, &small);
    outcome o = outcome_of(variant_named("timed mean"), &m.c, 1, true);

    CHECK_MSG(o.status == ZM_OK, "%s", o.err.text);
    outcome_free(&o);
    medium_free(&m);
}

/* A donor that became earlier after its cell had been passed on gives the cell its time. */
TEST(times_through_intervals_are_those_that_their_donors_give)
{
    static const uint64_t seeds[] = { 1000021, 1000024, 1000045 };

    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        random_medium m = medium_draw(seeds[k], &large);
        outcome own = outcome_of(variant_named("timed own"), &m.c, 1, true);
        outcome mean = outcome_of(variant_named("timed mean"), &m.c, 1, true);

        CHECK_MSG(own.status == ZM_OK, "medium %d: %s", (int)seeds[k], own.err.text);
        CHECK_MSG(mean.status == ZM_OK, "medium %d: %s", (int)seeds[k], mean.err.text);
        outcome_free(&mean);
        outcome_free(&own);
        medium_free(&m);
    }
}

/* The way from a donor that is the source is 0, not the root of what rounding leaves of 0, so that
 * changes of the last bits change times by last bits. */
TEST(rounding_stays_rounding_on_refined_blocks)
{
    static const uint64_t seeds[] = { 20261119000008, 20261119000023, 20261119000062 };

    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        const variant *v = variant_named("second factored");
        random_medium m = medium_draw(seeds[k], &mild);
        test_case c = case_copy(&m.c);
        outcome o = outcome_of(v, &m.c, 1, false), other;

        for (int p = 0; p < N_PLANES; p++)
            for (size_t i = (size_t)p % 2; i < c.n; i += 3)
                case_plane(&c, p)[i] *= 1 + DBL_EPSILON;
        other = outcome_of(v, &c, 1, false);
        CHECK(o.report.method == ZM_SOLVED_BY_REFINED_BLOCKS);
        for (size_t i = 0; i < c.n; i++)
            CHECK_MSG(o.T[i] == other.T[i] ||
                          fabs(other.T[i] - o.T[i]) <= 1e-12 * fabs(o.T[i]),
                      "medium %llu, cell %zu: %.17g became %.17g",
                      (unsigned long long)seeds[k], i, o.T[i], other.T[i]);
        outcome_free(&other);
        outcome_free(&o);
        case_free(&c);
        medium_free(&m);
    }
}

/* T = T_s + tau has no digits left where the cell of the source is slower by as much as numbers have
 * digits: then order 2 is marched, and order 3 says what to use. */
TEST(a_source_in_a_slow_cell_leaves_times_their_digits)
{
    for (double slow = 1e2; slow < 1e19; slow *= 100) {
        test_case c = case_create(20, 20);
        outcome second, third, first;

        for (size_t i = 0; i < c.n; i++) {
            c.g11[i] = c.g22[i] = 1;
            c.g12[i] = c.b1[i] = c.b2[i] = 0;
        }
        c.g11[105] = c.g22[105] = slow * slow;
        case_add_source(&c, 5, 5, 0);
        first = outcome_of(variant_named("fixed"), &c, 1, false);
        second = outcome_of(variant_named("second factored"), &c, 1, false);
        third = outcome_of(variant_named("third"), &c, 1, false);
        CHECK_MSG(second.status == ZM_OK || second.status == ZM_E_METRIC,
                  "%g times slower: %s", slow, second.err.text);
        CHECK_MSG(third.status == second.status || third.status == ZM_E_UNSUPPORTED,
                  "%g times slower: %s", slow, third.err.text);
        CHECK(third.status != ZM_E_UNSUPPORTED ||
              strstr(third.err.text, "use order 2"));
        for (size_t i = 0; i < c.n && first.status == ZM_OK; i++) {
            const double least =
                0.9 * first.T[i]; /* first order is late, by a tenth here */

            CHECK_MSG(second.status != ZM_OK || second.T[i] >= least,
                      "%g times slower: cell %zu at %g", slow, i, second.T[i]);
            CHECK_MSG(third.status != ZM_OK || third.T[i] >= least,
                      "%g times slower: cell %zu at %g", slow, i, third.T[i]);
        }
        outcome_free(&third);
        outcome_free(&second);
        outcome_free(&first);
        case_free(&c);
    }
}

/* Two rows of needles that point across them: the path goes up and down 226 times before it comes
 * to a source six columns off, which is no sign of times that change. */
TEST(paths_that_go_up_and_down_between_two_borders_come_to_their_source)
{
    random_medium m = medium_draw(20261119002055, &medium_hardest);
    static const char *const fixed[] = { "fixed", "fixed float32", "fixed scalar" };

    CHECK(m.c.grid.rows == 2 && m.c.grid.cols == 6);
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
        outcome o = outcome_of(variant_named(fixed[k]), &m.c, 1, true);

        CHECK_MSG(o.status == ZM_OK, "%s: %s", fixed[k], o.err.text);
        CHECK(o.path_source >= 0);
        outcome_free(&o);
    }
    medium_free(&m);
}
