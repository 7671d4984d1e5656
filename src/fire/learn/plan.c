/* SPDX-License-Identifier: Apache-2.0
 * Lists of fires and the order in which an epoch takes them. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/random.h"
#include "fire/learn/trainer.h"

zm_status zm_sample_list_add(zm_sample_list *list, zm_sample *sample, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (list->n == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        zm_sample **items = zm_block(&mem, room, sizeof(zm_sample *));

        if (!items) {
            zm_sample_destroy(sample);
            return zm_fail(err, ZM_E_NOMEM, -1, "list of %zu fires", room);
        }
        if (list->n)
            memcpy(items, list->items, list->n * sizeof(zm_sample *));
        zm_release(&mem, list->items);
        list->items = items;
        list->room = room;
    }
    list->items[list->n++] = sample;
    return ZM_OK;
}

void zm_sample_list_free(zm_sample_list *list)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    for (size_t i = 0; i < list->n; i++)
        zm_sample_destroy(list->items[i]);
    zm_release(&mem, list->items);
    *list = (zm_sample_list){ 0 };
}

/* Fires of a place stand together in the list, as they were added: one past the last of those
 * of the place of fire i. */
static size_t place_end(const zm_sample_list *fires, size_t i)
{
    size_t end = i;

    while (end < fires->n && fires->items[end]->place == fires->items[i]->place)
        end++;
    return end;
}

size_t zm_epoch_batches(const zm_sample_list *fires, size_t batch)
{
    size_t batches = 0;

    for (size_t i = 0, end; i < fires->n; i = end) {
        end = place_end(fires, i);
        batches += (end - i + batch - 1) / batch;
    }
    return batches;
}

static void shuffle(zm_sample **items, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = zm_random_below(state, i);
        zm_sample *kept = items[i - 1];

        items[i - 1] = items[j];
        items[j] = kept;
    }
}

/* Batches in random order: cuts are listed, shuffled, and their fires laid out anew. */
static void lay_out(zm_epoch_plan *plan, zm_sample *const *from, size_t (*cuts)[2],
                    uint64_t *state)
{
    size_t at = 0;

    for (size_t i = plan->batches; i > 1; i--) {
        const size_t j = zm_random_below(state, i);
        const size_t kept[2] = { cuts[i - 1][0], cuts[i - 1][1] };

        memcpy(cuts[i - 1], cuts[j], sizeof kept);
        memcpy(cuts[j], kept, sizeof kept);
    }
    for (size_t b = 0; b < plan->batches; b++) {
        plan->first[b] = at;
        for (size_t i = cuts[b][0]; i < cuts[b][1]; i++)
            plan->order[at++] = from[i];
    }
    plan->first[plan->batches] = at;
}

zm_status zm_epoch_plan_make(zm_epoch_plan *plan, const zm_sample_list *fires,
                             size_t batch, uint64_t seed, uint64_t epoch, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t batches = zm_epoch_batches(fires, batch);
    zm_sample **shuffled = zm_block(&mem, fires->n, sizeof(zm_sample *));
    size_t(*cuts)[2] = zm_block(&mem, batches, sizeof *cuts), b = 0;
    uint64_t state = seed * 0x9e3779b97f4a7c15U + epoch;

    plan->batches = batches;
    plan->order = zm_block(&mem, fires->n, sizeof(zm_sample *));
    plan->first = zm_block(&mem, batches + 1, sizeof(size_t));
    if (shuffled && cuts && plan->order && plan->first) {
        memcpy(shuffled, fires->items, fires->n * sizeof(zm_sample *));
        for (size_t i = 0, end; i < fires->n; i = end) {
            end = place_end(fires, i);
            shuffle(shuffled + i, end - i, &state);
            for (size_t k = i; k < end; k += batch, b++) {
                cuts[b][0] = k;
                cuts[b][1] = k + batch < end ? k + batch : end;
            }
        }
        lay_out(plan, shuffled, cuts, &state);
    }
    zm_release(&mem, shuffled);
    zm_release(&mem, cuts);
    if (b)
        return ZM_OK;
    zm_epoch_plan_free(plan);
    return zm_fail(err, ZM_E_NOMEM, -1, "order of %zu fires", fires->n);
}

void zm_epoch_plan_free(zm_epoch_plan *plan)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_release(&mem, plan->order);
    zm_release(&mem, plan->first);
    *plan = (zm_epoch_plan){ 0 };
}
