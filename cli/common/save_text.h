/* SPDX-License-Identifier: Apache-2.0
 * A text becomes a file. */
#ifndef ZM_CLI_SAVE_TEXT_H
#define ZM_CLI_SAVE_TEXT_H

#include "core/text.h"

/** Writes the text to a file, or to standard output when path is "-", and frees it; a
 *  message names the path after the option it came from ("--json ", or "" for none). */
int save_text(zm_text *text, const char *option, const char *path);

#endif
