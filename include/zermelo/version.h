/* SPDX-License-Identifier: Apache-2.0
 * The version, typed once: CMake, pkg-config and the tool read it from here. */
#ifndef ZM_VERSION_H
#define ZM_VERSION_H

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZM_VERSION_MAJOR 0
#define ZM_VERSION_MINOR 2
#define ZM_VERSION_PATCH 0
#define ZM_VERSION "0.2.0"

/** Version of the library that is linked, e.g. "0.2.0".  Static storage; any thread. */
ZM_API const char *zm_version(void);

#ifdef __cplusplus
}
#endif
#endif
