/* SPDX-License-Identifier: Apache-2.0
 * Pages taken apart again. */
#ifndef ZM_TESTS_PAGES_H
#define ZM_TESTS_PAGES_H

#include <stddef.h>

#include "zermelo/view.h"

/** The page as text with a NUL behind it, to be freed; NULL after a failure. */
char *page_text(const zm_view *page, size_t *n);

/** What the element of this id holds, to be freed; NULL where there is none. */
char *page_element(const char *html, const char *id);

/** Bytes of a field as a page has them unpacked (base64, inflate): n of them, to be freed. */
unsigned char *page_bytes(const char *html, const char *id, size_t *n);

/** The same put together again: `width` bytes a number. */
unsigned char *page_values(const char *html, const char *id, size_t width, size_t *n);

#endif
