/* SPDX-License-Identifier: Apache-2.0
 * Files under construction: TARGET.zermelo-PID-N.tmp, locked (flock) until they have their name. */
#ifndef ZM_CORE_TEMPORARY_H
#define ZM_CORE_TEMPORARY_H

/** A new file beside `target`, locked by its descriptor.  Those of the same folder that this user
 *  owns and nobody has locked any more, because their program was killed, are removed first.
 *
 * @param name out  to be freed; NULL without memory
 * @return its descriptor; -1 and errno */
int zm_temporary_open(const char *target, char **name);

#endif
