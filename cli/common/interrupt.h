/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C, and the progress bar that makes one want it. */
#ifndef ZM_CLI_INTERRUPT_H
#define ZM_CLI_INTERRUPT_H

#include <stdbool.h>

/** From now on SIGINT, SIGTERM and SIGHUP ask the tool to stop; a second one ends it.  A
 *  closed pipe is an error like any other. */
void interrupt_catch(void);

/** Whether the tool was asked to stop. */
bool interrupt_pending(void);

/** DONE, or 128 + signal after a message when the tool was asked to stop. */
int interrupt_check(void);

/** 128 + signal after the message. */
__attribute__((format(printf, 1, 2))) int interrupt_status(const char *format, ...);

typedef struct progress {
    double started, last; /**< when the work began, when the bar was drawn */
    bool show;            /**< standard error is a terminal */
    bool drawn;
    const char *of; /**< what progress_step shows a share of; "the grid" at first */
} progress;

/** Starts a bar that stays invisible for the first half second. */
progress progress_begin(bool quiet);

/** Callback of zm_forward and others; ctx is the progress. */
int progress_step(void *ctx, double fraction);

/** Draws the bar with a text of one's own, cut to the width of the terminal. */
__attribute__((format(printf, 3, 4))) void progress_show(progress *p, double fraction,
                                                         const char *format, ...);

/** The text alone, where nobody knows how much is left. */
__attribute__((format(printf, 2, 3))) void progress_line(progress *p,
                                                         const char *format, ...);

/** Wipes bar or text. */
void progress_end(progress *p);

#endif
