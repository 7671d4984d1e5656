/* SPDX-License-Identifier: Apache-2.0
 * A fire to train with: its window, what is known of its times, where it starts. */
#ifndef ZM_LEARN_SAMPLE_H
#define ZM_LEARN_SAMPLE_H

#include "fire/learn/field.h"

/** A landscape with its channels, shared by its fires. */
typedef struct zm_place {
    const zm_landscape *landscape;
    zm_terrain *ground;
} zm_place;

typedef struct zm_sample {
    const zm_place *place;
    const zm_fire *fire;
    zm_area window;
    float *truth;       /**< h, INFINITY: not burned; the window */
    double *low, *high; /**< interval in which each cell burned */
    double *weight;     /**< in the loss */
    zm_source *sources;
    size_t n_sources;
    bool lit; /**< they are the block about the ignition */
    zm_hour *hours;
    size_t n_hours;
    double start;    /**< h after ignition at which the first of `hours` begins */
    double duration; /**< h */
    double area;     /**< burned, m^2 */
} zm_sample;

/**
 * Makes a sample from the times of a fire over its whole landscape.
 *
 * @param truth    in  rows*cols of the landscape; INFINITY: not burned
 * @param censored in  weight of cells that did not burn, relative to those that did
 * @param mean     in  non-zero: mean weather
 */
zm_status zm_sample_create(zm_sample **out, const zm_place *place, const zm_fire *fire,
                           const float *truth, double censored, int mean,
                           zm_error *err);

/** The part of a fire between two times: the source is where it had burned by `from`, at the
 *  time `from`; only cells that burn until `to` count. */
zm_status zm_sample_band(zm_sample **out, const zm_sample *whole, double from,
                         double to, zm_error *err);

/**
 * One patch of a fire (zm_patches_find): a source for each connected part, times from when it
 * was entered, mean weather.  Cells that did not burn do not count, as parts end at times of
 * their own.
 *
 * @param out   out  NULL, with ZM_OK: nothing with fuel burns but the sources
 * @param truth in   rows*cols of the landscape; INFINITY: not burned
 * @param patch in   has burned cells, ZM_SAMPLE_LEAST or more
 */
zm_status zm_sample_patch(zm_sample **out, const zm_place *place, const zm_fire *fire,
                          const float *truth, const zm_patch *patch, zm_error *err);

/** A fire that was observed at some dates, from its first perimeter on. */
zm_status zm_sample_observed(zm_sample **out, const zm_place *place,
                             const zm_observed *observed, int mean, zm_error *err);

/** Bounding box of the burned cells and the ignition where it is known, with a margin. */
zm_area zm_sample_window(const zm_terrain *ground, const zm_fire *fire,
                         const float *truth);

/** A sample with arrays for its window and room for sources; NULL: out of memory. */
zm_sample *zm_sample_allocate(zm_area window, size_t n_sources);

void zm_sample_destroy(zm_sample *sample);

/** Fewest burned cells of a sample. */
enum { ZM_SAMPLE_LEAST = 10 };

/** Intervals, weights and area from truth, duration and sources: burned cells have a known time
 *  and share the weight 1; the others, `censored` times as heavy, did not burn before the end.
 *  Sources have no weight, nor have cells that burned though there is no fuel (readout.c). */
zm_status zm_sample_set_intervals(zm_sample *sample, double censored, zm_error *err);

/** The latest true time, h; 0 where nothing burned later. */
double zm_sample_latest(const zm_sample *sample);

/** Times of an area as an observer sees them: cells without fuel by their rim (readout.c). */
void zm_sample_readout(const zm_terrain *ground, zm_area area, double rim,
                       const float *T, float *out);

/** The same for the times of a model; physics has its own rule for such cells. */
void zm_model_readout(const zm_model *model, const zm_terrain *ground, zm_area area,
                      const float *T, float *out);

/** Sources in the 3 x 3 block about a cell of a window: room for 9; their number. */
size_t zm_sample_ignition_block(zm_area window, int32_t row, int32_t col, double time,
                                zm_source *sources);

#endif
