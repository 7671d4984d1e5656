/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: files of any bytes (see fuzz_unpack), the first of them read as perimeters, are masks
 * that keep their promises or an error with a message, and the same again after they were written.
 * Read as shapes (assets, breaks), it covers cells or is an error with a message, and so are
 * ignitions, barriers and treatments.
 * Run: fuzz_perimeters tests/fuzz/corpus_perimeters */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/edits.h"
#include "zermelo/fire/geo.h"
#include "zermelo/fire/ignition.h"
#include "zermelo/limit.h"

enum { ROWS = 20, COLS = 25 };

static const zm_georeference place = { { 500000, 30, 0, 4500000, 0, -30 }, "" };

static void check(const zm_perimeters *p)
{
    int64_t inside = 0;

    require(p->n >= 1);
    for (size_t i = 0; i < p->n; i++) {
        int64_t cells = 0;

        require(memchr(p->items[i].observed, '\0', sizeof p->items[i].observed) !=
                NULL);
        for (int k = 0; k < ROWS * COLS; k++) {
            require(p->items[i].mask[k] <= 1);
            cells += p->items[i].mask[k];
        }
        require(cells == p->items[i].cells);
        require(i == 0 || strcmp(p->items[i - 1].observed, p->items[i].observed) <= 0);
        inside += cells;
    }
    require(inside > 0);
}

static void write_and_read(const zm_perimeters *p)
{
    const char *path = fuzz_path("again.gpkg");
    zm_error err = { ZM_OK, 0, "" };
    zm_perimeters again;
    zm_status st = zm_perimeters_write(path, p, ROWS, COLS, &place, &err);

    if (st < 0) {
        require_message(st, &err);
        return;
    }
    st = zm_perimeters_read(path, ROWS, COLS, &place, &again, &err);
    require(st >= 0);
    check(&again);
    zm_perimeters_free(&again);
}

static void read_cells(const char *path)
{
    static uint8_t mask[ROWS * COLS];
    zm_error err = { ZM_OK, 0, "" };
    int covered = 0;
    zm_status st;

    memset(mask, 7, sizeof mask);
    st = zm_cells_read(path, ROWS, COLS, &place, mask, &err);
    if (st < 0) {
        require_message(st, &err);
        return;
    }
    for (int k = 0; k < ROWS * COLS; k++) {
        require(mask[k] <= 1);
        covered += mask[k];
    }
    require(covered > 0);
}

/* As ignitions, barriers and treatments of a landscape. */
static void read_edits(const char *path)
{
    static float layers[ZM_LAYERS][ROWS * COLS];
    static double from[ROWS * COLS];
    const zm_time start = { 2013, 9, 2, 12, 0 };
    const char *const words[1] = { path };
    zm_landscape land = ZM_LANDSCAPE_INIT;
    float *planes[ZM_LAYERS];
    zm_error err = { ZM_OK, 0, "" };
    zm_source *sources;
    zm_time first;
    size_t n;
    zm_status st;

    land.rows = ROWS;
    land.cols = COLS;
    land.cell = 30;
    for (int k = 0; k < ZM_LAYERS; k++)
        land.layers[k] = planes[k] = layers[k];
    for (int i = 0; i < ROWS * COLS; i++)
        layers[ZM_LAYER_FUEL][i] = i % 7 ? 1 : 98;
    if ((st = zm_ignition_words_start(words, 1, &first, &err)) < 0)
        require_message(st, &err);
    st = zm_ignition_words_cells(words, 1, &start, &land, &place, &sources, &n, NULL, &err);
    if (st < 0)
        require_message(st, &err);
    require(st < 0 ? !sources : n >= 1);
    free(sources);
    st = zm_barriers_read(path, &start, &land, &place, from, &err);
    if (st < 0)
        require_message(st, &err);
    for (int i = 0; st >= 0 && i < ROWS * COLS; i++)
        require(from[i] >= 0);
    if ((st = zm_treatments_apply(path, &land, &place, planes, NULL, &err)) < 0)
        require_message(st, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *folder = fuzz_unpack("in", bytes, n);
    zm_error err = { ZM_OK, 0, "" };
    zm_perimeters p;
    char path[300];
    zm_status st;

    snprintf(path, sizeof path, "%s/", folder);
    for (size_t i = 1, at = strlen(path);
         i < n && bytes[i] != '\n' && at + 1 < sizeof path; i++, path[at] = '\0')
        path[at++] = (char)bytes[i];
    zm_read_limit_set((size_t)64 << 20);
    st = zm_perimeters_read(path, ROWS, COLS, &place, &p, &err);
    if (st < 0)
        require_message(st, &err);
    else {
        check(&p);
        write_and_read(&p);
    }
    zm_perimeters_free(&p);
    read_cells(path);
    read_edits(path);
    return 0;
}
