/* SPDX-License-Identifier: Apache-2.0
 * The verb of the program zermelo-view. */
#ifndef ZM_CLI_VIEW_VERB_VIEW_H
#define ZM_CLI_VIEW_VERB_VIEW_H

#include "common/verb.h"

extern const verb verb_view;

#endif
