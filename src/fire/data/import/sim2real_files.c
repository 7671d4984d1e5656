/* SPDX-License-Identifier: Apache-2.0
 * What lies where in a scene of Sim2Real-Fire. */
#include "fire/data/import/sim2real_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"

/* Masks lie at most so deep below the scene. */
enum { DEPTH = 3 };

/* ---- finding ---------------------------------------------------------------------- */

static zm_status take_rasters(zm_sim2real_files *m, const char *folder, zm_error *err)
{
    zm_folder_names files;
    zm_status st = zm_folder_list(folder, false, &files, err);

    for (size_t i = 0; st >= 0 && i < files.n; i++) {
        const int layer = zm_layers_landfire_layer(zm_file_name(files.items[i]));

        if (layer >= 0 && zm_file_ends(files.items[i], ".tif") &&
            !m->layers.planes[layer])
            st = zm_layers_add(&m->layers, files.items[i], (zm_layer)layer, err);
    }
    zm_folder_names_free(&files);
    return st;
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
    zm_folder_names folders, one = { 0 };
    zm_status st = zm_folder_list(folder, true, &folders, err);

    for (size_t i = 0; st >= 0 && i < folders.n; i++) {
        const char *name = zm_file_name(folders.items[i]);
        bool masks = false;

        if (zm_file_name_has(name, "topo") || zm_file_name_has(name, "vege") ||
            zm_file_name_has(name, "fuel")) {
            st = take_rasters(m, folders.items[i], err);
        } else if (zm_file_name_has(name, "weather") || zm_file_name_has(name, "wxs")) {
            st = zm_folder_list(folders.items[i], false, &one, err);
            if (st >= 0)
                st = zm_folder_names_append(&m->weather, &one, err);
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

/* The file with the longest name that stands in that of the fire; the only one there is. */
const char *zm_sim2real_weather(const zm_sim2real_files *m, const char *fire)
{
    const char *best = m->weather.n == 1 ? m->weather.items[0] : NULL;
    size_t longest = 0;

    for (size_t i = 0; i < m->weather.n; i++) {
        const char *name = zm_file_name(m->weather.items[i]);
        const char *dot = strrchr(name, '.');
        const size_t n = dot ? (size_t)(dot - name) : strlen(name);

        if (n > longest && stands_in(fire, name, n)) {
            best = m->weather.items[i];
            longest = n;
        }
    }
    return best;
}

/* ---- the whole -------------------------------------------------------------------- */

zm_status zm_sim2real_find(const char *scene, zm_sim2real_files *out, zm_error *err)
{
    zm_status st;

    *out = (zm_sim2real_files){ .layers = ZM_LAYERS_NONE };
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
