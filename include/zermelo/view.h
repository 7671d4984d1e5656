/* SPDX-License-Identifier: Apache-2.0
 * Pages: one HTML file that shows maps and solves again by itself.
 *
 * A page holds fields of one grid (arrival times, metric, landscape, ...), what is known about
 * them, and the solver as WebAssembly.  It needs neither server nor network.  docs/view.md shows
 * how to make one, web/README.md has the format.  This is libzermelo_view, which needs zlib. */
#ifndef ZM_VIEW_H
#define ZM_VIEW_H

#include "alloc.h"
#include "fire/ensemble.h"
#include "fire/physics.h"
#include "forward.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A page under construction.  One thread at a time per page; any number of pages. */
typedef struct zm_view zm_view;

/** What a page may have in bytes unless its options say otherwise: browsers refuse texts of twice
 *  that. */
#define ZM_VIEW_MOST_BYTES ((size_t)256 << 20)

/** Texts are UTF-8; what is none of it is shown as U+FFFD, whatever they say is shown as it is and
 *  never run.  NULL: not known. */
typedef struct zm_view_opts {
    size_t size; /**< sizeof(zm_view_opts): lets the struct grow later */
    const char *title;
    double across, down;     /**< length of a cell along its row and its column; 0: not known */
    const char *unit_time, *unit_length; /**< as they are shown, "h" and "m" */
    const char *colormap;    /**< of times: viridis, magma, cividis or fire; NULL: viridis */
    const char *command;     /**< of the tool, which does what the page does, without what the page
                                  can change */
    size_t most_bytes;       /**< 0: ZM_VIEW_MOST_BYTES */
    zm_alloc mem;            /**< of the fields; all zero: malloc and free */
} zm_view_opts;
#define ZM_VIEW_OPTS_INIT                                                              \
    {                                                                                  \
        sizeof(zm_view_opts), NULL, 0.0, 0.0, NULL, NULL, NULL, NULL, 0,               \
            { NULL, NULL, NULL }                                                       \
    }

/**
 * Begins a page about a grid.
 *
 * @param rows, cols in   >= 1, of less than 2^30 cells
 * @param out        out  to be given to zm_view_destroy; NULL after a failure
 * @param opts       in   NULL means ZM_VIEW_OPTS_INIT; its texts are copied
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_view_create(int32_t rows, int32_t cols, zm_view **out,
                                const zm_view_opts *opts, zm_error *err);
ZM_API void zm_view_destroy(zm_view *page); /**< NULL is allowed */

/** What a field is.  Numbers that are not finite are "never" in times, and no data elsewhere. */
typedef enum zm_view_role {
    ZM_VIEW_TIMES = 0,   /**< arrival times; the first ones are shown first */
    ZM_VIEW_OBSERVED,    /**< arrival times that are true or observed */
    ZM_VIEW_PROBABILITY, /**< of burning, 0 to 1 */
    ZM_VIEW_METRIC,      /**< 1 plane (G = g I) or 3: g11, g12, g22 */
    ZM_VIEW_DRIFT,       /**< 2 planes: b1, b2 */
    ZM_VIEW_OBSTACLES,   /**< bytes: not zero where nothing enters */
    ZM_VIEW_MAP,         /**< any map */
    ZM_VIEW_SIGNED       /**< a map with colours about zero: a gradient */
} zm_view_role;

typedef enum zm_view_type { ZM_VIEW_F64 = 0, ZM_VIEW_F32, ZM_VIEW_I16, ZM_VIEW_U8 } zm_view_type;

enum { ZM_VIEW_MOST_PLANES = 3 };

/** A field.  Texts may be NULL. */
typedef struct zm_view_field {
    size_t size; /**< sizeof(zm_view_field): lets the struct grow later */
    zm_view_role role;
    zm_view_type type;
    int32_t n_planes;                        /**< 1, or as the role has it */
    const void *planes[ZM_VIEW_MOST_PLANES]; /**< rows*cols each, row 0 on top */
    const char *name;                        /**< of its file or layer */
    const char *label;                       /**< in the list of layers; NULL: the name */
    const char *unit;
} zm_view_field;
#define ZM_VIEW_FIELD_INIT                                                             \
    {                                                                                  \
        sizeof(zm_view_field), ZM_VIEW_TIMES, ZM_VIEW_F64, 1, { NULL, NULL, NULL },    \
            NULL, NULL, NULL                                                           \
    }

/**
 * Adds a field.  Its values are kept to the last bit, compressed; nothing of it is needed after
 * the call.  There is at most one metric, one drift and one field of obstacles.
 *
 * @param index out  number of the field, from 0; or NULL
 * @return ZM_OK; ZM_E_ARG (role, type, planes, a page that gets too large); ZM_E_NOMEM; after a
 *         failure the page is as it was
 */
ZM_API zm_status zm_view_add(zm_view *page, const zm_view_field *field, int32_t *index,
                             zm_error *err);

/** Where the grid is on the Earth. */
typedef struct zm_view_place {
    size_t size;         /**< sizeof(zm_view_place): lets the struct grow later */
    const char *crs;     /**< name of the coordinate system; or NULL */
    int32_t epsg;        /**< its number; 0: none */
    const char *wkt;     /**< well-known text; or NULL */
    double transform[6]; /**< cell (row, col) has its corner at x = t[0] + col t[1] + row t[2],
                              y = t[3] + col t[4] + row t[5] */
    double north;        /**< degrees clockwise from up, at the middle; NAN: not known */
    int32_t lonlat_rows, lonlat_cols; /**< 0: not known */
    const double *lon, *lat; /**< degrees; so many points, evenly from the middle of the first cell
                                  to that of the last, rows first; NAN where there is none */
} zm_view_place;
#define ZM_VIEW_PLACE_INIT                                                             \
    {                                                                                  \
        sizeof(zm_view_place), NULL, 0, NULL, { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 },        \
            (double)NAN, 0, 0, NULL, NULL                                              \
    }

/** Says where the grid is; the last call counts.  ZM_OK, ZM_E_ARG, ZM_E_NOMEM. */
ZM_API zm_status zm_view_set_place(zm_view *page, const zm_view_place *place,
                                   zm_error *err);

/**
 * How the page solves at first, with its fields of metric, drift and obstacles.  Of a page with a
 * fire that is of no use; the last call counts.
 *
 * @param sources in  n of them inside the grid
 * @param dtype   in  numbers it solves in
 * @param solver  in  stencils, order, factor_radius and periodic count; NULL: ZM_SOLVER_OPTS_INIT
 * @param forward in  t_max counts; NULL: ZM_FORWARD_OPTS_INIT
 * @return ZM_OK, ZM_E_ARG, ZM_E_SOURCE, ZM_E_NOMEM
 */
ZM_API zm_status zm_view_set_solve(zm_view *page, const zm_source *sources, size_t n,
                                   zm_dtype dtype, const zm_solver_opts *solver,
                                   const zm_forward_opts *forward, zm_error *err);

/**
 * Makes it a page about fires: adds the layers of the landscape, whose rows and columns must be
 * those of the page, and what the model has.  At most once.
 *
 * @param physics  in  NULL: ZM_PHYSICS_OPTS_INIT
 * @param params   in  wind_factor, moisture_offset and fuel_factor; it must not have planes, which
 *                     a page cannot burn with.  NULL: ZM_PHYSICS_PARAMS_INIT
 * @param ensemble in  what the page draws from; NULL: ZM_ENSEMBLE_OPTS_INIT
 * @return ZM_OK, ZM_E_ARG, ZM_E_STATE (twice), ZM_E_UNSUPPORTED (planes, spotting), ZM_E_NOMEM; after a
 *         failure the page is as it was
 */
ZM_API zm_status zm_view_set_model(zm_view *page, const zm_landscape *landscape,
                                   const zm_physics_opts *physics,
                                   const zm_physics_params *params,
                                   const zm_ensemble_opts *ensemble, zm_error *err);

/** A fire of a page. */
typedef struct zm_view_fire {
    size_t size;         /**< sizeof(zm_view_fire): lets the struct grow later */
    const zm_fire *fire; /**< its ignition may be unknown where there are sources */
    const zm_source *sources; /**< n_sources cells that burn at these times, as of
                                   zm_physics_arrival; NULL: those of the fire, else its
                                   ignition */
    size_t n_sources;
    double hours;     /**< to which it burns, > 0 and finite */
    int32_t times;    /**< number of the field with its times, -1: none */
    int32_t observed; /**< number of the field with what is known of it, -1: none */
} zm_view_fire;
#define ZM_VIEW_FIRE_INIT                                                              \
    {                                                                                  \
        sizeof(zm_view_fire), NULL, NULL, 0, 0.0, -1, -1                               \
    }

/** Adds a fire to a page with a model.  ZM_OK, ZM_E_ARG, ZM_E_STATE (no model), ZM_E_NOMEM; after a
 *  failure the page is as it was. */
ZM_API zm_status zm_view_add_fire(zm_view *page, const zm_view_fire *fire,
                                  zm_error *err);

/**
 * Adds a table of numbers, such as the history of an inversion.
 *
 * @param values in  n_rows*n_columns, row after row; what is not finite is shown empty
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM; after a failure the page is as it was
 */
ZM_API zm_status zm_view_add_table(zm_view *page, const char *title,
                                   const char *const *columns, size_t n_columns,
                                   const double *values, size_t n_rows, zm_error *err);

/** Bytes that the page has as it is.  ZM_OK, ZM_E_NOMEM. */
ZM_API zm_status zm_view_length(const zm_view *page, size_t *bytes, zm_error *err);

/**
 * Writes the page as zm_file_write does: the file is replaced at once, or left as it was.
 *
 * @return ZM_OK; ZM_E_ARG (larger than the limit; nothing is written); ZM_E_IO, ZM_E_NOMEM
 */
ZM_API zm_status zm_view_write(const zm_view *page, const char *path, zm_error *err);

/** Takes n bytes more of a page; 0: go on, else it ends with ZM_E_CANCELLED. */
typedef int zm_view_sink(void *ctx, const void *bytes, size_t n);

/** The same into the hands of the caller, zm_view_length bytes in order. */
ZM_API zm_status zm_view_write_to(const zm_view *page, zm_view_sink *sink, void *ctx,
                                  zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
