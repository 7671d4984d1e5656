/* SPDX-License-Identifier: Apache-2.0
 * Patches of fires to train with (paper, appendix on cross-scene training). */
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/sample.h"

/* Where the parts of a patch begin, all at 0. */
static void set_sources(zm_sample *s, const uint8_t *marked)
{
    const size_t cols = (size_t)s->window.cols;

    for (size_t i = 0; i < zm_area_cells(s->window); i++)
        if (marked[i])
            s->sources[s->n_sources++] =
                (zm_source){ (double)(i / cols), (double)(i % cols), 0 };
}

static bool has_weight(const zm_sample *s)
{
    for (size_t i = 0; i < zm_area_cells(s->window); i++)
        if (s->weight[i] > 0)
            return true;
    return false;
}

/* The sample of times and sources that are there already. */
static zm_status make(zm_sample **out, const zm_place *place, const zm_fire *fire,
                      zm_area window, const float *times, const uint8_t *marked,
                      zm_error *err)
{
    const int mean = 1; /* weather: the parts were entered at different hours */
    size_t n_sources = 0;
    zm_sample *s;
    zm_status st = ZM_OK;

    for (size_t i = 0; i < zm_area_cells(window); i++)
        n_sources += marked[i];
    if (!(s = zm_sample_allocate(window, n_sources)))
        return zm_fail(err, ZM_E_NOMEM, -1, "patch of fire %s", fire->name);
    s->place = place;
    s->fire = fire;
    memcpy(s->truth, times, zm_area_cells(window) * sizeof *times);
    s->duration = zm_sample_latest(s);
    set_sources(s, marked);
    ZM_GO(zm_sample_set_intervals(s, 0, err));
    if (!(s->duration > 0) || !has_weight(s))
        goto done;
    ZM_GO(
        zm_learn_hours_create(&s->hours, &s->n_hours, place->ground, fire, mean, err));
    *out = s;
    s = NULL;
done:
    zm_sample_destroy(s);
    return st;
}

zm_status zm_sample_patch(zm_sample **out, const zm_place *place, const zm_fire *fire,
                          const float *truth, const zm_patch *patch, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_area window = { patch->row, patch->col, patch->rows, patch->cols };
    const size_t n = zm_area_cells(window);
    float *times = zm_block(&mem, n, sizeof *times);
    uint8_t *marked = zm_block(&mem, n, sizeof *marked);
    zm_status st = ZM_OK;

    *out = NULL;
    if (!times || !marked) {
        st = zm_fail(err, ZM_E_NOMEM, -1, "patch of fire %s", fire->name);
        goto done;
    }
    ZM_GO(
        zm_patch_extract(truth, place->ground->cols, patch, times, marked, NULL, err));
    ZM_GO(make(out, place, fire, window, times, marked, err));
done:
    zm_release(&mem, times);
    zm_release(&mem, marked);
    return st;
}
