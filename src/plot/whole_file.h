/* SPDX-License-Identifier: Apache-2.0
 * A file that appears under its name only when it is complete. */
#ifndef ZM_PLOT_WHOLE_FILE_H
#define ZM_PLOT_WHOLE_FILE_H

#include <stdio.h>

#include "plot/arena.h"
#include "zermelo/status.h"

typedef struct whole_file {
    FILE *stream;    /* write here */
    char *target;    /* symbolic links followed */
    char *temporary; /* beside it */
} whole_file;

/** Opens a temporary file beside `path`; its names live in the arena. */
zm_status whole_file_open(whole_file *file, arena *memory, const char *path,
                          zm_error *err);

/** Closes it and gives it its name where st is ZM_OK, else removes it; returns st, or
 *  what went wrong. */
zm_status whole_file_close(whole_file *file, zm_status st, zm_error *err);

#endif
