/* SPDX-License-Identifier: Apache-2.0
 * Loss of a model on a batch of fires of one landscape, with its derivatives: fires share the
 * threads.
 *
 * Each fire has a gradient of its own, and they are added in the order of the fires; where
 * there are derivatives, convolutions run on one thread each, as the order of their sums goes
 * by threads.  So the result is the same for any number of threads. */
#include <stdatomic.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "fire/learn/objective.h"

static zm_area whole_of(const zm_terrain *g)
{
    return (zm_area){ 0, 0, g->rows, g->cols };
}

static zm_area region_of(const zm_batch_task *task, const zm_sample *s)
{
    return zm_region_area_grown(s->window, zm_model_halo(task->model),
                                s->place->ground);
}

/* Whether one run over the landscape costs less than one over each window. */
static bool is_dense(const zm_batch_task *task, zm_sample *const *samples, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += zm_area_cells(region_of(task, samples[i]));
    return sum >= zm_area_cells(whole_of(samples[0]->place->ground));
}

static zm_status open_region(const zm_batch_task *task, const zm_sample *s,
                             zm_area patch, zm_region **region, zm_error *err)
{
    const zm_status st =
        zm_region_create(region, task->model, s->place->ground, patch, task->make, err);

    return st < 0 ? st : zm_region_forward(*region, task->parameters, err);
}

typedef struct fire_job {
    zm_region *region;    /* its own window, or what it sees of the shared one */
    double *d_parameters; /* NULL: not wanted */
    double loss;
    bool failed;
    zm_status st;
    zm_error err;
} fire_job;

typedef struct batch {
    const zm_batch_task *task;
    zm_sample *const *samples;
    size_t n;
    zm_region *shared; /* the whole landscape; NULL: each fire has its own */
    double *const *T;
    int32_t inner; /* threads of the convolutions of a fire */
    fire_job *jobs;
    atomic_size_t next;
} batch;

static zm_status run_job(const batch *b, const zm_batch_task *task, size_t i)
{
    fire_job *job = &b->jobs[i];
    const zm_sample *s = b->samples[i];
    zm_status st =
        b->shared ? zm_region_view(&job->region, b->shared, s->window, &job->err)
                  : open_region(task, s, region_of(task, s), &job->region, &job->err);

    if (st < 0 || (st = zm_train_fire_loss(task, job->region, s, job->d_parameters,
                                           b->T ? b->T[i] : NULL, &job->loss,
                                           &job->failed, &job->err)) < 0)
        return st;
    if (b->shared)
        return ZM_OK;
    if (job->d_parameters)
        st = zm_region_backward(job->region, task->parameters, job->d_parameters,
                                &job->err);
    zm_region_destroy(job->region);
    job->region = NULL;
    return st;
}

/* zm_parallel_fn: takes the next fire until there is none; a thread that has no memory for a
 * head leaves its share to the others. */
static void work(void *ctx, int32_t thread)
{
    batch *b = ctx;
    zm_batch_task mine = *b->task;
    const int32_t before = zm_parallel_limit(b->inner);
    size_t i;

    if (thread > 0) {
        mine.head = NULL;
        if (zm_field_head_create(&mine.head, mine.model, mine.make, NULL) >= 0)
            zm_mlp_load(mine.head, mine.parameters + zm_model_head_at(mine.model));
    }
    while (mine.head && (i = atomic_fetch_add(&b->next, 1)) < b->n)
        b->jobs[i].st = run_job(b, &mine, i);
    if (thread > 0)
        zm_mlp_destroy(mine.head);
    zm_parallel_limit(before);
}

static zm_status make_jobs(batch *b, bool derivatives, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    b->jobs = zm_zalloc(&mem, b->n, sizeof *b->jobs);
    for (size_t i = 0; b->jobs && derivatives && i < b->n; i++)
        if (!(b->jobs[i].d_parameters =
                  zm_zalloc(&mem, b->task->model->n_parameters, sizeof(double))))
            return zm_fail(err, ZM_E_NOMEM, -1, "derivatives of %zu fires", b->n);
    return b->jobs ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "batch of %zu fires", b->n);
}

static void free_jobs(batch *b)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    for (size_t i = 0; b->jobs && i < b->n; i++) {
        zm_region_destroy(b->jobs[i].region);
        zm_release(&mem, b->jobs[i].d_parameters);
    }
    zm_release(&mem, b->jobs);
}

/* In the order of the fires, whoever was ready first. */
static zm_status gather(batch *b, double *d_parameters, zm_batch_result *result,
                        zm_error *err)
{
    for (size_t i = 0; i < b->n; i++) {
        const fire_job *job = &b->jobs[i];

        if (job->st < 0) {
            if (err)
                *err = job->err;
            return job->st;
        }
        result->loss += job->failed ? 0 : job->loss;
        result->failed += job->failed;
        for (size_t p = 0; d_parameters && p < b->task->model->n_parameters; p++)
            d_parameters[p] += job->d_parameters[p];
        if (b->shared && d_parameters)
            zm_region_gather(b->shared, job->region);
    }
    return ZM_OK;
}

zm_status zm_train_batch_loss(const zm_batch_task *task, zm_sample *const *samples,
                              size_t n, double *d_parameters, double *const *T,
                              zm_batch_result *result, zm_error *err)
{
    const size_t threads = task->threads > 1 ? (size_t)task->threads : 1;
    batch b = { .task = task,
                .samples = samples,
                .n = n,
                .T = T,
                .inner = n == 1 && !d_parameters ? (int32_t)threads : 1 };
    const int32_t before = zm_parallel_limit(b.inner);
    zm_status st = ZM_OK;

    *result = (zm_batch_result){ 0 };
    ZM_GO(make_jobs(&b, d_parameters != NULL, err));
    if (is_dense(task, samples, n))
        ZM_GO(open_region(task, samples[0], whole_of(samples[0]->place->ground),
                          &b.shared, err));
    zm_parallel((int32_t)(threads < n ? threads : n), work, &b);
    ZM_GO(gather(&b, d_parameters, result, err));
    if (b.shared && d_parameters)
        ZM_GO(zm_region_backward(b.shared, task->parameters, d_parameters, err));
done:
    zm_parallel_limit(before);
    free_jobs(&b);
    zm_region_destroy(b.shared);
    return st;
}
