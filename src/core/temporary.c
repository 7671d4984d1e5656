/* SPDX-License-Identifier: Apache-2.0
 * Files under construction, and what is left of those whose program was killed.
 *
 * The lock ends with the program, however that ends, so a file without one has no writer.  Between
 * the making of a file and its lock another program may take it for left over: whoever makes
 * a file looks, once it has the lock, whether the name is still there.  Where a file system knows no locks
 * nothing is removed. */
#define _DEFAULT_SOURCE /* flock, dirfd, openat */
#include "core/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MARK[] = ".zermelo-", END[] = ".tmp";

/* Behind the mark: two whole numbers with a dash between, and the end. */
static bool is_temporary(const char *name)
{
    static const char DIGITS[] = "0123456789";
    const char *mark = NULL;
    size_t n;

    for (const char *at = strstr(name, MARK); at; at = strstr(at + 1, MARK))
        mark = at;
    if (!mark || mark == name)
        return false;
    mark += sizeof MARK - 1;
    if (!(n = strspn(mark, DIGITS)) || mark[n] != '-')
        return false;
    mark += n + 1;
    return (n = strspn(mark, DIGITS)) && !strcmp(mark + n, END);
}

static void remove_if_left(int folder, const char *name)
{
    const int file =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;

    if (file < 0)
        return;
    if (!fstat(file, &info) && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        !flock(file, LOCK_EX | LOCK_NB))
        unlinkat(folder, name, 0);
    close(file);
}

static void collect(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup(".");
    DIR *dir = folder ? opendir(folder) : NULL;
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (is_temporary(entry->d_name))
            remove_if_left(dirfd(dir), entry->d_name);
    if (dir)
        closedir(dir);
    free(folder);
}

/* Locks a file that was just made; false where another program has taken it for left over. */
static bool lock(int file)
{
    struct stat info;

    if (flock(file, LOCK_EX | LOCK_NB))
        return errno != EWOULDBLOCK;
    return fstat(file, &info) || info.st_nlink > 0;
}

/* open, and not mkstemp, because it applies the umask. */
int zm_temporary_open(const char *target, char **name)
{
    enum { TRIES = 1000 };
    const size_t room = strlen(target) + 48;

    if (!(*name = malloc(room)))
        return -1;
    collect(target);
    for (int i = 0; i < TRIES; i++) {
        int file;

        (void)snprintf(*name, room, "%s%s%ld-%d%s", target, MARK, (long)getpid(), i,
                       END);
        file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 && lock(file))
            return file;
        if (file < 0 && errno != EEXIST)
            return -1;
        if (file >= 0)
            close(file);
    }
    errno = EEXIST;
    return -1;
}
