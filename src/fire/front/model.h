/* SPDX-License-Identifier: Apache-2.0
 * What a zm_physics has. */
#ifndef ZM_PHYSICS_MODEL_H
#define ZM_PHYSICS_MODEL_H

#include "fire/front/lazy.h"
#include "fire/front/smooth.h"
#include "fire/science/cell_fire.h"
#include "fire/science/ignition.h"
#include "fire/science/moisture_classes.h"
#include "zermelo/adjoint.h"
#include "zermelo/fire/physics.h"

/** Derivatives of a raw metric with respect to the inputs of its cell. */
typedef struct zm_jacobian {
    double d[5][ZM_CELL_INPUTS];
} zm_jacobian;

/** A cell that does not burn itself, and the neighbour whose time it has. */
typedef struct zm_enclosed {
    size_t cell, neighbour;
} zm_enclosed;

/** A moment of an hour of a fire. */
typedef struct zm_hour_point {
    zm_physics *p;
    double share; /* of the hour that is over */
} zm_hour_point;

struct zm_physics {
    zm_alloc mem;
    zm_landscape land;
    zm_physics_opts opts;
    zm_bed beds[ZM_FUEL_NUMBERS]; /* burns is false where there is no such fuel */
    zm_bed crown_bed;
    zm_fire_rules rules;
    zm_lazy sites; /* of zm_site */
    zm_ground_classes classes;

    bool has_fire, has_times, has_travel_time;
    double t_max; /* of the last times */
    zm_fire fire;
    zm_physics_params params;
    double log_factor[ZM_FUEL_NUMBERS]; /* of params.fuel_factor, where it is given */
    zm_source *fire_sources;      /* copy: of the fire */
    zm_weather_hour *all_weather; /* copies: earlier hours, then those of the fire */
    zm_weather_hour *weather;     /* those of the fire, in all_weather */
    zm_sun *sun;
    zm_climate climate;
    zm_hour_point middle; /* of an hour: stands for all of it */
    zm_lazy moisture;     /* of zm_moisture_series by place, in interval 0 */
    zm_lazy raw, smooth;  /* of zm_cell_metric, in the middle of an hour */
    zm_lazy nodes;        /* of metrics within the hour, in interval 0: moment.c */
    zm_lazy jacobian;     /* of zm_jacobian: made for derivatives only */
    zm_smoother smoother;
    zm_solver *solver;
    double *travel_time; /* minimum ones, of the last solve */
    double *starts;      /* of the hours */
    zm_source *sources;  /* of the last solve */
    zm_problem problem;  /* of its minimum travel times */
    uint8_t *walls;      /* by cell: fuel that never burns, without sources */
    bool lit_as_block;   /* they are the fire's own ignition */
    zm_enclosed *enclosed;
    size_t n_enclosed;
    zm_spotting_opts spotting; /* probability 0: none */
    zm_spotting_report spots;  /* of the last times */
    size_t n_lit;              /* of the sources: those before the spots */
};

/** Hours that have a metric of their own; the climate begins with those before the fire. */
static inline int32_t zm_front_hours(const zm_physics *p)
{
    return p->climate.intervals - (int32_t)p->fire.earlier_hours;
}

/** Where the moisture of an hour of the fire stands in a series. */
static inline size_t zm_front_mark(const zm_physics *p, int32_t interval)
{
    return ((size_t)interval + p->fire.earlier_hours) * ZM_DEAD;
}

static inline size_t zm_cell_number(const zm_physics *p, int32_t row, int32_t col)
{
    return (size_t)row * (size_t)p->land.cols + (size_t)col;
}

static inline int32_t zm_fuel_at(const zm_physics *p, int32_t row, int32_t col)
{
    const float f = p->land.layers[ZM_LAYER_FUEL][zm_cell_number(p, row, col)];

    return f >= 0 && f < ZM_FUEL_NUMBERS ? (int32_t)f : 0;
}

/** Whether a cell is a barrier at a time. */
static inline bool zm_front_barred(const zm_physics *p, size_t cell, double time)
{
    return p->params.barrier && p->params.barrier[cell] <= time;
}

/** Sets the block of the fire's ignition, which burns at time 0, to 0 on a plane: all of it that
 *  no barrier parts from the middle. */
void zm_front_clear_ignition(const zm_physics *p, double *plane);

/** Copies of the sources that lie in no barrier, `n` of them, to be released with the handle's
 *  memory.
 *  @return ZM_OK; ZM_E_SOURCE: one is none, or none is left; ZM_E_NOMEM */
zm_status zm_front_sources_outside_barriers(const zm_physics *p,
                                            const zm_source *sources, size_t n_sources,
                                            zm_source **out, size_t *n, zm_error *err);

/** ZM_E_SOURCE where the fire's own ignition lies in a barrier. */
zm_status zm_front_ignition_check(const zm_physics *p, zm_error *err);

/** Cells that become a barrier while the fire runs and that it reaches later: walls.
 *  @return how many are new */
size_t zm_front_barriers_close(const zm_physics *p, const double *T, uint8_t *walls);

/** The first time above `time` at which a cell becomes a barrier; INFINITY: none. */
double zm_front_next_barrier(const zm_physics *p, double time);

/** h by which a point fire is late that accelerates as R (1 - exp(-a t)): 1/a. */
static inline double zm_front_late(const zm_physics *p)
{
    return 1 / p->opts.acceleration / 60;
}

/** Minimum travel times of the problem to T, without what fire encloses.  ZM_NOT_CONVERGED is
 *  usable. */
zm_status zm_front_solve(zm_physics *p, double *T, zm_error *err);

/** Derivatives and ways are those of minimum travel times, solved now where markers carried the fire.
 *  ZM_E_STATE where there are no times. */
zm_status zm_front_need_travel_time(zm_physics *p, zm_error *err);

/** Sets the walls of the problem: fuel that never burns and barriers, except for sources. */
void zm_front_set_walls(zm_physics *p);

/** ZM_E_STATE where no fire is set. */
zm_status zm_front_need_fire(const zm_physics *p, zm_error *err);

/** ZM_E_SOURCE: none, outside the landscape, not in the middle of a cell, or a time that is not
 *  finite and >= 0. */
zm_status zm_front_sources_check(const zm_physics *p, const zm_source *sources,
                                 size_t n, zm_error *err);

/** Whether a value of the fire has found no memory since it was set; derivatives have their own
 *  question, zm_change_held. */
static inline bool zm_value_missing(const zm_physics *p)
{
    return p->sites.failed || p->moisture.failed || p->raw.failed || p->smooth.failed ||
           p->nodes.failed;
}

/** Sets value i of a window to a metric, or to its change. */
static inline void zm_front_window_set(zm_window_values *values, size_t i,
                                       const double m[5])
{
    values->g11[i] = m[0];
    values->g12[i] = m[1];
    values->g22[i] = m[2];
    values->b1[i] = m[3];
    values->b2[i] = m[4];
}

/** zm_interval_fill of the smoothed metric; ctx is a zm_physics. */
zm_status zm_front_metric_window(void *ctx, size_t interval, zm_window window,
                                 zm_window_values *values, zm_error *err);

/** Inputs of a cell that burns. */
void zm_front_cell_inputs(const zm_hour_point *when, int32_t interval, int32_t row,
                          int32_t col, double input[ZM_CELL_INPUTS]);

/** Moisture of the dead classes, without the offset. */
void zm_front_dead_moisture(const zm_hour_point *when, int32_t interval, int32_t row,
                            int32_t col, double out[ZM_DEAD]);

zm_status zm_front_moisture_open(zm_physics *p, zm_error *err); /**< store, empty */
zm_status zm_front_nodes_open(zm_physics *p, zm_error *err);    /**< store, empty */

/** zm_lazy_fill of the zm_cell_metric of a cell, s = 0 where it does not burn; ctx is a
 *  zm_hour_point. */
void zm_front_metric_fill(void *ctx, int32_t interval, int32_t row, int32_t col,
                          void *value);

/** Metric of a cell at a time (h); false where it does not burn. */
bool zm_front_metric_at(zm_physics *p, double time, int32_t row, int32_t col,
                        double metric[5]);

/** Moisture with the offset and the wetness of the cell; its derivative with respect to each is 0
 *  where it is cut off, else 1. */
double zm_front_offset_moisture(const zm_physics *p, size_t cell, double moisture,
                                double *derivative);

#endif
