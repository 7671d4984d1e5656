/* SPDX-License-Identifier: Apache-2.0
 * An observed fire of zermelo fire physics, with its scores at the dates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "fire/behaviour.h"
#include "fire/burning.h"
#include "fire/folders.h"
#include "fire/sensitivity.h"

static void print_observed(const char *name, const double *iou, const double *hours,
                           size_t n, const zm_observed_score *score)
{
    if (isfinite(score->mean_iou))
        printf("%-16s mean IoU %.3f", name, score->mean_iou);
    else
        printf("%-16s no later date to compare with", name);
    if (isfinite(score->equal_area_iou))
        printf(", equal area %.3f", score->equal_area_iou);
    printf("  ");
    for (size_t k = 0; k < n; k++)
        if (isfinite(iou[k]))
            printf(" %.2f@%.0fh", iou[k], hours[k]);
    printf("\n");
}

static int tell_observed(burning *b, const char *name, const double *iou, size_t n,
                         const zm_observed_score *score)
{
    const double *hours = zm_observed_hours(b->observed);
    json j = { 0 };

    if (!b->s->json || strcmp(b->s->json, "-") != 0)
        print_observed(name, iou, hours, n, score);
    if (!b->s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_text(&j, "fire", name);
    json_number(&j, "mean_iou", score->mean_iou);
    json_number(&j, "equal_area_iou", score->equal_area_iou);
    json_open(&j, "dates", '[');
    for (size_t k = 0; k < n; k++) {
        json_open(&j, NULL, '{');
        json_number(&j, "hours", hours[k]);
        json_number(&j, "iou", iou[k]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    return json_save(&j, "--json ", b->s->json);
}

static int score_observed(burning *b, const char *name)
{
    const int has_start = zm_observed_has_start(b->observed);
    const size_t n = burning_dates(b);
    double *iou = grow(NULL, n + 1, sizeof *iou);
    zm_observed_score score = { .size = sizeof score,
                                .mean_iou = NAN,
                                .equal_area_iou = NAN };
    zm_error err;
    int code;

    for (size_t k = 0; k < n; k++)
        iou[k] = NAN;
    if (n > (size_t)has_start)
        GO(checked(zm_score_observed(zm_observed_masks(b->observed),
                                     zm_observed_hours(b->observed), n, has_start,
                                     b->whole, b->cells, iou, &score, &err),
                   &err));
    GO(tell_observed(b, name, iou, n, &score));
done:
    free(iou);
    return code;
}

/* Maps end with the last date. */
int burn_observed(burning *b)
{
    const zm_fire *fire = zm_observed_fire(b->observed);
    char *name = last_name(b->s->observed);
    const double t_max = b->s->t_max > 0 ? b->s->t_max : zm_observed_end(b->observed);
    zm_source *sources = NULL;
    size_t n;
    int code;

    GO(observed_sources(b->observed, &sources, &n));
    GO(burning_solve(b, fire, sources, n, zm_observed_horizon(b->observed, t_max), t_max));
    GO(score_observed(b, name));
    GO(burning_save_map(b, name, b->T));
    GO(burning_save_views(b, fire, name, t_max));
    GO(behaviour_save(b, name));
    if (b->assets)
        GO(sensitivity_save(b, fire, name));
done:
    free(name);
    free(sources);
    return code;
}
