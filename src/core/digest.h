/* SPDX-License-Identifier: Apache-2.0
 * A digest of bytes: tells whether inputs or files are the ones they were.  It guards against
 * mistakes and damage, not against forgery. */
#ifndef ZM_CORE_DIGEST_H
#define ZM_CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/** The digest of no bytes. */
#define ZM_DIGEST_INIT UINT64_C(0xcbf29ce484222325)

/** The digest of what `digest` stands for, followed by n bytes (FNV-1a of 64 bits). */
static inline uint64_t zm_digest_add(uint64_t digest, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < n; i++)
        digest = (digest ^ b[i]) * UINT64_C(0x100000001b3);
    return digest;
}

#endif
