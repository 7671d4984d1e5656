/* SPDX-License-Identifier: Apache-2.0
 * Pictures of arrival times, where the tool is built with Cairo (ZM_WITH_CAIRO). */
#ifndef ZM_CLI_PICTURE_H
#define ZM_CLI_PICTURE_H

#include "solution.h"

/** Endings of pictures this build can draw, separated by blanks; "" if none. */
const char *picture_formats(void);

#if defined(ZM_WITH_CAIRO)

/** Draws the times with isochrones, walls, drift and sources; no path: does nothing. */
int picture_save(const char *path, const inputs *in, const solution *s);

/** option_parser: name of a file with one of the endings; const char *. */
bool parse_picture(const char *text, void *field);

#endif
#endif
