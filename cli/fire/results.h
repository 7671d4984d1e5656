/* SPDX-License-Identifier: Apache-2.0
 * Scores of many fires, as tables, JSON and a report with figures. */
#ifndef ZM_CLI_FIRE_RESULTS_H
#define ZM_CLI_FIRE_RESULTS_H

#include "common/json.h"
#include "zermelo/fire/dataset.h"
#include "zermelo/fire/score.h"

typedef struct fire_result {
    char *scene, *fire;
    zm_score score;
    const char *missing; /**< why it is counted and has no scores; NULL: it has */
} fire_result;

/** Start with { 0 }. */
typedef struct fire_results {
    fire_result *items;
    size_t n, room;
} fire_results;

void fire_results_add(fire_results *r, const char *scene, const char *fire,
                      const zm_score *score);
/** A fire that cannot be scored; `why` is kept as a pointer, e.g. "no prediction". */
void fire_results_add_missing(fire_results *r, const char *scene, const char *fire,
                              const char *why);
void fire_results_free(fire_results *r);

/** For qsort of doubles. */
int ascending(const void *a, const void *b);

/** The columns of the tables, in their order. */
enum { RESULT_COLUMNS = 8 };
typedef struct result_column {
    const char *name, *key; /**< in tables, in JSON */
    int digits;
    size_t at; /**< of the double in a zm_score */
} result_column;
extern const result_column result_columns[RESULT_COLUMNS];

/** Mean, median and interval of a column over the fires of a scene (NULL: of all). */
zm_summary fire_results_summary(const fire_results *r, int column, const char *scene);

/** Table on standard output: a line a fire if `each`, a line a scene, the whole; then what is
 *  missing or degenerate, by name; that alone where nothing has scores. */
void fire_results_print(const fire_results *r, bool each);

/** The same as members "fires", "scenes", "all" of the object that is open. */
void fire_results_json(const fire_results *r, json *j);

/** A line a fire. */
int fire_results_csv(const fire_results *r, const char *path);

/** Fetches the maps of a fire for the figures; false: cannot.  Both arrays have the landscape's
 *  rows*cols. */
typedef struct fire_maps {
    void *ctx;
    /** Landscape and ignition of result i, and its maps, which the callee owns until the next
     *  call for the same slot (0, 1, 2). */
    bool (*get)(void *ctx, size_t i, int slot, const zm_landscape **land, int32_t *row,
                int32_t *col, const float **truth, const float **predicted);
} fire_maps;

/** Folder with report.md, scores.csv, scores.json and, in builds with Cairo, examples.png (best,
 *  typical, challenging) and curves.png.  maps NULL: no examples. */
int fire_results_report(const fire_results *r, const char *folder, const char *title,
                        const fire_maps *maps);

#endif
