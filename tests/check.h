/* SPDX-License-Identifier: Apache-2.0
 * A test program is a C file with TEST(property_it_proves) { ... } blocks, and is linked
 * with check.c.  Tests run in random order; the seed is printed and can be given as the
 * first argument, names of tests to run as the following ones. */
#ifndef ZM_TESTS_CHECK_H
#define ZM_TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/random.h" /* zm_random_unit and the like, for t->seed */

typedef struct test_run {
    const char *name;
    uint64_t seed; /* for the test's own random numbers */
    bool failed, skipped;
} test_run;

typedef void test_fn(test_run *t);

void test_register(const char *name, test_fn *fn);

#define TEST(name)                                                                     \
    static void name(test_run *t);                                                     \
    __attribute__((constructor)) static void register_##name(void)                     \
    {                                                                                  \
        test_register(#name, name);                                                    \
    }                                                                                  \
    static void name(__attribute__((unused)) test_run *t)

/* Report a failure (printf style) and go on; report a skip with its reason. */
__attribute__((format(printf, 4, 5))) void test_fail(test_run *t, const char *file,
                                                     int line, const char *format, ...);
__attribute__((format(printf, 2, 3))) void test_skip(test_run *t, const char *format,
                                                     ...);

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition))                                                              \
            test_fail(t, __FILE__, __LINE__, "%s", #condition);                        \
    } while (0)

/* With a message that says what the values were. */
#define CHECK_MSG(condition, ...)                                                      \
    do {                                                                               \
        if (!(condition))                                                              \
            test_fail(t, __FILE__, __LINE__, __VA_ARGS__);                             \
    } while (0)

/* |a - b| <= tol, and both finite. */
#define CHECK_NEAR(a, b, tol)                                                          \
    do {                                                                               \
        const double a_ = (a), b_ = (b), tol_ = (tol);                                 \
        if (!(fabs(a_ - b_) <= tol_))                                                  \
            test_fail(t, __FILE__, __LINE__,                                           \
                      "%s = %.17g, %s = %.17g, differ by %.3g > %.3g", #a, a_, #b, b_, \
                      fabs(a_ - b_), tol_);                                            \
    } while (0)

/* a <= bound (fails for NaN). */
#define CHECK_AT_MOST(a, bound)                                                        \
    do {                                                                               \
        const double a_ = (a), bound_ = (bound);                                       \
        if (!(a_ <= bound_))                                                           \
            test_fail(t, __FILE__, __LINE__, "%s = %.6g > %.6g", #a, a_, bound_);      \
    } while (0)

#endif
