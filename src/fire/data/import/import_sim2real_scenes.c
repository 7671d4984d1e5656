/* SPDX-License-Identifier: Apache-2.0
 * Many scenes of Sim2Real-Fire in one call. */
#include <stdlib.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/import/sim2real_files.h"
#include "zermelo/fire/dataset.h"

enum { DEPTH = 2 /* folders between the root and a scene's own */ };

/* Scenes below a folder, which is none itself. */
static zm_status find_scenes(const char *folder, int depth, zm_folder_names *out,
                             zm_error *err)
{
    zm_folder_names folders;
    zm_status st = zm_folder_list(folder, true, &folders, err);

    for (size_t i = 0; st >= 0 && i < folders.n; i++) {
        bool is;

        st = zm_sim2real_is_scene(folders.items[i], &is, err);
        if (st >= 0 && is) {
            st = zm_folder_names_add(out, folders.items[i], err);
            folders.items[i] = NULL;
        } else if (st >= 0 && depth > 0) {
            st = find_scenes(folders.items[i], depth - 1, out, err);
        }
    }
    zm_folder_names_free(&folders);
    return st;
}

/* What is told of a scene; true: go on. */
static bool tell(zm_import_scene_told *told, void *ctx, const char *scene, zm_status st,
                 const zm_import_report *report, const zm_error *err)
{
    return !told || told(ctx, zm_file_name(scene), st, report, err) == 0;
}

static zm_status import_all(const zm_folder_names *scenes, const char *folder,
                            size_t *imported, zm_import_scene_told *told, void *ctx,
                            zm_error *err)
{
    for (size_t i = 0; i < scenes->n; i++) {
        zm_import_report report = ZM_IMPORT_REPORT_INIT;
        zm_error of_scene = { ZM_OK, -1, "" };
        char *to = zm_folder_join(folder, zm_file_name(scenes->items[i]));
        const zm_status st =
            to ? zm_import_sim2real(scenes->items[i], to, &report, &of_scene)
               : zm_fail(&of_scene, ZM_E_NOMEM, -1, "no memory for a name");

        free(to);
        *imported += st >= 0;
        if (!tell(told, ctx, scenes->items[i], st, &report, &of_scene))
            return zm_fail(err, ZM_E_CANCELLED, -1, "import cancelled");
        if (st == ZM_E_NOMEM) {
            if (err)
                *err = of_scene;
            return st;
        }
    }
    return ZM_OK;
}

zm_status zm_import_sim2real_scenes(const char *root, const char *folder,
                                    zm_import_scene_told *told, void *ctx,
                                    zm_error *err)
{
    zm_folder_names scenes = { 0 };
    size_t imported = 0;
    bool one = false;
    zm_status st;

    if (!root || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_sim2real_scenes needs two folders");
    st = zm_sim2real_is_scene(root, &one, err);
    if (st >= 0 && one)
        st = zm_fail(err, ZM_E_ARG, -1, "%s is one scene: zm_import_sim2real takes it",
                     zm_shown_name(root));
    if (st >= 0)
        st = find_scenes(root, DEPTH, &scenes, err);
    if (st >= 0 && scenes.n == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1,
                     "%s: no scene, that is no folder in which others have Topography, "
                     "Vegetation, Fuel or landfire in their names",
                     zm_shown_name(root));
    if (st >= 0)
        st = import_all(&scenes, folder, &imported, told, ctx, err);
    if (st >= 0 && imported == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: none of %zu scenes could be imported",
                     zm_shown_name(root), scenes.n);
    zm_folder_names_free(&scenes);
    return st;
}

int zm_sim2real_scene_here(const char *folder)
{
    bool is = false;

    return folder && zm_sim2real_is_scene(folder, &is, NULL) >= 0 && is;
}
