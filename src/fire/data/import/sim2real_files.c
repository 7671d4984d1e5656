/* SPDX-License-Identifier: Apache-2.0
 * What lies where in a scene of Sim2Real-Fire. */
#include "fire/data/import/sim2real_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"

/* Masks lie at most so deep below the scene. */
enum { DEPTH = 3 };

/* ---- finding ---------------------------------------------------------------------- */

/* Rasters lie in the folder, or in folders in it that are named after layers; a name that is that of
 * no layer has the folder's. */
static zm_status take_rasters(zm_sim2real_files *m, const char *folder, int depth,
                              zm_error *err)
{
    zm_folder_names files, folders = { 0 };
    zm_status st = zm_folder_list(folder, false, &files, err);

    for (size_t i = 0; st >= 0 && i < files.n; i++) {
        int layer = zm_layers_landfire_layer(zm_file_name(files.items[i]));

        if (layer < 0 && depth == 0)
            layer = zm_layers_landfire_layer(zm_file_name(folder));
        if (layer >= 0 &&
            (zm_file_ends(files.items[i], ".tif") ||
             zm_file_ends(files.items[i], ".tiff")) &&
            !m->layers.planes[layer])
            st = zm_layers_add(&m->layers, files.items[i], (zm_layer)layer, err);
    }
    if (st >= 0 && depth > 0)
        st = zm_folder_list(folder, true, &folders, err);
    for (size_t i = 0; st >= 0 && i < folders.n; i++)
        st = take_rasters(m, folders.items[i], depth - 1, err);
    zm_folder_names_free(&folders);
    zm_folder_names_free(&files);
    return st;
}

/* Weather lies in the folder, or in a folder of each fire. */
static zm_status take_weather(zm_sim2real_files *m, const char *folder, int depth,
                              zm_error *err)
{
    zm_folder_names files, folders = { 0 };
    zm_status st = zm_folder_list(folder, false, &files, err);

    if (st >= 0)
        st = zm_folder_names_append(&m->weather, &files, err);
    if (st >= 0 && depth > 0)
        st = zm_folder_list(folder, true, &folders, err);
    for (size_t i = 0; st >= 0 && i < folders.n; i++)
        st = take_weather(m, folders.items[i], depth - 1, err);
    zm_folder_names_free(&folders);
    zm_folder_names_free(&files);
    return st;
}

static bool is_of_rasters(const char *folder)
{
    const char *name = zm_file_name(folder);

    return zm_file_name_has(name, "topo") || zm_file_name_has(name, "vege") ||
           zm_file_name_has(name, "fuel") || zm_file_name_has(name, "landfire");
}

zm_status zm_sim2real_is_scene(const char *folder, bool *is, zm_error *err)
{
    zm_folder_names folders;

    *is = false;
    ZM_TRY(zm_folder_list(folder, true, &folders, err));
    for (size_t i = 0; i < folders.n; i++)
        *is |= is_of_rasters(folders.items[i]);
    zm_folder_names_free(&folders);
    return ZM_OK;
}

static bool is_image(const char *path)
{
    return zm_file_ends(path, ".jpg") || zm_file_ends(path, ".jpeg") ||
           zm_file_ends(path, ".png");
}

/* Number of an hourly mask, out12.jpg; -1 where it is none. */
int zm_sim2real_mask_number(const char *path)
{
    const char *name = zm_file_name(path);
    int number = -1;

    if (!is_image(path) || sscanf(name, "out%9d", &number) != 1)
        return -1;
    return number >= 0 && number < ZM_MOST_MASKS ? number : -1;
}

/* The date in a name: eight digits, or four, two and two with one character between. */
bool zm_sim2real_mask_date(const char *path, zm_date *date)
{
    if (!is_image(path))
        return false;
    for (const char *c = zm_file_name(path); *c; c++) {
        char text[12] = "";

        if (!isdigit((unsigned char)*c))
            continue;
        if (strspn(c, "0123456789") >= 8)
            (void)snprintf(text, sizeof text, "%.4s-%.2s-%.2s", c, c + 4, c + 6);
        else if (strspn(c, "0123456789") == 4 && strlen(c) >= 10)
            (void)snprintf(text, sizeof text, "%.4s-%.2s-%.2s", c, c + 5, c + 8);
        if (text[0] && zm_date_parse(text, date))
            return true;
        c += strspn(c, "0123456789") - 1;
    }
    return false;
}

/* Whether a folder holds masks: hourly ones, or dated ones. */
static zm_status look_for_masks(const char *folder, bool *found, zm_error *err)
{
    zm_folder_names files;
    zm_date date;

    *found = false;
    ZM_TRY(zm_folder_list(folder, false, &files, err));
    for (size_t i = 0; i < files.n; i++)
        *found |= zm_sim2real_mask_number(files.items[i]) >= 0 ||
                  zm_sim2real_mask_date(files.items[i], &date);
    zm_folder_names_free(&files);
    return ZM_OK;
}

static zm_status look_in(zm_sim2real_files *m, const char *folder, int depth,
                         zm_error *err)
{
    zm_folder_names folders;
    zm_status st = zm_folder_list(folder, true, &folders, err);

    for (size_t i = 0; st >= 0 && i < folders.n; i++) {
        const char *name = zm_file_name(folders.items[i]);
        bool masks = false;

        if (is_of_rasters(folders.items[i])) {
            st = take_rasters(m, folders.items[i], 1, err);
        } else if (zm_file_name_has(name, "weather") || zm_file_name_has(name, "wxs")) {
            st = take_weather(m, folders.items[i], 1, err);
        } else if ((st = look_for_masks(folders.items[i], &masks, err)) < 0) {
            break;
        } else if (masks) {
            st = zm_folder_names_add(&m->masks, folders.items[i], err);
            folders.items[i] = NULL;
        } else if (depth > 0 && !zm_file_name_has(name, "original_images")) {
            st = look_in(m, folders.items[i], depth - 1, err);
        }
    }
    zm_folder_names_free(&folders);
    return st;
}

/* ---- weather ---------------------------------------------------------------------- */

/* Whether `stem` stands in `name` between characters that are no digits. */
static bool stands_in(const char *name, const char *stem, size_t n)
{
    for (const char *at = name; strlen(at) >= n; at++)
        if (!strncmp(at, stem, n) &&
            !(isdigit((unsigned char)at[n]) && isdigit((unsigned char)stem[n - 1])) &&
            !(at > name && isdigit((unsigned char)at[-1]) &&
              isdigit((unsigned char)stem[0])))
            return true;
    return false;
}

/* Whether a folder's name, n characters, is a word or ends in _word. */
static bool is_word(const char *name, size_t n, const char *word)
{
    const size_t k = strlen(word);

    return n >= k && !strncasecmp(name + n - k, word, k) &&
           (n == k || name[n - k - 1] == '_' || name[n - k - 1] == '-');
}

const char *zm_sim2real_split(const zm_sim2real_files *files, const char *path)
{
    static const char *const words[] = { "train", "val", "test" };
    const char *at = path + files->root;

    while ((at = strchr(at, '/'))) {
        const size_t n = strcspn(++at, "/");

        for (size_t w = 0; at[n] && w < sizeof words / sizeof *words; w++)
            if (is_word(at, n, words[w]))
                return words[w];
    }
    return NULL;
}

/* How much of the fire's name that of a weather file is: its own, or that of the folder it lies in;
 * 0: nothing. */
static size_t part_of_name(const char *file, const char *fire)
{
    const char *name = zm_file_name(file), *dot = strrchr(name, '.'), *folder = name;
    const size_t n = dot ? (size_t)(dot - name) : strlen(name);
    size_t longest = stands_in(fire, name, n) ? n : 0;

    if (folder > file)
        for (folder--; folder > file && folder[-1] != '/'; folder--) {
        }
    {
        const size_t k = folder < name ? (size_t)(name - folder - 1) : 0;

        if (k > longest && stands_in(fire, folder, k))
            longest = k;
    }
    return longest;
}

const char *zm_sim2real_weather(const zm_sim2real_files *m, const char *masks)
{
    const char *best = m->weather.n == 1 ? m->weather.items[0] : NULL;
    const char *fire = zm_file_name(masks), *split = zm_sim2real_split(m, masks);
    size_t longest = 0;

    for (size_t i = 0; i < m->weather.n; i++) {
        const char *file = m->weather.items[i], *own = zm_sim2real_split(m, file);
        const size_t n =
            split && own && strcmp(split, own) != 0 ? 0 : part_of_name(file, fire);

        if (n > longest) {
            best = file;
            longest = n;
        }
    }
    return best;
}

/* ---- the whole -------------------------------------------------------------------- */

zm_status zm_sim2real_find(const char *scene, zm_sim2real_files *out, zm_error *err)
{
    zm_status st;

    *out = (zm_sim2real_files){ .layers = ZM_LAYERS_NONE, .root = strlen(scene) };
    st = look_in(out, scene, DEPTH, err);
    if (st < 0)
        zm_sim2real_free(out);
    return st;
}

void zm_sim2real_free(zm_sim2real_files *files)
{
    zm_layers_free(&files->layers);
    zm_folder_names_free(&files->masks);
    zm_folder_names_free(&files->weather);
}
