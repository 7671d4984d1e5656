/* SPDX-License-Identifier: Apache-2.0
 * The one place where error messages are made. */
#ifndef ZM_CORE_FAIL_H
#define ZM_CORE_FAIL_H

#include <stdint.h>

#include "zermelo/status.h"

/** Fills err (may be NULL) and returns code.  cell is -1 where none is to blame. */
__attribute__((format(printf, 4, 5))) zm_status zm_fail(zm_error *err, zm_status code,
                                                        int64_t cell, const char *format,
                                                        ...);

/** zm_fail with "<what>: <strerror(errno)>"; to be called straight after the failing call. */
zm_status zm_fail_errno(zm_error *err, zm_status code, const char *what);

/** Leaves the function where a step fails; for functions that have nothing to give back. */
#define ZM_TRY(step)                                                                     \
    do {                                                                                 \
        const zm_status st_ = (step);                                                    \
        if (st_ < 0)                                                                     \
            return st_;                                                                  \
    } while (0)

/** The same where there is something: goes to the label `done` with the status in `st`. */
#define ZM_GO(step)                                                                      \
    do {                                                                                 \
        st = (step);                                                                     \
        if (st < 0)                                                                      \
            goto done;                                                                   \
    } while (0)

#endif
