/* SPDX-License-Identifier: Apache-2.0
 * Preloaded before the C library, makes one call of the program fail: INJECT=CALL:N:ERRNO, where
 * CALL is malloc (with calloc and realloc), ours (those that our own code calls), fwrite, fclose, fsync, rename or open (for writing), N
 * counts from 1, and N = 0 lets all pass.  INJECT_COUNT names a file for the number of such calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static char call[16];
static long which;
static int error;
static atomic_long seen;

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("INJECT_COUNT");
    char text[32];
    const int n = snprintf(text, sizeof text, "%ld", atomic_load(&seen));
    const long file = path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600)
                           : -1;

    if (file >= 0) {
        syscall(SYS_write, (int)file, text, (size_t)n);
        syscall(SYS_close, (int)file);
    }
}

/* Whether this call is the one. */
static int fails(const char *name)
{
    if (strcmp(name, call) != 0 || atomic_fetch_add(&seen, 1) + 1 != which)
        return 0;
    errno = error;
    return 1;
}

/* Where the code of the project lies. */
static struct {
    uintptr_t begin, end;
} ours[16];
static int n_ours;

/* The program itself comes first and has no name. */
static int look_at(struct dl_phdr_info *object, size_t size, void *first)
{
    const int is_program = (*(int *)first)++ == 0;

    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) && n_ours < 16 &&
            (is_program || strstr(object->dlpi_name, "libzermelo"))) {
            ours[n_ours].begin = object->dlpi_addr + part->p_vaddr;
            ours[n_ours].end = ours[n_ours].begin + part->p_memsz;
            n_ours++;
        }
    }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("INJECT");
    int objects = 0;

    if (text)
        sscanf(text, "%15[a-z]:%ld:%d", call, &which, &error);
    dl_iterate_phdr(look_at, &objects);
    atomic_store(&seen, 0);
}

static int is_ours(const void *caller)
{
    for (int i = 0; i < n_ours; i++)
        if ((uintptr_t)caller >= ours[i].begin && (uintptr_t)caller < ours[i].end)
            return 1;
    return 0;
}

static int memory_fails(const void *caller)
{
    return call[0] == 'm' ? fails("malloc") : call[0] == 'o' && is_ours(caller) && fails("ours");
}

void *malloc(size_t n)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
    return n && memory_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, n);
}

static int is_console(const FILE *file)
{
    return file == stdout || file == stderr;
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file)
{
    size_t (*real_fwrite)(const void *, size_t, size_t, FILE *);

    *(void **)&real_fwrite = dlsym(RTLD_NEXT, "fwrite");
    return !is_console(file) && fails("fwrite") ? 0 : real_fwrite(bytes, size, n, file);
}

/* As where the last block finds the disk full: the file is closed, and the caller told. */
int fclose(FILE *file)
{
    const int bad = !is_console(file) && fails("fclose");
    int (*real_fclose)(FILE *), status;

    *(void **)&real_fclose = dlsym(RTLD_NEXT, "fclose");
    status = real_fclose(file);
    if (bad)
        errno = error;
    return bad ? EOF : status;
}

int fsync(int file)
{
    return fails("fsync") ? -1 : (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    mode_t mode = 0;

    va_start(more, flags);
    if (flags & O_CREAT)
        mode = va_arg(more, mode_t);
    va_end(more);
    return (flags & O_ACCMODE) != O_RDONLY && fails("open")
               ? -1
               : (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
