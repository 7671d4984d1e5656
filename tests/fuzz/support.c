/* SPDX-License-Identifier: Apache-2.0
 * Bytes as files and folders. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

_Noreturn void fuzz_broken(const char *promise, const char *file, int line)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort();
}

/* Bytes of names are shown as they are from 128 on. */
static bool is_printable(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != 127)
        text++;
    return !*text;
}

void require_message(zm_status st, const zm_error *err)
{
    require(st < 0 && err->code == st && err->text[0] &&
            memchr(err->text, '\0', sizeof err->text));
    if (!is_printable(err->text))
        fprintf(stderr, "message: %s\n", err->text);
    require(is_printable(err->text));
}

static char folder[64];

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void remove_all(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    remove_all(folder);
}

const char *fuzz_folder(void)
{
    if (!folder[0]) {
        strcpy(folder, "/dev/shm/zermelo-fuzz-XXXXXX");
        if (!mkdtemp(folder)) {
            strcpy(folder, "/tmp/zermelo-fuzz-XXXXXX");
            require(mkdtemp(folder) != NULL);
        }
        atexit(remove_folder);
    }
    return folder;
}

const char *fuzz_path(const char *name)
{
    enum { BUFFERS = 8, ROOM = 512 };
    static char paths[BUFFERS][ROOM];
    static int next;
    char *path = paths[next++ % BUFFERS];

    require((size_t)snprintf(path, ROOM, "%s/%s", fuzz_folder(), name) < ROOM);
    return path;
}

static void write_path(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    if (!file) /* a folder of that name, or a name that the system refuses */
        return;
    if (n)
        fwrite(bytes, 1, n, file);
    fclose(file);
}

void fuzz_write(const char *name, const void *bytes, size_t n)
{
    write_path(fuzz_path(name), bytes, n);
}

const char *fuzz_empty(const char *subfolder)
{
    static char paths[2][128];
    static int next;
    char *path = paths[next++ % 2];

    strcpy(path, fuzz_path(subfolder));
    remove_all(path);
    mkdir(path, 0777);
    return path;
}

static bool is_inside(const char *name)
{
    int folders = 0;

    for (const char *c = name; *c; c++)
        folders += *c == '/';
    return name[0] && name[0] != '/' && !strstr(name, "..") && folders <= 4;
}

/* One file, with the folders that its name holds. */
static void add_file(const char *into, const char *name, const uint8_t *bytes, size_t n)
{
    char path[400];
    char known[64] = "";

    if (!is_inside(name) ||
        (size_t)snprintf(path, sizeof path, "%s/%s", into, name) >= sizeof path)
        return;
    for (char *slash = strchr(path + strlen(into) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    if (n > 1 && n < sizeof known && bytes[0] == '=') {
        memcpy(known, bytes + 1, n - 1);
        known[strcspn(known, "\n")] = '\0';
    }
    if (known[0] && !strchr(known, '/') && !access(fuzz_path(known), R_OK) &&
        !link(fuzz_path(known), path))
        return;
    write_path(path, bytes, n);
}

/* Where the next line begins with '@', or the end. */
static const uint8_t *next_file(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        const uint8_t *line = memchr(at, '\n', (size_t)(end - at));

        if (!line || line + 1 >= end)
            return end;
        if (line[1] == '@')
            return line + 1;
        at = line + 1;
    }
    return end;
}

const char *fuzz_unpack(const char *subfolder, const uint8_t *bytes, size_t n)
{
    const char *into = fuzz_empty(subfolder);
    const uint8_t *end = bytes + n;

    for (const uint8_t *at = bytes; at < end && *at == '@';) {
        const uint8_t *next = next_file(at, end);
        const uint8_t *line = memchr(at, '\n', (size_t)(next - at));
        char name[100] = "";

        if (line && (size_t)(line - at) < sizeof name) {
            memcpy(name, at + 1, (size_t)(line - at) - 1);
            add_file(into, name, line + 1,
                     (size_t)(next - line - 1) - (next < end ? 1 : 0));
        }
        at = next;
    }
    return into;
}
