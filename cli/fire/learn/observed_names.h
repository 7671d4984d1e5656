/* SPDX-License-Identifier: Apache-2.0
 * Observed fires in a folder. */
#ifndef ZM_CLI_LEARN_OBSERVED_NAMES_H
#define ZM_CLI_LEARN_OBSERVED_NAMES_H

#include "fire/folders.h"

/** Those of the folder whose names are between the commas; "all": all of them.  DONE, or FAILED
 *  after a message. */
int choose_observed(const char *data, const char *wanted, names *out);

#endif
