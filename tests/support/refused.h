/* SPDX-License-Identifier: Apache-2.0
 * Calls that must be refused, and a small problem to try them on. */
#ifndef ZM_TESTS_REFUSED_H
#define ZM_TESTS_REFUSED_H

#include <string.h>

#include "check.h"
#include "support/cases.h"

/* The call returns `status`, fills err with it and mentions `words`. */
#define CHECK_FAILS(call, status, words)                                               \
    do {                                                                               \
        zm_error err = { .text = "" };                                                 \
        const zm_status st_ = (call);                                                  \
        CHECK_MSG(st_ == (status), "%s: status %d, not %d", #call, (int)st_,           \
                  (int)(status));                                                      \
        CHECK_MSG(err.code == (status) && strstr(err.text, words),                     \
                  "%s: message \"%s\" does not say \"%s\"", #call, err.text, words);   \
    } while (0)

/* The same, and it tells the cell. */
#define CHECK_FAILS_AT(call, status, words, where)                                     \
    do {                                                                               \
        zm_error err = { .text = "" };                                                 \
        const zm_status st_ = (call);                                                  \
        CHECK_MSG(st_ == (status) && strstr(err.text, words) && err.cell == (where),   \
                  "%s: status %d, cell %lld, message \"%s\"", #call, (int)st_,         \
                  (long long)err.cell, err.text);                                      \
    } while (0)

/** A small problem with a solver, and what is needed to call everything. */
typedef struct fixture {
    test_case c;
    zm_problem p;
    zm_solver *s;
    double *T;
} fixture;

fixture fixture_create(void);

/** Takes the case; opts as for case_solver. */
fixture fixture_of(test_case c, const zm_solver_opts *opts);
void fixture_free(fixture *f);

/** Solves it. */
zm_status fixture_forward(fixture *f, zm_error *err);

#endif
