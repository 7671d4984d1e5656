/* SPDX-License-Identifier: Apache-2.0
 * Overflow-checked, aligned blocks from a zm_alloc. */
#define _DEFAULT_SOURCE /* madvise */
#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* What lies in an allocation before and after a block may not be touched: sanitizers see it. */
#if defined(__SANITIZE_ADDRESS__)
#define ZM_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ZM_POISONS 1
#endif
#endif
#ifdef ZM_POISONS
#include <sanitizer/asan_interface.h>
#define POISON(begin, bytes) ASAN_POISON_MEMORY_REGION(begin, bytes)
#define UNPOISON(begin, bytes) ASAN_UNPOISON_MEMORY_REGION(begin, bytes)
#else
#define POISON(begin, bytes) ((void)0)
#define UNPOISON(begin, bytes) ((void)0)
#endif

static void *libc_allocate(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void libc_release(void *ctx, void *pointer)
{
    (void)ctx;
    free(pointer);
}

zm_alloc zm_alloc_or_default(const zm_alloc *mem)
{
    if (mem && mem->allocate && mem->release)
        return *mem;
    return (zm_alloc){ NULL, libc_allocate, libc_release };
}

bool zm_mul_size(size_t a, size_t b, size_t *product)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *product = a * b;
    return true;
}

/* A front through a large grid touches a new page in every row: with 4 KiB pages the TLB
 * misses cost up to a third of a solve. */
static void ask_for_huge_pages(void *block, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    enum { PAGE = 4096, WORTH_IT = 4 << 20 };

    if (bytes >= WORTH_IT) {
        const uintptr_t begin = ((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        const uintptr_t end = ((uintptr_t)block + bytes) & ~(uintptr_t)(PAGE - 1);

        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* a hint: may fail */
    }
#else
    (void)block;
    (void)bytes;
#endif
}

/* Kept just below each block. */
typedef struct block_head {
    char *raw;   /* what the allocator gave */
    size_t room; /* its bytes */
} block_head;

void *zm_block(const zm_alloc *mem, size_t count, size_t size)
{
    block_head head;
    size_t bytes;
    char *block;

    if (!zm_mul_size(count, size, &bytes) || bytes == 0 ||
        bytes > SIZE_MAX - ZM_ALIGN - sizeof head)
        return NULL;
    head.room = bytes + ZM_ALIGN + sizeof head;
    head.raw = mem->allocate(mem->ctx, head.room);
    if (!head.raw)
        return NULL;
    block = head.raw + sizeof head;
    block += (ZM_ALIGN - (uintptr_t)block % ZM_ALIGN) % ZM_ALIGN;
    memcpy(block - sizeof head, &head, sizeof head);
    POISON(head.raw, (size_t)(block - head.raw));
    POISON(block + bytes, head.room - (size_t)(block - head.raw) - bytes);
    if (mem->allocate == libc_allocate) /* another's memory is not ours to advise on */
        ask_for_huge_pages(block, bytes);
    return block;
}

void *zm_zalloc(const zm_alloc *mem, size_t count, size_t size)
{
    void *block = zm_block(mem, count, size);

    if (block)
        memset(block, 0, count * size);
    return block;
}

void zm_release(const zm_alloc *mem, void *block)
{
    block_head head;

    if (!block)
        return;
    UNPOISON((char *)block - sizeof head, sizeof head);
    memcpy(&head, (char *)block - sizeof head, sizeof head);
    UNPOISON(head.raw, head.room);
    mem->release(mem->ctx, head.raw);
}

bool zm_take(const zm_alloc *mem, size_t *bytes, void *pointer_to_array, size_t count,
             size_t size)
{
    void *block = zm_block(mem, count, size);

    memcpy(pointer_to_array, &block, sizeof block); /* whatever type of pointer it is */
    if (block)
        *bytes += count * size;
    return block != NULL;
}
