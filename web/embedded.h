/* SPDX-License-Identifier: Apache-2.0
 * What the build puts into the library: the page without data, and its solver. */
#ifndef ZM_WEB_EMBEDDED_H
#define ZM_WEB_EMBEDDED_H

#include <stddef.h>

/** A zlib stream. */
typedef struct zm_embedded {
    const unsigned char *bytes;
    size_t n;      /**< of the stream */
    size_t length; /**< of what it holds */
} zm_embedded;

extern const zm_embedded zm_embedded_page;      /**< HTML, with the marks of web/README.md */
extern const zm_embedded zm_embedded_grid_wasm; /**< the solver */
extern const zm_embedded zm_embedded_fire_wasm; /**< and the fire physics */

#endif
