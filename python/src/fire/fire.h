/* SPDX-License-Identifier: Apache-2.0
 * What the files of the extension module zermelo._fire share.
 *
 * Private to the package zermelo.fire, like zermelo._core, whose exceptions, buffers and locks it uses.
 * What a caller could change while a fire burns is copied: weather, sources, levels.  Landscapes
 * are the library's own. */
#ifndef ZM_PYTHON_FIRE_H
#define ZM_PYTHON_FIRE_H

#include <string.h>

#include "../core.h"

#include "zermelo/fire/calibrate.h"
#include "zermelo/fire/calibration_file.h"
#include "zermelo/fire/dataset.h"
#include "zermelo/fire/ensemble.h"
#include "zermelo/fire/evidence.h"
#include "zermelo/fire/geo.h"
#include "zermelo/fire/ignition.h"
#include "zermelo/fire/physics.h"
#include "zermelo/fire/score.h"
#include "zermelo/fire/weather.h"

/* ---- module ----------------------------------------------------------------------- */

typedef struct fire_state {
    core_state core; /* exceptions of zermelo._core; no types, no pool */
    PyTypeObject *ground_type, *calibration_type, *model_type;
} fire_state;

extern PyType_Spec ground_spec, calibration_spec;
extern PyMethodDef ground_functions[], file_functions[], physics_functions[],
    calibrate_functions[], map_functions[];
#if defined(ZM_WITH_LEARN)
extern PyType_Spec model_spec;
extern PyMethodDef learn_functions[], train_functions[];
#endif

/* None, or NULL with an exception; status_passes with the columns that cells are counted by. */
PyObject *fire_none_if(const fire_state *state, zm_status status, const zm_error *err,
                       int32_t cols);

/* The state of the module that a function of it is called with. */
const fire_state *fire_state_of(PyObject *module);

/* Whether the object is of this type; else an exception is set. */
bool fire_is(PyObject *object, PyTypeObject *type, const char *name);

/* ---- ground.c --------------------------------------------------------------------- */

/* A landscape with the fires that its files tell of.  Nothing changes it after it was made: any
 * number of threads may use one. */
typedef struct ground_object {
    PyObject ob_base;
    const fire_state *state;
    zm_scene *scene; /* one of these two */
    zm_observed *observed;
    const zm_landscape *land; /* theirs, or `moved` */
    const zm_georeference *where;
    PyObject *base; /* the ground whose layers these are; NULL: its own */
    zm_landscape moved; /* the landscape of `base` with the station of other weather */
} ground_object;

/* The object, or NULL with an exception where it is none. */
const ground_object *ground_of(const fire_state *state, PyObject *object);
size_t ground_cells(const ground_object *g);

/* Floats of all cells of the landscape, to write or to read. */
bool ground_plane_open(const ground_object *g, PyObject *array, Py_buffer *view,
                       bool writable, const char *name);

/* ---- inputs.c --------------------------------------------------------------------- */

/* A fire and where it starts, copied. */
typedef struct fire_input {
    zm_fire fire;
    zm_weather_hour *weather;
    zm_source *sources; /* NULL: the ignition of the fire */
    size_t n_sources;
    const zm_observed *observed; /* NULL: it is not the observed fire of its landscape */
} fire_input;

/* From (name, row, col, duration, month, day, hour, (moistures), weather, how many hours of it come
 * before the fire, sun_ahead, whether it is the observed one) and sources, None or (k, 3) doubles.  False with an exception set; to be freed in either
 * case. */
bool fire_input_take(fire_input *in, const ground_object *g, PyObject *fire,
                     PyObject *sources);
void fire_input_free(fire_input *in);

/* From (crown, conditioning, foliar_moisture, cell_moisture, front, emulate, spotting or None), which
 * fills `embers`. */
bool physics_opts_take(zm_physics_opts *opts, zm_spotting_opts *embers, PyObject *tuple);

/* The tuple of a fire, as fire_input_take has it, without the last. */
PyObject *fire_tuple(const zm_fire *fire);

/* Hours of weather, those before a fire first. */
PyObject *hours_bytes(const zm_weather_hour *earlier, size_t n_earlier,
                      const zm_weather_hour *hours, size_t n);

/* Doubles that are copied; to be freed with PyMem_Free. */
bool doubles_take(PyObject *array, double **values, size_t *n, const char *name);

/* Cells from C's (row, col, time) to bytes. */
PyObject *sources_bytes(const zm_source *sources, size_t n);

/* ---- calibrate.c ------------------------------------------------------------------ */

typedef struct calibration_object {
    PyObject ob_base;
    const fire_state *state;
    zm_calibration calibration; /* never changed after it was made */
} calibration_object;

/* Corrections by a Calibration or None, which must outlive them. */
bool physics_params_take(const fire_state *state, PyObject *calibration,
                         zm_physics_params *params);

#endif
