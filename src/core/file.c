/* SPDX-License-Identifier: Apache-2.0
 * Whole files, and what their names tell. */
#define _DEFAULT_SOURCE /* strcasecmp, stat, open, _SC_PHYS_PAGES */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/fail.h"
#include "zermelo/limit.h"

int zm_file_descriptor(const char *path)
{
    static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

    for (int i = 0; i < 3; i++)
        if (!strcmp(path, names[i]))
            return i;
    for (int i = 0; i < 2; i++) {
        const size_t n = strlen(folders[i]);
        const char *number = strncmp(path, folders[i], n) ? "" : path + n;
        const size_t length = strlen(number);

        if (length > 0 && length < 9 && strspn(number, "0123456789") == length)
            return (int)strtol(number, NULL, 10);
    }
    return -1;
}

zm_status zm_file_open(const char *path, FILE **file, size_t *size, zm_error *err)
{
    const bool given = zm_file_descriptor(path) >= 0;
    /* the open of a pipe would wait for a writer, reading what it has written shall wait */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;

    *file = NULL;
    *size = ZM_FILE_SIZE_UNKNOWN;
    if (descriptor < 0)
        return zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    if (fstat(descriptor, &info) != 0) {
        zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    } else if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    } else if (!S_ISREG(info.st_mode) && !given) {
        zm_fail(err, ZM_E_IO, -1,
                "%s: a %s, must be a regular file (a pipe can be given as /dev/stdin)",
                zm_shown_name(path), S_ISFIFO(info.st_mode) ? "pipe" : "device");
    } else if (!(*file = fdopen(descriptor, "rb"))) {
        zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    } else {
        if (S_ISREG(info.st_mode))
            *size = (size_t)info.st_size;
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
        return ZM_OK;
    }
    close(descriptor);
    return ZM_E_IO;
}

#define TRUSTED                                                                          \
    "zm_read_limit_set (the tool: ZERMELO_READ_LIMIT) if you trust the file"

/* Half of what the machine has. */
static size_t half_of_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    if (pages < 1 || size < 1)
        return (size_t)1 << 31;
    return (size_t)pages / 2 > SIZE_MAX / (size_t)size ? SIZE_MAX
                                                       : (size_t)pages / 2 * (size_t)size;
}

zm_status zm_file_within_limit(const char *path, size_t bytes, zm_error *err)
{
    const size_t set = zm_read_limit(), most = set ? set : half_of_memory();

    if (bytes <= most)
        return ZM_OK;
    return zm_fail(err, ZM_E_IO, -1,
                   "%s: takes %.4g GB of memory, the limit is %.4g GB; raise it with " TRUSTED,
                   zm_shown_name(path), (double)bytes / 1e9, (double)most / 1e9);
}

zm_status zm_file_expands_within_limit(const char *path, size_t bytes, zm_error *err)
{
    enum { LIKELY = 1000 };
    struct stat info;

    if (!zm_read_limit() && bytes > (size_t)1 << 30 && !stat(path, &info) &&
        S_ISREG(info.st_mode) && bytes / LIKELY > (size_t)info.st_size)
        return zm_fail(err, ZM_E_IO, -1,
                       "%s: announces %.4g GB in a file of %lld bytes; set a limit with " TRUSTED,
                       zm_shown_name(path), (double)bytes / 1e9, (long long)info.st_size);
    return zm_file_within_limit(path, bytes, err);
}

static zm_status fail_longer(const char *path, size_t most, zm_error *err)
{
    return zm_fail(err, ZM_E_IO, -1,
                   "%s: more than %zu bytes; raise the limit with " TRUSTED,
                   zm_shown_name(path), most);
}

static zm_status read_stream(FILE *file, const char *path, size_t most, char **bytes,
                             size_t *n, zm_error *err)
{
    enum { BLOCK = 1 << 16 };
    size_t room = 0, got;

    do {
        if (!zm_array_reserve(bytes, &room, *n + BLOCK + 1, 1))
            return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for its bytes",
                           zm_shown_name(path));
        got = fread(*bytes + *n, 1, room - *n - 1, file);
        *n += got;
        if (*n > most)
            return fail_longer(path, most, err);
    } while (got);
    (*bytes)[*n] = '\0';
    return ferror(file) ? zm_fail_errno(err, ZM_E_IO, zm_shown_name(path)) : ZM_OK;
}

zm_status zm_file_read(const char *path, size_t most, char **bytes, size_t *n,
                       zm_error *err)
{
    size_t size;
    FILE *file;
    zm_status st;

    *bytes = NULL;
    *n = 0;
    if (zm_read_limit())
        most = zm_read_limit();
    ZM_TRY(zm_file_open(path, &file, &size, err));
    st = size != ZM_FILE_SIZE_UNKNOWN && size > most
             ? fail_longer(path, most, err)
             : read_stream(file, path, most, bytes, n, err);
    (void)fclose(file); /* was only read */
    if (st < 0) {
        free(*bytes);
        *bytes = NULL;
        *n = 0;
    }
    return st;
}

bool zm_file_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

const char *zm_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool zm_file_ends(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);

    return n >= m && !strcasecmp(path + n - m, ending);
}

bool zm_file_name_has(const char *name, const char *word)
{
    const size_t m = strlen(word);

    for (; strlen(name) >= m; name++)
        if (!strncasecmp(name, word, m))
            return true;
    return false;
}
