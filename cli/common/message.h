/* SPDX-License-Identifier: Apache-2.0
 * What the tool says on standard error, and the exit statuses that go with it. */
#ifndef ZM_CLI_MESSAGE_H
#define ZM_CLI_MESSAGE_H

#include <stdbool.h>

#include "zermelo/status.h"

enum {
    DONE = 0,
    FAILED = 1,
    USAGE = 2
}; /* exit statuses; 128 + n: ended by signal n */

/** Leaves the function where a step is not DONE; for functions that have nothing to give
 *  back. */
#define TRY(step)                                                                      \
    do {                                                                               \
        const int code_ = (step);                                                      \
        if (code_ != DONE)                                                             \
            return code_;                                                              \
    } while (0)

/** The same where there is something: goes to the label `done` with the exit status in
 *  `code`. */
#define GO(step)                                                                       \
    do {                                                                               \
        code = (step);                                                                 \
        if (code != DONE)                                                              \
            goto done;                                                                 \
    } while (0)

/** Name of the verb that messages start with, and whether notes and warnings are shown. */
void message_verb(const char *verb);
void message_quiet(bool quiet);

/** The command line is wrong: prints one sentence and where to read more; USAGE. */
__attribute__((format(printf, 1, 2))) int usage_error(const char *format, ...);

/** It could not be done: prints one sentence; FAILED. */
__attribute__((format(printf, 1, 2))) int failure(const char *format, ...);

/** failure with the message of the library. */
int library_failure(const zm_error *err);

/** What a call of the library says as an exit status: library_failure where it failed. */
int checked(zm_status st, const zm_error *err);

/** Printed unless --quiet was given. */
__attribute__((format(printf, 1, 2))) void warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/** A name for standard output, without what a terminal might obey. */
typedef struct printable_name {
    char text[1024];
} printable_name;

/** The end of a longer one. */
printable_name printable(const char *name);

/** Writes out standard output; FAILED with a message when that fails. */
int flush_output(void);

#endif
