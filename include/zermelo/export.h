/* SPDX-License-Identifier: Apache-2.0
 * ZM_API marks the symbols that leave the shared library; all others are hidden. */
#ifndef ZM_EXPORT_H
#define ZM_EXPORT_H

#if defined(__GNUC__)
#define ZM_API __attribute__((visibility("default")))
#else
#define ZM_API
#endif

#endif
