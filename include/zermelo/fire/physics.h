/* SPDX-License-Identifier: Apache-2.0
 * Fire physics: landscape and weather in, fire ellipse and metric per cell and hour and
 * arrival times out, with exact derivatives of all of it.
 *
 * Rothermel's surface fire with the published fuel models, wind in and under canopies, slope,
 * dead fuel moisture by hour, crown fire (docs/fire-physics.md has formulas and sources).
 * Nothing is trained.  What is learned or calibrated comes in as zm_physics_params: factors
 * per fuel model, on the wind, on moisture, and fields that correct each cell. */
#ifndef ZM_PHYSICS_H
#define ZM_PHYSICS_H

#include "../alloc.h"
#include "../problem.h"
#include "landscape.h"
#include "spotting.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ZM_FUEL_NUMBERS = 256,    /**< fuel models are numbered below */
    ZM_MOST_FIRE_HOURS = 2400 /**< that a fire may have */
};

/** A published fuel model (1-13 of NFFL, 101-204 of Scott and Burgan), or NULL. */
ZM_API const zm_fuel *zm_fuel_published(int32_t number);

/** The landscape's own fuel model of this number, else the published one, else NULL: does
 *  not burn. */
ZM_API const zm_fuel *zm_landscape_fuel(const zm_landscape *landscape, int32_t number);

/**
 * Reads fuel models from text in FARSITE's form: a line each of
 *
 *     number code 1h 10h 100h herb woody type s2v_1h s2v_herb s2v_woody depth extinction
 *     heat_dead heat_live [name]
 *
 * loads in t/acre, ratios in 1/ft, depth in ft, extinction in percent, heat in BTU/lb, type
 * `static` or `dynamic`; some dead fuel.  A first line ENGLISH, empty lines and lines that
 * start with # are passed over.
 *
 * @param fuels    out  room for `capacity`, or NULL to count
 * @param count    out  number of models, also when it exceeds `capacity`
 * @return ZM_OK; ZM_E_FORMAT, the message names line and field; ZM_E_ARG (too many)
 */
ZM_API zm_status zm_fuels_parse(const char *text, size_t length, zm_fuel *fuels,
                                size_t capacity, size_t *count, zm_error *err);

/** Fire on level or sloping ground in a steady wind: one point of Rothermel's model.  This struct
 *  is frozen. */
typedef struct zm_surface_fire {
    double rate_no_wind; /**< m/min, no wind and no slope */
    double rate;         /**< m/min towards the head */
    double length_to_breadth;
    double heading;            /**< degrees clockwise from north, on the map */
    double reaction_intensity; /**< kW/m^2 */
    double fireline_intensity; /**< kW/m */
    double flame_length;       /**< m (Byram 1959) */
} zm_surface_fire;

/**
 * Surface fire in one fuel.
 *
 * @param fuel     in
 * @param moisture in   percent
 * @param wind     in   midflame, km/h, >= 0
 * @param wind_dir in   degrees, where it comes from
 * @param slope, aspect in  degrees; the aspect points down the slope
 * @param out      out  rates 0 where the fuel is too wet to burn
 */
ZM_API zm_status zm_surface_fire_of(const zm_fuel *fuel,
                                    const zm_fuel_moisture *moisture, double wind,
                                    double wind_dir, double slope, double aspect,
                                    zm_surface_fire *out, zm_error *err);

/** What carries the fire from cell to cell. */
typedef enum zm_front_kind {
    /** Minimum travel time: the first arrival, the solution of the eikonal equation. */
    ZM_FRONT_TRAVEL_TIME = 0,
    /** Marker perimeter: a line that moves by its points, as in FARSITE (Finney 1998).  There is a
     *  point every two cells.  It goes one cell at most before it looks at its ground again, stops
     *  where it finds no fuel, and accelerates where it finds better fuel.  Times agree with
     *  FARSITE's better than minimum travel times do.  Where such a line gets past barriers
     *  depends on where its points happen to be, so it has no derivatives of its own: those of
     *  travel times stand for them. */
    ZM_FRONT_MARKERS = 1
} zm_front_kind;

/** How crowns burn where there is a canopy.  Both models let crowns catch fire by Van Wagner (1977)
 *  and run in them at 3.34 times the rate of fuel model 10 (Rothermel 1991). */
typedef enum zm_crown_model {
    ZM_CROWN_NONE = 0, /**< surface fire only */
    /** The share of crowns that burn follows Van Wagner (1993); the front runs in them where the
     *  blend of both rates reaches 3/density m/min, else at the rate of the surface.  As FARSITE
     *  by the method of Finney (1998). */
    ZM_CROWN_FINNEY = 1,
    /** The share grows linearly from the surface rate at which crowns catch fire to that in the wind
     *  at which they can carry it, and all of the front has the blend of both rates.  Scott and
     *  Reinhardt (2001). */
    ZM_CROWN_SCOTT_REINHARDT = 2
} zm_crown_model;

typedef struct zm_physics_opts {
    size_t size;          /**< sizeof(zm_physics_opts) */
    zm_alloc mem;         /**< all zero: malloc and free; also used while solving */
    zm_crown_model crown; /**< ZM_CROWN_FINNEY */
    int32_t
        conditioning; /**< 1: dead fuel moisture by hour and place; 0: as at ignition */
    double foliar_moisture; /**< percent */
    double
        acceleration; /**< travel time, 1/min: a point fire runs R(1 - exp(-acceleration t));
                                 HUGE_VAL: at full speed at once */
    double
        smoothing; /**< travel time: standard deviation in cells over which it averages with its
                           eight neighbours, 0 to 0.8; 0: none */
    double
        hindrance; /**< travel time: slowness grows by this factor times the share of neighbours
                                 that do not burn */
    int32_t
        enclosed; /**< travel time: a cell whose fuel cannot burn counts as burned when so many
                           of its eight neighbours have that stand in a row around it, or two sides
                           that meet and the corner between; 0: never */
    int32_t
        moisture_classes; /**< 1: moisture of classes of ground, as in FARSITE; 0: of
                                   every cell for itself */
    zm_front_kind front;  /**< what carries the fire */
    const zm_spotting_opts
        *spotting; /**< embers, or NULL; copied.  They go with minimum travel times: the
                        fires that they light are sources, and derivatives take these as given */
} zm_physics_opts;
#define ZM_PHYSICS_OPTS_INIT                                                           \
    {                                                                                  \
        sizeof(zm_physics_opts), { NULL, NULL, NULL }, ZM_CROWN_FINNEY, 1, 100.0, 0.8, \
            0.5, 6.0, 4, 1, ZM_FRONT_TRAVEL_TIME, NULL                                 \
    }

/** What of a program the model repeats beyond the published laws. */
typedef enum zm_emulation {
    ZM_EMULATE_NONE =
        0, /**< nothing: no smoothing, no hindrance, nothing burns that cannot, and
                              moisture of every cell for itself */
    ZM_EMULATE_FARSITE =
        1 /**< FARSITE, to whose fires these constants were fitted: the default */
} zm_emulation;

/** Sets smoothing, hindrance, enclosed and moisture_classes of `opts`.  ZM_OK; ZM_E_ARG. */
ZM_API zm_status zm_physics_emulate(zm_physics_opts *opts, zm_emulation emulation,
                                    zm_error *err);

/** Corrections of the model.  Every pointer is borrowed until the fire is set anew. */
typedef struct zm_physics_params {
    size_t size;
    double wind_factor;     /**< on the wind speed, >= 0 */
    double moisture_offset; /**< added to dead fuel moisture, percent */
    const double
        *fuel_factor; /**< ZM_FUEL_NUMBERS factors on the rate of spread; NULL: 1 */
    const double *log_rate;   /**< plane: logarithm of a factor on the rate; NULL: 0 */
    const double *rotation;   /**< plane: turns the heading, radians clockwise */
    const double *elongation; /**< plane: length/breadth - 1 times exp of this */
    const double *log_wind;   /**< plane: logarithm of a factor on the wind speed */
    const double *wetness;    /**< plane: added to dead fuel moisture, percent */
    const double
        *barrier; /**< plane: h from which the cell is a barrier, 0 or less: from the
                                 beginning, INFINITY: never; NULL: no barriers.  No front enters one,
                                 or slips between two that touch at a corner.  What has burned by
                                 then stays burned and goes on */
    uint64_t
        embers_draw; /**< which of the draws of embers; the same draw, the same embers */
} zm_physics_params;
#define ZM_PHYSICS_PARAMS_INIT                                                         \
    {                                                                                  \
        sizeof(zm_physics_params), 1.0, 0.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
            0                                                                          \
    }

/**
 * Derivatives with respect to, or a change of, all that the arrival times depend on, in the units
 * of the thing itself.  Arrays are the caller's; NULL: not wanted, or 0.
 */
typedef struct zm_physics_change {
    size_t size; /**< sizeof(zm_physics_change): lets the struct grow later */
    double wind_factor, moisture_offset;
    double fuel_factor[ZM_FUEL_NUMBERS];
    zm_fuel_moisture moisture;                /**< at ignition */
    zm_weather_hour *weather;                 /**< as many as the fire has hours */
    double *log_rate, *rotation, *elongation; /**< planes */
    double *log_wind, *wetness;               /**< planes */
} zm_physics_change;
#define ZM_PHYSICS_CHANGE_INIT                                                         \
    {                                                                                  \
        sizeof(zm_physics_change), 0.0, 0.0, { 0.0 }, { 0.0, 0.0, 0.0, 0.0, 0.0 },     \
            NULL, NULL, NULL, NULL, NULL, NULL                                         \
    }

/** Model of one landscape, with the fire it is set to.  One thread at a time per handle. */
typedef struct zm_physics zm_physics;

/**
 * Makes a model.
 *
 * @param landscape in  borrowed until destroy.  Without canopy height, base or density
 *                      15 m, 4 m and 0.20 kg/m^3 hold, as in FARSITE
 * @return ZM_OK, ZM_E_ARG (err->cell where a layer is to blame), ZM_E_NOMEM
 */
ZM_API zm_status zm_physics_create(zm_physics **out, const zm_landscape *landscape,
                                   const zm_physics_opts *opts, zm_error *err);
ZM_API void zm_physics_destroy(zm_physics *physics); /**< NULL is allowed */

/**
 * Sets ignition, weather and corrections.
 *
 * @param fire    in  its weather is copied; row and col -1: the ignition is not known
 * @param params  in  NULL means ZM_PHYSICS_PARAMS_INIT
 * @param horizon in  h, > 0: hours up to here have their own weather; beyond, the last holds.
 *                    At most ZM_MOST_FIRE_HOURS
 */
ZM_API zm_status zm_physics_set_fire(zm_physics *physics, const zm_fire *fire,
                                     const zm_physics_params *params, double horizon,
                                     zm_error *err);

/** Number of hours that have a metric of their own: the horizon, rounded up. */
ZM_API int32_t zm_physics_hours(const zm_physics *physics);

/**
 * Metric of an hour as planes for zm_problem: h/m and (h/m)^2 on a grid whose
 * spacing is the cell size.  It is the smoothed one that arrival times use.
 *
 * @param planes out  g11, g12, g22, b1, b2: rows*cols doubles each; 1, 0, 1, 0, 0 in walls
 * @param walls  out  1 where nothing burns in this hour; or NULL
 */
ZM_API zm_status zm_physics_metric(zm_physics *physics, int32_t hour,
                                   double *const planes[5], uint8_t *walls,
                                   zm_error *err);

/** From a change of inputs to the change of the planes of an hour. */
ZM_API zm_status zm_physics_metric_tangent(zm_physics *physics, int32_t hour,
                                           const zm_physics_change *change,
                                           double *const d_planes[5], zm_error *err);

/** Adds to `change` the derivatives of sum(weights*planes). */
ZM_API zm_status zm_physics_metric_adjoint(zm_physics *physics, int32_t hour,
                                           const double *const weights[5],
                                           zm_physics_change *change, zm_error *err);

/** Fire ellipse of an hour per cell, in the plane of the slope: rates in m/min, 0 where
 *  nothing burns; heading in degrees; crowns 1 where the crowns burn.  Any may be NULL.  This
 *  struct is frozen. */
typedef struct zm_ellipse_planes {
    double *head, *flank, *back, *heading;
    uint8_t *crowns;
} zm_ellipse_planes;
ZM_API zm_status zm_physics_ellipses(zm_physics *physics, int32_t hour,
                                     const zm_ellipse_planes *out, zm_error *err);

/** What of a cell burns. */
typedef enum zm_crown_activity {
    ZM_ACTIVITY_NONE = 0,    /**< nothing */
    ZM_ACTIVITY_SURFACE = 1, /**< the ground alone */
    ZM_ACTIVITY_PASSIVE = 2, /**< crowns catch fire: trees torch */
    ZM_ACTIVITY_ACTIVE = 3   /**< the front runs in the crowns */
} zm_crown_activity;

/**
 * Behaviour of fire by cell; any may be NULL.  All are 0 where nothing burns.  This struct is frozen.
 *
 * With R the rate of spread in the plane of the slope and H the heat per area, Byram's intensity is I = H R;
 * H is the reaction intensity times the residence time (Anderson 1969), and of crowns 18000 kJ/kg
 * times the share that burns (Finney 1998).  Flames are those of Byram (1959), of fires that run in
 * the crowns those of Thomas (1963).
 */
typedef struct zm_behaviour_planes {
    float *rate;      /**< m/min */
    float *flame;     /**< m */
    float *intensity; /**< kW/m, of the fireline */
    float *heat;      /**< kJ/m^2 */
    float *direction; /**< degrees clockwise from north to which the fire goes on the map, 0 to 360 */
    float *activity;  /**< zm_crown_activity */
} zm_behaviour_planes;

/**
 * Behaviour as potential: of a fire that heads as it likes in every cell, in the hour of one time, as
 * FlamMap's basic outputs.  Cells that are a barrier then do not burn.
 *
 * @param time in  h after the fire's hour 0, 0 to zm_physics_hours
 * @return ZM_OK; ZM_E_STATE (no fire); ZM_E_ARG; ZM_E_NOMEM
 */
ZM_API zm_status zm_physics_potential(zm_physics *physics, double time,
                                      const zm_behaviour_planes *out, zm_error *err);

/**
 * Behaviour when the fire arrives, in the direction in which it comes: its front lies across the slope of
 * the times of a cell and its neighbours.  Where these do not tell it, as where a fire starts, it is that
 * of the head.
 *
 * @param T   in  rows*cols, h: as of zm_physics_burn, of either front; INFINITY: never reached, where all
 *                planes are 0
 * @return as zm_physics_potential
 */
ZM_API zm_status zm_physics_behaviour(zm_physics *physics, const float *T,
                                      const zm_behaviour_planes *out, zm_error *err);

/** Dead fuel moisture in the middle of an hour, percent: three planes 1 h, 10 h, 100 h. */
ZM_API zm_status zm_physics_moisture(zm_physics *physics, int32_t hour,
                                     double *const planes[3], zm_error *err);

/**
 * Arrival times, h after the fire's hour 0.
 *
 * @param sources   in   cells that burn at times >= 0: an observed perimeter, say; NULL: the
 *                       those of the fire, else its ignition, as FARSITE starts it: a block of
 *                       3 x 3 cells with time 0
 * @param t_max     in   cells reached later stay INFINITY
 * @param T         out  rows*cols
 *
 * Sources in cells that are a barrier at their time are left out; there must be others.
 *
 * @return ZM_OK; ZM_NOT_CONVERGED (travel time: T is usable, some times are upper bounds);
 *         ZM_E_STATE (no fire; markers: more than a million moves); ZM_E_SOURCE; ZM_E_ARG; ZM_E_NOMEM
 */
ZM_API zm_status zm_physics_arrival(zm_physics *physics, const zm_source *sources,
                                    size_t n_sources, double t_max, double *T,
                                    zm_error *err);

/** What embers did in the last arrival times; nothing where there was no spotting.  ZM_OK; ZM_E_ARG
 *  where the report has another size; ZM_E_STATE: no times yet. */
ZM_API zm_status zm_physics_spotting(const zm_physics *physics,
                                     zm_spotting_report *report, zm_error *err);

/**
 * Sets the model to a fire and burns it to `horizon`, with two maps of its times, either of them
 * NULL or rows*cols: `whole` to the horizon and `T` with those up to t_max, so that a map can tell
 * cells that are late from those that never burn.  INFINITY elsewhere.
 *
 * @return as zm_physics_set_fire and zm_physics_arrival; ZM_E_ARG where t_max is beyond the horizon
 */
ZM_API zm_status zm_physics_burn(zm_physics *physics, const zm_fire *fire,
                                 const zm_physics_params *params,
                                 const zm_source *sources, size_t n_sources,
                                 double horizon, double t_max, float *whole, float *T,
                                 zm_error *err);

/** A marker perimeter: a front as a line of points, as in FARSITE (docs/fire-physics.md). */
typedef struct zm_marker_opts {
    size_t size; /**< sizeof(zm_marker_opts) */
    double
        step; /**< h; every front is brought to each multiple of it; 0: 0.25 for fires
                         of up to 2 h, 0.5 up to 16 h, else 1 */
    double reach; /**< cells a point goes at most before fuel and weather are looked up
                         again; 0.01 to 100 */
    double spacing; /**< cells: points further apart get one between them; 0.1 to 100 */
    double
        acceleration; /**< 1/min: a point that enters faster fuel nears its new rate as
                              1 - exp(-acceleration t); HUGE_VAL: at once */
    int32_t
        fronts; /**< how many, odd, 1 to 31: their rates differ by 0.03 % from one to the
                         next, and times are the medians of theirs (in cells without fuel the 0.3
                         quantiles), which depend less on where points happen to be */
} zm_marker_opts;
#define ZM_MARKER_OPTS_INIT                                                            \
    {                                                                                  \
        sizeof(zm_marker_opts), 0.0, 1.0, 2.0, 0.3, 5                                  \
    }

/**
 * Arrival times, h after the fire's hour 0, by a marker perimeter (Finney 1998, RMRS-RP-4) with
 * settings of its own; ZM_FRONT_MARKERS has those of ZM_MARKER_OPTS_INIT.
 *
 * Points move with the ellipse of the cell they are in at the time: no smoothing, no hindrance,
 * moisture as it is within the hour.  Where the front crosses itself it is taken apart; it goes on around
 * unburned ground that it encloses.  There are no derivatives: where such a front passes
 * barriers depends on where its points happen to be.  What zm_physics_tangent and
 * zm_physics_adjoint see does not change.
 *
 * @param sources in   middles of cells that burn at times >= 0, in any order.  A front starts
 *                     around those that share a time, at full rate, and burns into holes too.
 *                     Fronts do not know of each other, the earliest counts: at most 64
 *                     different times.  NULL: those of the
 *                     fire, else its own ignition, an octagon of one cell radius
 * @param t_max   in   cells reached later stay INFINITY; may be INFINITY
 * @param T       out  rows*cols; 0 in the block of 3 x 3 cells around the fire's own ignition;
 *                     untouched after a failure
 * @param opts    in   NULL means ZM_MARKER_OPTS_INIT
 * @return ZM_OK; ZM_E_ARG; ZM_E_SOURCE (none, outside the landscape, not in the middle of a
 *         cell, a time that is negative or not finite, too many times, the fire's ignition is
 *         not known); ZM_E_STATE (no fire, or a front takes
 *         more than a million moves); ZM_E_NOMEM
 */
ZM_API zm_status zm_physics_markers(zm_physics *physics, const zm_source *sources,
                                    size_t n_sources, double t_max, double *T,
                                    const zm_marker_opts *opts, zm_error *err);

/** Change of the last arrival times, or of minimum travel times, for a change of inputs: exact
 *  where no two ways to a cell tie.  0 where the travel time is INFINITY. */
ZM_API zm_status zm_physics_tangent(zm_physics *physics,
                                    const zm_physics_change *change, double *dT,
                                    zm_error *err);

/** Adds to `change` the derivatives of L, given dL/dT of the last arrival times, which with
 *  markers is taken as that of travel times; cells that it does not reach have none. */
ZM_API zm_status zm_physics_adjoint(zm_physics *physics, const double *dL_dT,
                                    zm_physics_change *change, zm_error *err);

/** When a fire comes to assets.  This struct is frozen. */
typedef struct zm_asset_arrival {
    int64_t cells, reached; /**< of the assets; those with a time */
    double mean;            /**< h, over those that are reached; NAN where none is */
    double first;           /**< h; INFINITY where none is reached */
} zm_asset_arrival;

/** Of last times T, n cells; assets: cells that are not 0. */
ZM_API zm_asset_arrival zm_assets_arrival(const double *T, const uint8_t *assets,
                                          size_t n);

/**
 * What decides when a fire comes to assets: adds to `change` the derivatives of the mean of the
 * last arrival times over the asset cells that are reached, h, in one backward pass.
 *
 * @param T       in  the last arrival times, rows*cols
 * @param assets  in  rows*cols; not 0: asset
 * @param arrival out or NULL
 * @return as zm_physics_adjoint; ZM_E_ARG where no asset is reached: there is nothing to derive
 */
ZM_API zm_status zm_physics_sensitivity(zm_physics *physics, const double *T,
                                        const uint8_t *assets,
                                        zm_physics_change *change,
                                        zm_asset_arrival *arrival, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
