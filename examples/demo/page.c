/* SPDX-License-Identifier: Apache-2.0
 * The page of the demo: what was found, in a file that solves again by itself. */
#include "page.h"

#if defined(ZM_WITH_VIEW)
#include <stdlib.h>

#include "zermelo/view.h"

enum { FIELDS = 6 };

/* In float32, which is enough to look at, and half as large. */
static zm_status add_single(zm_view *page, zm_view_field field, size_t n, zm_error *err)
{
    float *single = malloc((size_t)field.n_planes * n * sizeof *single);
    zm_status status = ZM_E_NOMEM;

    if (single) {
        for (int k = 0; k < field.n_planes; k++) {
            const double *plane = field.planes[k];

            for (size_t i = 0; i < n; i++)
                single[(size_t)k * n + i] = (float)plane[i];
            field.planes[k] = single + (size_t)k * n;
        }
        field.type = ZM_VIEW_F32;
        status = zm_view_add(page, &field, NULL, err);
    }
    free(single);
    return status;
}

static zm_status add_fields(zm_view *page, const landscape *l, const findings *found,
                            zm_error *err)
{
    const zm_view_field fields[FIELDS] = {
        { .role = ZM_VIEW_TIMES, .n_planes = 1, .planes = { found->T },
          .label = "arrival times", .unit = "h" },
        { .role = ZM_VIEW_METRIC, .n_planes = 3, .planes = { l->g11, l->g12, l->g22 },
          .label = "metric" },
        { .role = ZM_VIEW_DRIFT, .n_planes = 2, .planes = { l->b1, l->b2 }, .label = "wind" },
        { .role = ZM_VIEW_OBSTACLES, .type = ZM_VIEW_U8, .n_planes = 1, .planes = { l->walls },
          .label = "river" },
        { .role = ZM_VIEW_MAP, .n_planes = 1, .planes = { l->height }, .label = "height",
          .unit = "km" },
        { .role = ZM_VIEW_SIGNED, .n_planes = 1, .planes = { found->delay },
          .label = "delay in the village by slower ground", .unit = "min" },
    };
    zm_status status = ZM_OK;

    for (int k = 0; k < FIELDS && status >= 0; k++) {
        zm_view_field field = fields[k];

        field.size = sizeof field;
        status = field.type == ZM_VIEW_U8 ? zm_view_add(page, &field, NULL, err)
                                          : add_single(page, field, l->n, err);
    }
    return status;
}

zm_status page_write(const landscape *l, const findings *found, const char *path,
                     zm_error *err)
{
    zm_view_opts opts = ZM_VIEW_OPTS_INIT;
    zm_view *page;
    zm_status status;

    opts.title = "A windy landscape with a river";
    opts.across = l->grid.dx;
    opts.down = l->grid.dy;
    opts.unit_time = "h";
    opts.unit_length = "km";
    status = zm_view_create(l->grid.rows, l->grid.cols, &page, &opts, err);
    if (status < 0)
        return status;
    status = add_fields(page, l, found, err);
    if (status >= 0)
        status = zm_view_set_solve(page, &l->camp, 1, ZM_F32, NULL, NULL, err);
    if (status >= 0)
        status = zm_view_write(page, path, err);
    zm_view_destroy(page);
    return status;
}

#else
zm_status page_write(const landscape *l, const findings *found, const char *path,
                     zm_error *err)
{
    (void)l, (void)found, (void)path, (void)err;
    return ZM_E_UNSUPPORTED;
}
#endif
