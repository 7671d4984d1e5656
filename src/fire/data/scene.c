/* SPDX-License-Identifier: Apache-2.0
 * Scenes: a landscape, its fires and their weather. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "fire/data/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/options.h"
#include "core/shown_name.h"

/* ---- opening ---------------------------------------------------------------------- */

static zm_status no_memory(const char *name, zm_error *err)
{
    return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(name));
}

static zm_status read_fires(zm_scene *scene, zm_error *err)
{
    char *path = zm_folder_join(scene->folder, "fires.csv"), *bytes = NULL;
    size_t n = 0;
    zm_status st = path ? zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err)
                        : no_memory(scene->folder, err);

    if (st >= 0)
        st = zm_fires_parse(bytes, n, path, &scene->fires, &scene->n_fires, err);
    free(bytes);
    free(path);
    return st;
}

static zm_status read_weather(const zm_scene *scene, zm_fire_line *line, zm_error *err)
{
    char *path = zm_folder_join(scene->folder, line->weather_file), *bytes = NULL;
    size_t n = 0;
    zm_weather_hour *hours = NULL;
    zm_status st = path ? zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err)
                        : no_memory(scene->folder, err);

    if (st >= 0)
        st = zm_weather_parse(bytes, n, path, &hours, &line->fire.hours,
                              &line->fire.earlier_hours, NULL, err);
    line->fire.weather = hours;
    if (st >= 0 && line->fire.earlier_hours > 0) {
        line->fire.earlier = hours;
        line->fire.weather = hours + line->fire.earlier_hours;
        line->fire.hours -= line->fire.earlier_hours;
    }
    free(bytes);
    free(path);
    return st;
}

/* Cells and times of a fire that starts from more than one cell. */
static zm_status take_sources(const zm_scene *scene, const zm_table *t, zm_fire *fire,
                              zm_error *err)
{
    const zm_landscape *land = &scene->ground.landscape;
    const zm_column_rule rules[3] = { { "row", 0, land->rows - 1, true, true, 0 },
                                      { "col", 0, land->cols - 1, true, true, 0 },
                                      { "time_h", 0, 1e5, false, false, 0 } };
    double *values = malloc((3 * t->n_rows + 1) * sizeof *values);
    zm_source *sources = malloc((t->n_rows + 1) * sizeof *sources);
    zm_status st = t->n_rows ? ZM_OK
                             : zm_fail(err, ZM_E_FORMAT, -1, "%s: a header and no cells",
                                       zm_shown_name(t->name));

    if (!values || !sources)
        st = no_memory(t->name, err);
    for (size_t c = 0; st >= 0 && c < 3; c++)
        st = zm_table_numbers(t, &rules[c], values + c * t->n_rows, err);
    for (size_t i = 0; st >= 0 && i < t->n_rows; i++)
        sources[i] = (zm_source){ values[i], values[t->n_rows + i],
                                  values[2 * t->n_rows + i] };
    free(values);
    if (st < 0) {
        free(sources);
        return st;
    }
    fire->sources = sources;
    fire->n_sources = t->n_rows;
    return ZM_OK;
}

static zm_status read_sources(const zm_scene *scene, zm_fire_line *line, zm_error *err)
{
    char *path;
    zm_table t;
    zm_status st;

    if (!*line->sources_file)
        return ZM_OK;
    if (!(path = zm_folder_join(scene->folder, line->sources_file)))
        return no_memory(scene->folder, err);
    st = zm_table_read(path, &t, err);
    if (st >= 0) {
        st = take_sources(scene, &t, &line->fire, err);
        zm_table_free(&t);
    }
    free(path);
    return st;
}

static zm_status check_ignition(const zm_scene *scene, const zm_fire *fire,
                                zm_error *err)
{
    const zm_landscape *land = &scene->ground.landscape;
    const int64_t cell = (int64_t)fire->row * land->cols + fire->col;
    int32_t fuel;

    if (fire->row >= land->rows || fire->col >= land->cols)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: fire %s is ignited at row %d, column %d, outside the "
                       "landscape of %d x %d",
                       zm_shown_name(scene->folder), fire->name, fire->row, fire->col,
                       land->rows, land->cols);
    fuel = (int32_t)land->layers[ZM_LAYER_FUEL][cell];
    if (!zm_fuel_burnable(land, fuel))
        return zm_fail(err, ZM_E_FORMAT, cell,
                       "%s: fire %s is ignited at row %d, column %d, where fuel %d "
                       "cannot burn",
                       zm_shown_name(scene->folder), fire->name, fire->row, fire->col,
                       fuel);
    return ZM_OK;
}

static zm_status open_scene(const char *folder, const char *tif, const char *json,
                            const zm_fuel *fuels, size_t n_fuels, zm_scene **out,
                            zm_error *err)
{
    zm_scene *scene = calloc(1, sizeof *scene);
    const char *slash;

    if (!scene || !(scene->folder = strdup(folder))) {
        free(scene);
        return no_memory(folder, err);
    }
    for (size_t n = strlen(scene->folder); n > 1 && scene->folder[n - 1] == '/'; n--)
        scene->folder[n - 1] = '\0';
    slash = strrchr(scene->folder, '/');
    scene->name = slash && slash[1] ? slash + 1 : scene->folder;
    *out = scene;
    return zm_scene_ground_read(tif, json, fuels, n_fuels, &scene->ground, err);
}

zm_status zm_scene_open_landscape(const char *tif, const char *json, zm_scene **out,
                                  zm_error *err)
{
    zm_status st;

    if (!tif || !out)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_scene_open_landscape needs a file and a result");
    *out = NULL;
    st = open_scene(tif, tif, json, NULL, 0, out, err);
    if (st < 0) {
        zm_scene_close(*out);
        *out = NULL;
    }
    return st;
}

zm_status zm_scene_open(const char *folder, zm_scene **out, const zm_open_opts *opts,
                        zm_error *err)
{
    zm_open_opts o = ZM_OPEN_OPTS_INIT;
    char *tif, *json;
    zm_status st;

    if (!folder || !*folder || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_scene_open needs a folder and a result");
    *out = NULL;
    if ((st = zm_options_read(&o, sizeof o, opts, "zm_open_opts", err)) < 0)
        return st;
    tif = zm_folder_join(folder, "landscape.tif");
    json = zm_folder_join(folder, "scene.json");
    st = tif && json ? open_scene(folder, tif, json, o.fuels, o.n_fuels, out, err)
                     : no_memory(folder, err);
    free(tif);
    free(json);
    if (st >= 0)
        st = read_fires(*out, err);
    for (size_t i = 0; st >= 0 && i < (*out)->n_fires; i++) {
        st = check_ignition(*out, &(*out)->fires[i].fire, err);
        if (st >= 0)
            st = read_weather(*out, &(*out)->fires[i], err);
        if (st >= 0)
            st = read_sources(*out, &(*out)->fires[i], err);
    }
    if (st < 0) {
        zm_scene_close(*out);
        *out = NULL;
    }
    return st;
}

void zm_scene_close(zm_scene *scene)
{
    if (!scene)
        return;
    zm_fires_free(scene->fires, scene->n_fires);
    zm_scene_ground_free(&scene->ground);
    free(scene->folder);
    free(scene);
}

/* ---- looking ---------------------------------------------------------------------- */

const zm_landscape *zm_scene_landscape(const zm_scene *scene)
{
    return &scene->ground.landscape;
}

const zm_georeference *zm_scene_georeference(const zm_scene *scene)
{
    return &scene->ground.raster.where;
}

const char *zm_scene_folder(const zm_scene *scene)
{
    return scene->folder;
}

const char *zm_scene_name(const zm_scene *scene)
{
    return scene->name;
}

int64_t zm_scene_cells_without_data(const zm_scene *scene)
{
    return scene->ground.without_data;
}

size_t zm_scene_count(const zm_scene *scene)
{
    return scene->n_fires;
}

const zm_fire *zm_scene_fire(const zm_scene *scene, size_t i)
{
    return i < scene->n_fires ? &scene->fires[i].fire : NULL;
}

const char *zm_scene_split_word(const zm_scene *scene, size_t i)
{
    return i < scene->n_fires ? scene->fires[i].split : "";
}

zm_split zm_scene_split(const zm_scene *scene, size_t i)
{
    static const char *const words[] = { "train", "val", "test" };

    for (int s = 0; s < ZM_SPLIT_OTHER; s++)
        if (!strcmp(zm_scene_split_word(scene, i), words[s]))
            return (zm_split)s;
    return ZM_SPLIT_OTHER;
}

int64_t zm_scene_burned_cells(const zm_scene *scene, size_t i)
{
    return i < scene->n_fires ? (int64_t)scene->fires[i].burned_cells : -1;
}

size_t zm_scene_find(const zm_scene *scene, const char *fire)
{
    size_t i = 0;

    while (i < scene->n_fires && strcmp(scene->fires[i].fire.name, fire) != 0)
        i++;
    return i;
}
