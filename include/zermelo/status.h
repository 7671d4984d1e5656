/* SPDX-License-Identifier: Apache-2.0
 * Statuses and error messages.
 *
 * Every call that can fail returns a zm_status: negative means failed, 0 means done,
 * positive means done with a caveat.  `if (st != ZM_OK)` is always safe.  The library
 * never prints, exits or aborts; the message goes into the caller's zm_error. */
#ifndef ZM_STATUS_H
#define ZM_STATUS_H

#include <stdint.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One list for codes and texts, so that they cannot drift apart.  Append only. */
#define ZM_STATUS_LIST(X)                                                                \
    X(ZM_OK, 0, "done")                                                                  \
    X(ZM_NOT_CONVERGED, 1, "did not converge; the values are not the final ones")            \
    X(ZM_E_ARG, -1, "invalid argument")                                                  \
    X(ZM_E_NOMEM, -2, "out of memory")                                                   \
    X(ZM_E_METRIC, -3, "metric or drift is not admissible")                              \
    X(ZM_E_SOURCE, -4, "source set is not admissible")                                   \
    X(ZM_E_CANCELLED, -5, "cancelled by the progress callback")                          \
    X(ZM_E_STATE, -6, "call out of order")                                               \
    X(ZM_E_IO, -7, "file could not be read or written")                                  \
    X(ZM_E_FORMAT, -8, "file has the wrong format")                                      \
    X(ZM_E_UNSUPPORTED, -9, "not supported by this build or machine")

typedef enum zm_status {
#define ZM_STATUS_ENUM(name, value, text) name = (value),
    ZM_STATUS_LIST(ZM_STATUS_ENUM)
#undef ZM_STATUS_ENUM
} zm_status;

/** What went wrong: filled only when a call fails or returns a caveat.  This struct is
 *  frozen. */
typedef struct zm_error {
    zm_status code;
    int64_t cell;   /**< row*cols + col of the offending cell, or -1 */
    char text[240]; /**< names the thing, its value and the limit; always terminated */
} zm_error;

/**
 * How far a long call has come.  It is called between pieces of work, from the thread
 * that made the call, unless the function that takes it says otherwise.
 *
 * @param ctx       the pointer that was given with the callback
 * @param fraction  of the work that is done, in [0, 1]; it never decreases
 * @return 0 to go on; any other value makes the call return ZM_E_CANCELLED
 */
typedef int zm_progress_fn(void *ctx, double fraction);

/** Short text of a status, e.g. "out of memory".  Static storage; any thread. */
ZM_API const char *zm_status_text(zm_status status);

#ifdef __cplusplus
}
#endif
#endif
