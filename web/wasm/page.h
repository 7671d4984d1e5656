/* SPDX-License-Identifier: Apache-2.0
 * What the page calls: functions exported by name, whose arguments are numbers and addresses in
 * the module's memory.  The page owns what it got from page_alloc and gives back what it opened.
 * Statuses are those of zermelo/status.h; page_message() has the words of the last failure. */
#ifndef ZM_WEB_PAGE_H
#define ZM_WEB_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "zermelo/status.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

/** Of the last call that failed. */
extern zm_error page_error;

#endif
