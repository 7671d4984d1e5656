/* SPDX-License-Identifier: Apache-2.0
 * Folders of scenes and of results. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "fire/folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "common/value.h"

char *path_in(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = grow(NULL, room, 1);

    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

char *last_name(const char *path)
{
    size_t end = strlen(path), begin;
    char *name;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';)
        begin--;
    name = grow(NULL, end - begin + 1, 1);
    memcpy(name, path + begin, end - begin);
    name[end - begin] = '\0';
    return name;
}

bool has_file(const char *folder, const char *name)
{
    char *path = path_in(folder, name);
    struct stat info;
    const bool there = !stat(path, &info);

    free(path);
    return there;
}

int make_folder(const char *path)
{
    const size_t room = strlen(path) + 1;
    char *part = grow(NULL, room, 1);
    int code = DONE;

    for (size_t i = 1; i < room; i++) {
        struct stat info;

        if (path[i] && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            GO(failure("cannot make folder %s: %s", part, strerror(errno)));
        if (stat(part, &info) || !S_ISDIR(info.st_mode))
            GO(failure("cannot make folder %s: it is a file", part));
    }
done:
    free(part);
    return code;
}

static bool names_has(const names *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->items[i], name))
            return true;
    return false;
}

void names_add(names *list, const char *name)
{
    char *copy = grow(NULL, strlen(name) + 1, 1);

    memcpy(copy, name, strlen(name) + 1);
    list->items = grow(list->items, list->n + 1, sizeof *list->items);
    list->items[list->n++] = copy;
}

void names_free(names *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (names){ 0 };
}

static int in_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void look_in(const char *top, const char *under, const char *name, int depth,
                    names *found)
{
    char *folder = under ? path_in(top, under) : path_in(top, ".");
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    if (!dir && errno != ENOENT && errno != ENOTDIR) /* nothing is left out unseen */
        exit(failure("cannot read folder %s: %s", folder, strerror(errno)));
    while (dir && (entry = readdir(dir))) {
        char *relative, *whole;

        if (entry->d_name[0] == '.')
            continue;
        relative = under ? path_in(under, entry->d_name) : path_in(entry->d_name, "");
        if (!under)
            relative[strlen(relative) - 1] = '\0';
        whole = path_in(top, relative);
        if (has_file(whole, name))
            names_add(found, relative);
        else if (depth > 0)
            look_in(top, relative, name, depth - 1, found);
        free(whole);
        free(relative);
    }
    if (dir)
        closedir(dir);
    free(folder);
}

names folders_with(const char *folder, const char *name)
{
    names found = { 0 };

    look_in(folder, NULL, name, 1, &found);
    if (found.n)
        qsort(found.items, found.n, sizeof *found.items, in_order);
    return found;
}

/* Observed fires have perimeters in one of these. */
static const char *const perimeters[] = { "perimeters.gpkg", "perimeters.geojson",
                                          "perimeters.shp" };
enum { PERIMETERS = sizeof perimeters / sizeof *perimeters };

bool is_observed(const char *folder)
{
    for (int f = 0; f < PERIMETERS; f++)
        if (has_file(folder, perimeters[f]))
            return true;
    return false;
}

static bool fits(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && !strncmp(name, word, length);
}

/* A last * stands for any ending. */
static bool fits_scene(const char *name, const char *word, size_t length)
{
    if (length && word[length - 1] == '*')
        return !strncmp(name, word, length - 1);
    return fits(name, word, length);
}

/* "all" stands for all. */
static bool fits_observed(const char *name, const char *word, size_t length)
{
    return fits("all", word, length) || fits(name, word, length);
}

/* Those of `all` that fit a word between the commas, each once; every word must fit something. */
static int choose(const char *data, const char *what, const names *all,
                  const char *wanted,
                  bool (*fit)(const char *name, const char *word, size_t length),
                  names *out)
{
    while (*wanted) {
        const size_t length = strcspn(wanted, ",");
        bool found = false;

        for (size_t i = 0; i < all->n; i++)
            if (fit(all->items[i], wanted, length)) {
                found = true;
                if (!names_has(out, all->items[i]))
                    names_add(out, all->items[i]);
            }
        if (!found)
            return failure("%s: no %s '%.*s' in it; the first of %zu is %s", data, what,
                           (int)length, wanted, all->n, all->items[0]);
        wanted += length + (wanted[length] == ',');
    }
    return DONE;
}

int choose_scenes(const char *data, const char *wanted, names *out)
{
    names all = folders_with(data, "fires.csv");
    int code;

    if (all.n == 0)
        GO(failure("%s: no scene in it, that is no folder with fires.csv", data));
    GO(choose(data, "scene", &all, wanted ? wanted : "*", fits_scene, out));
done:
    names_free(&all);
    return code;
}

int choose_observed(const char *data, const char *wanted, names *out)
{
    names all = { 0 };
    int code;

    for (int f = 0; f < PERIMETERS; f++) {
        names some = folders_with(data, perimeters[f]);

        for (size_t i = 0; i < some.n; i++)
            if (!names_has(&all, some.items[i])) /* a folder may have two such files */
                names_add(&all, some.items[i]);
        names_free(&some);
    }
    if (all.n == 0)
        GO(failure("%s: no observed fire in it, that is no folder with %s", data,
                   perimeters[0]));
    GO(choose(data, "observed fire", &all, wanted, fits_observed, out));
done:
    names_free(&all);
    return code;
}
