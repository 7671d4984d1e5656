/* SPDX-License-Identifier: Apache-2.0
 * Runs the registered tests of one program and counts. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 256, MOST_FAILURES_SHOWN = 10 };

static struct {
    const char *name;
    test_fn *fn;
} tests[MOST_TESTS];
static size_t n_tests;
static int shown; /* failures printed for the running test */

void test_register(const char *name, test_fn *fn)
{
    if (n_tests == MOST_TESTS) {
        fprintf(stderr, "too many tests: raise MOST_TESTS\n");
        exit(2);
    }
    tests[n_tests].name = name;
    tests[n_tests++].fn = fn;
}

void test_fail(test_run *t, const char *file, int line, const char *format, ...)
{
    t->failed = true;
    if (++shown <= MOST_FAILURES_SHOWN) {
        va_list args;

        printf("    %s:%d: ", file, line);
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        printf("\n");
    }
}

void test_skip(test_run *t, const char *format, ...)
{
    va_list args;

    t->skipped = true;
    printf("skip  %s: ", t->name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

static bool selected(const char *name, int argc, char **argv)
{
    if (argc <= 2)
        return true;
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t state = seed;
    int passed = 0, failed = 0, skipped = 0;

    for (size_t i = n_tests; i > 1; i--) { /* shuffle */
        const size_t j = zm_random_below(&state, i);
        const char *name = tests[j].name;
        test_fn *fn = tests[j].fn;

        tests[j] = tests[i - 1];
        tests[i - 1].name = name;
        tests[i - 1].fn = fn;
    }
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < n_tests; i++) {
        test_run t = { .name = tests[i].name, .seed = seed };

        if (!selected(t.name, argc, argv))
            continue;
        shown = 0;
        tests[i].fn(&t);
        if (t.failed)
            failed++;
        else if (t.skipped)
            skipped++;
        else
            passed++;
        if (t.failed || !t.skipped)
            printf("%s  %s\n", t.failed ? "FAIL" : "ok  ", t.name);
        fflush(stdout);
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed ? 1 : 0;
}
