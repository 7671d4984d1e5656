/* SPDX-License-Identifier: Apache-2.0
 * A digest of bytes: tells whether inputs or files are the ones they were.  It guards against
 * mistakes and damage, not against forgery. */
#ifndef ZM_CORE_DIGEST_H
#define ZM_CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** The digest of no bytes. */
#define ZM_DIGEST_INIT UINT64_C(0xcbf29ce484222325)

/** The digest of what `digest` stands for, followed by n bytes: FNV-1a on words of 64 bits,
 *  the last filled with zeros.  The shift carries the upper half of a word to the lower one, and
 *  every step can be undone, so that a change in a single word always shows. */
static inline uint64_t zm_digest_add(uint64_t digest, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word = 0;

        memcpy(&word, b + i, n - i < sizeof word ? n - i : sizeof word);
        digest = (digest ^ word) * UINT64_C(0x100000001b3);
        digest ^= digest >> 32;
    }
    return digest;
}

#endif
