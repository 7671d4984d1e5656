/* SPDX-License-Identifier: Apache-2.0
 * Ways to predict a fire, side by side. */
#include "fire/learn/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/choose_fires.h"
#include "fire/physics_model.h"
#include "zermelo/fire/physics.h"

static char *copy_of(const char *text, size_t n)
{
    char *copy = grow(NULL, n + 1, 1);

    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static method *add(methods *list, char *name)
{
    list->items = grow(list->items, list->n + 1, sizeof *list->items);
    list->items[list->n] = (method){ .name = name };
    return &list->items[list->n++];
}

void methods_add(methods *list, method_kind kind, const char *name,
                 zm_baseline_kind baseline)
{
    method *m = add(list, copy_of(name, strlen(name)));

    m->kind = kind;
    m->baseline = baseline;
}

static bool is_taken(const methods *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->items[i].name, name))
            return true;
    return false;
}

/* One "NAME=FILE[+FILE...]" of the given length. */
static int add_model(methods *list, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length), *end = text + length;
    char *name;
    method *m;

    if (!equals || equals == text)
        return usage_error("--models %.*s: must be NAME=FILE", (int)length, text);
    name = copy_of(text, (size_t)(equals - text));
    if (is_taken(list, name)) {
        const int code = usage_error("--models: two are named %s", name);

        free(name);
        return code;
    }
    m = add(list, name);
    for (const char *file = equals + 1; file <= end;) {
        const char *plus = memchr(file, '+', (size_t)(end - file));
        const size_t n = (size_t)((plus ? plus : end) - file);
        char *copy;

        if (n == 0)
            return usage_error("--models %.*s: a file has no name", (int)length, text);
        copy = copy_of(file, n);
        names_add(&m->files, copy);
        free(copy);
        file += n + 1;
    }
    return DONE;
}

int methods_add_models(methods *list, const char *text)
{
    for (size_t n;; text += n + 1) {
        n = strcspn(text, ",");
        TRY(add_model(list, text, n));
        if (!text[n])
            return DONE;
    }
}

size_t method_fires(const method *m)
{
    return m->results.n / (m->files.n ? m->files.n : 1);
}

void methods_free(methods *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].name);
        names_free(&list->items[i].files);
        fire_results_free(&list->items[i].results);
    }
    free(list->items);
}

/* The file with the scene's name in the place of every {scene}; to be freed. */
static char *file_of(const char *pattern, const char *scene)
{
    static const char mark[] = "{scene}";
    zm_text out = { 0 };
    char *file;

    for (const char *at; (at = strstr(pattern, mark)); pattern = at + sizeof mark - 1)
        zm_text_print(&out, "%.*s%s", (int)(at - pattern), pattern, scene);
    zm_text_add(&out, pattern);
    file = copy_of(out.bytes, out.n);
    zm_text_free(&out);
    return file;
}

/* What predicts, opened for a scene. */
typedef struct predictor {
    zm_model *model;
    zm_physics *physics;
    zm_baseline baseline;
} predictor;

static zm_status open_predictor(predictor *p, const method *m, const zm_scene *scene,
                                const char *file, zm_error *err)
{
    const zm_landscape *l = zm_scene_landscape(scene);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;

    switch (m->kind) {
    case METHOD_MODEL:
        return zm_model_load(file, &p->model, err);
    case METHOD_PHYSICS:
    case METHOD_MARKERS:
        opts.front =
            m->kind == METHOD_MARKERS ? ZM_FRONT_MARKERS : ZM_FRONT_TRAVEL_TIME;
        return zm_physics_create(&p->physics, l, &opts, err);
    default:
        return zm_baseline_fit(m->baseline, scene, ZM_SPLIT_TRAIN, &p->baseline, err);
    }
}

static void close_predictor(predictor *p)
{
    zm_model_destroy(p->model);
    zm_physics_destroy(p->physics);
}

/* To the end of the fire. */
static zm_status predict(predictor *p, const zm_landscape *l, const zm_fire *fire,
                         float *T, zm_error *err)
{
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;

    o.t_max = zm_fire_end(fire);
    if (p->model)
        return zm_model_predict(p->model, l, fire, T, &o, err);
    if (p->physics)
        return zm_physics_burn(p->physics, fire, NULL, NULL, 0, o.t_max, o.t_max, NULL,
                               T, err);
    zm_baseline_predict(&p->baseline, l, fire, o.t_max, T);
    return ZM_OK;
}

static int score_with(method *m, predictor *p, const char *scene_name,
                      const zm_scene *scene, const char *split)
{
    const zm_landscape *l = zm_scene_landscape(scene);
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    float *truth = grow(NULL, 2 * n, sizeof *truth), *T = truth + n;
    int code = DONE;
    zm_error err;

    for (size_t i = 0; i < zm_scene_count(scene); i++) {
        const zm_fire *fire = zm_scene_fire(scene, i);
        zm_score score = ZM_SCORE_INIT;

        if (!fire_is_chosen(scene, i, split, NULL))
            continue;
        if (zm_scene_arrival(scene, i, truth, &err) < 0 ||
            predict(p, l, fire, T, &err) < 0 ||
            zm_score_fire(truth, T, l->rows, l->cols, fire->row, fire->col,
                          fire->duration, &score, &err) < 0)
            GO(failure("%s/%s, %s: %s", scene_name, fire->name, m->name, err.text));
        fire_results_add(&m->results, scene_name, fire->name, &score);
        GO(interrupt_check());
    }
done:
    free(truth);
    return code;
}

int method_score(method *m, const char *scene_name, const zm_scene *scene,
                 const char *split)
{
    const size_t files = m->kind == METHOD_MODEL ? m->files.n : 1;
    int code = DONE;

    for (size_t i = 0; code == DONE && i < files; i++) {
        char *file =
            m->kind == METHOD_MODEL ? file_of(m->files.items[i], scene_name) : NULL;
        predictor p = { 0 };
        zm_error err;

        if (open_predictor(&p, m, scene, file, &err) >= 0)
            code = score_with(m, &p, scene_name, scene, split);
        else if (m->kind == METHOD_BASELINE)
            code = failure("%s; --no-baselines leaves them out", err.text);
        else
            code = library_failure(&err);
        close_predictor(&p);
        free(file);
    }
    return code;
}
