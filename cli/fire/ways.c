/* SPDX-License-Identifier: Apache-2.0
 * Major flow paths of a fire, as lines. */
#include "fire/ways.h"

#include <stdlib.h>

#include "common/message.h"
#include "zermelo/fire/geo.h"

int ways_check(const physics_settings *s)
{
    const zm_ways_opts usual = ZM_WAYS_OPTS_INIT;
    zm_error err;

    if (!s->ways &&
        (s->along.interval != usual.interval || s->along.least != usual.least))
        return usage_error("--ways-interval and --ways-share go with --ways");
    return s->ways && zm_geo_lines_path_check(s->ways, &err) < 0
               ? usage_error("--ways %s", err.text)
               : DONE;
}

static int write_ways(const burning *b, const zm_ways *w)
{
    zm_geo_line *lines = grow(NULL, w->n + 1, sizeof *lines);
    double *places = grow(NULL, 2 * w->n_points + 1, sizeof *places);
    zm_error err;
    int code;

    for (size_t i = 0; i < w->n_points; i++) {
        places[2 * i] = w->points[i].row;
        places[2 * i + 1] = w->points[i].col;
    }
    for (size_t k = 0; k < w->n; k++) {
        const zm_way *way = &w->ways[k];

        lines[k] = (zm_geo_line){ places + 2 * way->begin, way->n, way->flow,
                                  w->points[way->begin + way->n - 1].time, way->from };
    }
    code = checked(zm_geo_lines_write(b->s->ways, lines, w->n, b->where, &err), &err);
    free(lines);
    free(places);
    return code;
}

int ways_save(burning *b)
{
    double *T = grow(NULL, b->cells, sizeof *T);
    zm_ways ways;
    zm_error err;
    int code;

    for (size_t i = 0; i < b->cells; i++)
        T[i] = b->T[i];
    GO(checked(zm_physics_ways(b->physics, T, NULL, &ways, &b->s->along, &err), &err));
    code = write_ways(b, &ways);
    note("%zu ways by which at least %g %% of %lld cells burn", ways.n,
         100 * b->s->along.least, (long long)ways.followed);
    zm_ways_free(&ways);
done:
    free(T);
    return code;
}
