/* SPDX-License-Identifier: Apache-2.0
 * Importer of Sim2Real-Fire scenes. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/month.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "fire/data/import/sim2real_files.h"
#include "fire/data/scene.h"
#include "fire/data/scene_write.h"
#include "fire/data/weather_stream.h"

typedef struct importer {
    const char *folder;
    zm_sim2real_files files;
    zm_fire_record *fires;
    char **names;
    zm_weather_hour **hours;
    size_t n_fires;
    zm_import_report report;
    zm_landscape land;
} importer;

/* ---- masks ------------------------------------------------------------------------ */

/* What the loader of the data set takes as grey: that of colours as in BT.601, rounded; burned is all
 * above 0, also where JPEG smears edges. */
static bool is_burned(const zm_raster *image, size_t pixel)
{
    const size_t n = (size_t)image->rows * (size_t)image->cols;
    const float *at = image->data + pixel;

    if (image->bands < 3)
        return *at > 0;
    return 0.299F * at[0] + 0.587F * at[n] + 0.114F * at[2 * n] >= 0.5F;
}

/* The mask on the landscape's grid: nearest pixels where it has another size. */
static zm_status read_mask(const importer *m, const char *path, uint8_t *mask,
                           zm_error *err)
{
    const int32_t rows = m->files.layers.rows, cols = m->files.layers.cols;
    zm_raster image;

    ZM_TRY(zm_raster_read(path, &image, err));
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            const int64_t y = (int64_t)r * image.rows / rows;
            const int64_t x = (int64_t)c * image.cols / cols;

            mask[(size_t)r * (size_t)cols + (size_t)c] =
                is_burned(&image, (size_t)(y * image.cols + x));
        }
    zm_raster_free(&image);
    return ZM_OK;
}

static void skip(importer *m, const char *what, const char *why)
{
    if (m->report.fires_skipped++ == 0)
        (void)snprintf(m->report.note, sizeof m->report.note, "%.80s: %s",
                       zm_file_name(what), why);
}

/* Files of hourly masks by their number; NULL where one is missing.  How many there may be. */
static int hourly_files(const zm_folder_names *files, const char **by_number)
{
    int last = -1;

    for (size_t i = 0; i < files->n; i++) {
        const int number = zm_sim2real_mask_number(files->items[i]);

        if (number >= 0) {
            by_number[number] = files->items[i];
            last = number > last ? number : last;
        }
    }
    return last + 1;
}

/* Times of first burning, h after the first mask that shows anything; < 0: failed. */
static zm_status times_from(const importer *m, const char *const *by_number, int n,
                            float *T, uint8_t *mask, int *first, int *last,
                            zm_error *err)
{
    const size_t cells = (size_t)m->files.layers.rows * (size_t)m->files.layers.cols;
    zm_status st = ZM_OK;

    *first = *last = -1;
    for (size_t i = 0; i < cells; i++)
        T[i] = INFINITY;
    for (int k = 0; st >= 0 && k < n; k++) {
        if (!by_number[k])
            continue;
        st = read_mask(m, by_number[k], mask, err);
        for (size_t i = 0; st >= 0 && i < cells; i++)
            if (mask[i] && isinf(T[i])) {
                if (*first < 0)
                    *first = k;
                T[i] = (float)(k - *first);
            }
        *last = k;
    }
    return st;
}

/* The burnable cell of the first mask nearest to its centre. */
static bool find_ignition(const importer *m, const float *T, int32_t *row, int32_t *col)
{
    const int32_t rows = m->files.layers.rows, cols = m->files.layers.cols;
    double x = 0, y = 0, nearest = INFINITY;
    int64_t n = 0;

    for (int32_t i = 0; i < rows * cols; i++)
        if (T[i] == 0) {
            x += i % cols;
            y += i / cols;
            n++;
        }
    for (int32_t i = 0; i < rows * cols; i++) {
        const double d = hypot(i % cols - x / (double)n, i / cols - y / (double)n);

        const float fuel = m->files.layers.planes[ZM_LAYER_FUEL][i];

        if (T[i] == 0 && d < nearest && !isnan(fuel) &&
            zm_fuel_burnable(&m->land, (int32_t)fuel)) {
            nearest = d;
            *row = i / cols;
            *col = i % cols;
        }
    }
    return isfinite(nearest);
}

/* ---- fires ------------------------------------------------------------------------ */

/* A name that fires.csv may hold. */
static char *clean_name(const char *name)
{
    char *copy = malloc(strlen(name) + 2), *to = copy;

    if (!copy)
        return NULL;
    if (*name == '.')
        *to++ = 'f';
    for (; *name && to - copy < 90; name++)
        *to++ = isalnum((unsigned char)*name) || strchr("._-", *name) ? *name : '_';
    *to = '\0';
    return copy;
}

/* Line k of the weather is that of mask k, counted from 1: the fire has those from its first mask on. */
static void start_at_mask(zm_weather_stream *w, int first)
{
    const size_t before = first > 1 ? (size_t)first - 1 : 0;

    if (before == 0 || before >= w->n)
        return;
    w->n -= before;
    memmove(w->hours, w->hours + before, w->n * sizeof *w->hours);
    if (w->month)
        zm_start_later(&w->month, &w->day, &w->hour, (double)before);
}

/* The name is that of the folder, with a number behind it where another fire has it. */
static char *own_name(const importer *m, const char *folder)
{
    char *name = clean_name(zm_file_name(folder));
    size_t length = name ? strlen(name) : 0;

    for (size_t i = 0, tries = 2; name && i < m->n_fires; i++)
        if (!strcmp(m->names[i], name)) {
            char *longer = realloc(name, length + 24);

            if (!longer) {
                free(name);
                return NULL;
            }
            name = longer;
            (void)snprintf(name + length, 24, "_%zu", tries++);
            i = (size_t)-1; /* from the beginning */
        }
    return name;
}

static zm_status add_fire(importer *m, const char *folder, const float *T, double hours,
                          const zm_weather_stream *w, int32_t row, int32_t col,
                          zm_error *err)
{
    const zm_fuel_moisture moisture = ZM_MOISTURE_DEFAULT;
    const size_t cells = (size_t)m->files.layers.rows * (size_t)m->files.layers.cols;
    zm_fire_record *f = &m->fires[m->n_fires];

    m->names[m->n_fires] = own_name(m, folder);
    m->hours[m->n_fires] = w->hours;
    if (!m->names[m->n_fires++])
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a name");
    f->split = zm_sim2real_split(&m->files, folder);
    f->fire = (zm_fire){ .size = sizeof(zm_fire),
                         .name = m->names[m->n_fires - 1],
                         .row = row,
                         .col = col,
                         .duration = hours,
                         .moisture = moisture,
                         .weather = w->hours,
                         .hours = w->n,
                         .start_month = w->month ? w->month : 7,
                         .start_day = w->month ? w->day : 1,
                         .start_hour = w->month ? w->hour : 12 };
    for (size_t i = 0; i < cells; i++)
        f->burned += isfinite(T[i]) ? 1 : 0;
    return zm_scene_arrival_write(m->folder, f->fire.name, T, &m->land,
                                  &m->files.layers.where, err);
}

static zm_status take_hourly(importer *m, const char *folder,
                             const zm_folder_names *files, float *T, uint8_t *mask,
                             zm_error *err)
{
    const char **by_number = calloc(ZM_MOST_MASKS, sizeof *by_number);
    const char *file = zm_sim2real_weather(&m->files, folder);
    zm_weather_stream w = { 0 };
    int32_t row = 0, col = 0;
    int first, last, n;
    zm_status st;

    if (!by_number)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for masks");
    n = hourly_files(files, by_number);
    st = times_from(m, by_number, n, T, mask, &first, &last, err);
    free(by_number);
    if (st < 0)
        return st;
    if (first < 0 || last <= first) {
        skip(m, folder, "nothing burns in its masks");
    } else if (!find_ignition(m, T, &row, &col)) {
        skip(m, folder, "the first mask shows no burnable cell");
    } else if (!file) {
        skip(m, folder, "no weather file goes with its name");
    } else {
        st = zm_weather_stream_read(file, &w, err);
        start_at_mask(&w, first);
        if (st >= 0)
            st = add_fire(m, folder, T, last - first, &w, row, col, err);
    }
    return st;
}

static zm_status import_hourly(importer *m, zm_error *err)
{
    const size_t cells = (size_t)m->files.layers.rows * (size_t)m->files.layers.cols;
    float *T = malloc(cells * sizeof *T);
    uint8_t *mask = malloc(cells);
    const char **splits = calloc(m->files.masks.n + 1, sizeof *splits);
    zm_status st = T && mask && splits
                       ? ZM_OK
                       : zm_fail(err, ZM_E_NOMEM, -1, "no memory for masks");

    for (size_t i = 0; st >= 0 && i < m->files.masks.n; i++) {
        zm_folder_names files;

        st = zm_folder_list(m->files.masks.items[i], false, &files, err);
        if (st >= 0)
            st = take_hourly(m, m->files.masks.items[i], &files, T, mask, err);
        zm_folder_names_free(&files);
    }
    if (st >= 0 && m->n_fires == 0)
        st =
            zm_fail(err, ZM_E_FORMAT, -1, "no fire could be taken: %s", m->report.note);
    if (st >= 0) {
        zm_scene_splits_draw(m->n_fires, 1, splits);
        for (size_t i = 0; i < m->n_fires; i++)
            if (!m->fires[i].split) /* none is published */
                m->fires[i].split = splits[i];
        st = zm_fires_write(m->folder, m->fires, m->n_fires, err);
        m->report.fires = m->n_fires;
    }
    free(splits);
    free(mask);
    free(T);
    return st;
}

/* ---- real fires ------------------------------------------------------------------- */

static int by_date(const void *a, const void *b)
{
    return strcmp(((const zm_perimeter *)a)->observed,
                  ((const zm_perimeter *)b)->observed);
}

static zm_status read_dated(const importer *m, const zm_folder_names *files,
                            zm_perimeters *p, zm_error *err)
{
    const size_t cells = (size_t)m->files.layers.rows * (size_t)m->files.layers.cols;
    const double cell = m->files.layers.where.transform[1] * m->files.layers.unit;
    zm_status st = ZM_OK;

    p->items = calloc(files->n, sizeof *p->items);
    if (!p->items)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for masks");
    for (size_t i = 0; st >= 0 && i < files->n; i++) {
        zm_perimeter *one = &p->items[p->n];
        zm_date date;

        if (!zm_sim2real_mask_date(files->items[i], &date))
            continue;
        if (!(one->mask = malloc(cells)))
            return zm_fail(err, ZM_E_NOMEM, -1, "no memory for masks");
        p->n++;
        (void)snprintf(one->observed, sizeof one->observed, "%s",
                       zm_date_print(&date).text);
        st = read_mask(m, files->items[i], one->mask, err);
        for (size_t k = 0; st >= 0 && k < cells; k++)
            one->cells += one->mask[k];
        one->area = (double)one->cells * cell * cell;
    }
    qsort(p->items, p->n, sizeof *p->items, by_date);
    for (size_t i = 0; i < p->n; i++)
        p->items[i].sequence = (int32_t)i + 1;
    return st;
}

static zm_status write_weather(importer *m, const char *masks, const char *folder,
                               zm_error *err)
{
    const char *file = zm_sim2real_weather(&m->files, masks);
    zm_weather_stream w = { 0 };
    zm_status st;

    if (!file) {
        skip(m, masks, "no weather file goes with its name");
        return ZM_OK;
    }
    ZM_TRY(zm_weather_stream_read(file, &w, err));
    st = zm_weather_write(folder, "weather.csv", w.hours, w.n, 0, err);
    free(w.hours);
    return st;
}

/* Dated masks of one fire to an observed fire in a folder, which has the landscape. */
static zm_status import_dated(importer *m, const char *masks, const char *folder,
                              zm_error *err)
{
    zm_perimeters p = { 0 };
    zm_folder_names files = { 0 };
    char *path = zm_folder_join(folder, "perimeters.gpkg");
    zm_status st = path ? zm_folder_list(masks, false, &files, err)
                        : zm_fail(err, ZM_E_NOMEM, -1, "no memory");

    if (st >= 0)
        st = read_dated(m, &files, &p, err);
    if (st >= 0)
        st = zm_perimeters_write(path, &p, m->files.layers.rows, m->files.layers.cols,
                                 &m->files.layers.where, err);
    m->report.perimeters += p.n;
    zm_perimeters_free(&p);
    zm_folder_names_free(&files);
    free(path);
    return st >= 0 ? write_weather(m, masks, folder, err) : st;
}

/* One fire into the folder itself, several each into a folder of its name, with the landscape. */
static zm_status import_observed(importer *m, zm_error *err)
{
    const size_t n = m->files.masks.n;
    zm_status st = ZM_OK;

    if (n == 1)
        return import_dated(m, m->files.masks.items[0], m->folder, err);
    for (size_t i = 0; st >= 0 && i < n; i++) {
        char *name = clean_name(zm_file_name(m->files.masks.items[i]));
        char *folder = name ? zm_folder_join(m->folder, name) : NULL;

        st = folder ? zm_layers_write(&m->files.layers, &m->land, folder, err)
                    : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a name");
        if (st >= 0)
            st = import_dated(m, m->files.masks.items[i], folder, err);
        free(folder);
        free(name);
    }
    return st;
}

/* ---- the whole -------------------------------------------------------------------- */

static zm_status import_masks(importer *m, const char *scene, zm_error *err)
{
    zm_folder_names files;
    bool hourly = false;
    zm_status st;

    if (m->files.masks.n == 0)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: no folder of masks (out1.jpg, ... or dated ones)",
                       zm_shown_name(scene));
    st = zm_folder_list(m->files.masks.items[0], false, &files, err);
    for (size_t i = 0; st >= 0 && i < files.n; i++)
        hourly |= zm_sim2real_mask_number(files.items[i]) >= 0;
    if (st >= 0)
        st = hourly ? import_hourly(m, err) : import_observed(m, err);
    zm_folder_names_free(&files);
    return st;
}

static zm_status prepare(importer *m, const char *scene, zm_error *err)
{
    zm_status st = zm_sim2real_find(scene, &m->files, err);

    if (st >= 0 && m->files.layers.rows == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1,
                     "%s: no LANDFIRE raster in folders with Topography, Vegetation or "
                     "Fuel in their names",
                     zm_shown_name(scene));
    if (st >= 0)
        st = zm_layers_finish(&m->files.layers, scene, &m->land, &m->report, err);
    if (st >= 0)
        st = zm_layers_write(&m->files.layers, &m->land, m->folder, err);
    if (st < 0)
        return st;
    m->fires = calloc(m->files.masks.n + 1, sizeof *m->fires);
    m->names = calloc(m->files.masks.n + 1, sizeof *m->names);
    m->hours = calloc(m->files.masks.n + 1, sizeof *m->hours);
    return m->fires && m->names && m->hours
               ? ZM_OK
               : zm_fail(err, ZM_E_NOMEM, -1, "no memory for fires");
}

zm_status zm_import_sim2real(const char *scene, const char *folder,
                             zm_import_report *report, zm_error *err)
{
    importer m = { .folder = folder, .report = ZM_IMPORT_REPORT_INIT };
    zm_status st;

    ZM_TRY(zm_options_check_report(report, "zm_import_report", err));
    if (!scene || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1, "zm_import_sim2real needs two folders");
    st = prepare(&m, scene, err);
    if (st >= 0)
        st = import_masks(&m, scene, err);
    zm_options_write_report(report, &m.report, sizeof m.report);
    for (size_t i = 0; i < m.n_fires; i++) {
        free(m.names[i]);
        free(m.hours[i]);
    }
    free(m.names);
    free(m.hours);
    free(m.fires);
    zm_sim2real_free(&m.files);
    return st;
}
