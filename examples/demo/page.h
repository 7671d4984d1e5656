/* SPDX-License-Identifier: Apache-2.0
 * The page of the demo: what was found, in a file that solves again by itself. */
#ifndef ZM_DEMO_PAGE_H
#define ZM_DEMO_PAGE_H

#include "pictures.h"

/** Writes the page; ZM_E_UNSUPPORTED in builds without zermelo/view.h. */
zm_status page_write(const landscape *land, const findings *found, const char *path,
                     zm_error *err);

#endif
