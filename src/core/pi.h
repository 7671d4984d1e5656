/* SPDX-License-Identifier: Apache-2.0
 * Pi, which C does not have. */
#ifndef ZM_CORE_PI_H
#define ZM_CORE_PI_H

#define ZM_PI      3.14159265358979323846
#define ZM_RADIANS (ZM_PI / 180) /* in a degree */

#endif
