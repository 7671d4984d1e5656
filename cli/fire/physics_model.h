/* SPDX-License-Identifier: Apache-2.0
 * Options of the fire model, and the maps that its verbs write. */
#ifndef ZM_CLI_FIRE_PHYSICS_MODEL_H
#define ZM_CLI_FIRE_PHYSICS_MODEL_H

#include "common/option.h"
#include "zermelo/fire/calibration_file.h"
#include "zermelo/fire/dataset.h"

/** First member of the settings of verbs that use the model. */
typedef struct model_settings {
    const char *calibration, *fuels;
    bool constant_moisture, cell_moisture;
    double foliar_moisture;
    zm_fuel_moisture moisture; /* see moisture_given */
    zm_front_kind front;
    zm_crown_model crown;
    zm_emulation emulate;
    zm_spotting_opts embers; /* of verbs that have spotting_options; else none */
} model_settings;
#define MODEL_SETTINGS_DEFAULT                                                         \
    {                                                                                  \
        .foliar_moisture = 100, .crown = ZM_CROWN_FINNEY,                              \
        .emulate = ZM_EMULATE_FARSITE, .embers = ZM_SPOTTING_OPTS_INIT                 \
    }

extern const option_table model_options;
extern const option_table factor_options; /* of verbs that take a calibration */

/** A landscape with the model's options; borrowed from scene or observed fire. */
typedef struct fire_model {
    zm_landscape land;
    zm_physics_opts opts; /* with the spotting of the settings, which have to stay */
    zm_calibration *calibration; /* NULL: none */
    zm_physics_params params;
} fire_model;

/** Fuel models of a file, to be freed.  DONE, or FAILED after a message. */
int fuels_read(const char *path, zm_fuel **out, size_t *n);

/** Open with the fuels of --fuels; s NULL: without.  DONE, or FAILED after a message. */
int scene_open(const model_settings *s, const char *folder, zm_scene **out);
int observed_open(const model_settings *s, const char *folder, zm_observed **out);

/** The same without options, of the folder `name` in `data`. */
int scene_open_in(const char *data, const char *name, zm_scene **out);
int observed_open_in(const char *data, const char *name, zm_observed **out);

/** DONE, or a usage error where --fuel-moisture is given. */
int refuse_moisture_of_scenes(const model_settings *s);

/** Reads the files of the settings.  DONE, or FAILED after a message; free with model_free. */
int model_prepare(fire_model *m, const zm_landscape *land, const model_settings *s);
void model_free(fire_model *m);

/** travel-time or markers; zm_front_kind. */
bool parse_front(const char *text, void *field);
#define FRONT_EXPECTS "travel-time or markers"

/** Planes to folder/file as GeoTIFF; with units of the bands. */
int planes_save(const char *folder, const char *file, const zm_landscape *land,
                const zm_georeference *where, int32_t bands, const float *const *planes,
                const char *const *bands_named);
int planes_save_units(const char *folder, const char *file, const zm_landscape *land,
                const zm_georeference *where, int32_t bands, const float *const *planes,
                const char *const *bands_named, const char *const *units);

/** Times of a fire to folder/FIRE.tif. */
int times_save(const char *folder, const char *fire, const zm_landscape *land,
               const zm_georeference *where, const float *T);

/** Burned areas up to a time, in the format of the path's ending; step 0: some ten of them. */
int isochrones_save(const char *path, const zm_landscape *land,
                    const zm_georeference *where, const zm_fire *fire, const float *T,
                    double until, double step);

/** DONE, or a usage error where the ending is unknown; path NULL: not wanted. */
int isochrones_check(const char *path);
#define ISOCHRONES_HELP                                                                \
    "one feature a time, in the format of the ending: .geojson, .gpkg, .kml (with "    \
    "times where the start has its year), .shp, .parquet"

/** DONE, or 128 + signal after a message with the number of maps when the tool was asked to stop. */
int maps_interrupted(size_t written, size_t wanted);

/** Where an observed fire is at time 0: the cells of its first perimeter, to be freed; NULL where
 *  its ignition is all that is known, which the model lights by itself.  DONE, or FAILED after a
 *  message where there is neither. */
int observed_sources(const zm_observed *observed, zm_source **sources, size_t *n);

#endif
