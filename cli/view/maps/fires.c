/* SPDX-License-Identifier: Apache-2.0
 * Scenes and observed fires on a page: their landscape, their fires with weather, and when the
 * physics says they arrive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "core/text.h"
#include "fire/choose_fires.h"
#include "fire/folders.h"
#include "fire/rows.h"
#include "view/view.h"

#define FIELD(name) offsetof(view_settings, name)

static const option fire_list[] = {
    { "fire", "NAME", OPTION_VALUE, FIELD(fires), .repeatable = true, .parse = parse_file,
      .expects = "the name of a fire",
      .help = "fire of the scene; may be repeated; default: all" },
    COUNT_ROW("members", of.spread.members, "of the ensemble that the page can run; default 100"),
    VALUE_ROW("seed", "N", of.spread.seed, parse_seed, "a whole number from 0 on",
              "of its draws; default 1"),
    { 0 }
};
const option_table view_fire_options = { "Fires of a scene", fire_list };

/* A scene or an observed fire, with the model. */
typedef struct burning {
    building *b;
    zm_scene *scene;
    zm_observed *observed;
    fire_model model;
    zm_physics *physics;
    size_t cells;
    float *T;
} burning;

/* ---- the command ------------------------------------------------------------------------------ */

static void describe_model(zm_text *t, const model_settings *m)
{
    static const char *const crowns[] = { "none", "finney", "scott-reinhardt" };
    const zm_fuel_moisture *w = &m->moisture;

    if (m->calibration)
        command_add(t, "calibration", m->calibration);
    if (m->fuels)
        command_add(t, "fuels", m->fuels);
    if (m->crown != ZM_CROWN_FINNEY)
        command_add(t, "crown", crowns[m->crown]);
    if (m->constant_moisture)
        command_add(t, "constant-moisture", NULL);
    if (m->cell_moisture)
        command_add(t, "cell-moisture", NULL);
    if (m->front == ZM_FRONT_MARKERS)
        command_add(t, "front", "markers");
    if (m->emulate == ZM_EMULATE_NONE)
        command_add(t, "emulate", "none");
    if (w->dead_1h > 0) {
        command_number(t, "fuel-moisture", w->dead_1h);
        zm_text_print(t, ",%.17g,%.17g,%.17g,%.17g", w->dead_10h, w->dead_100h, w->live_herb,
                      w->live_woody);
    }
    if (m->foliar_moisture != 100)
        command_number(t, "foliar-moisture", m->foliar_moisture);
}

static void describe(zm_text *t, const burning *f, const input *which, const char *only)
{
    const view_settings *s = f->b->s;

    zm_text_add(t, "zermelo fire physics");
    command_add(t, f->scene ? "scene" : "observed", which->path);
    if (only)
        command_add(t, "fire", only);
    describe_model(t, &s->of.model);
    if (isfinite(s->problem.forward.t_max))
        command_number(t, "t-max", s->problem.forward.t_max);
    zm_text_add_bytes(t, "", 1); /* ends the string */
}

/* ---- fields ----------------------------------------------------------------------------------- */

static int add_times(burning *f, zm_view_role role, const char *fire, const char *what,
                     int32_t *index)
{
    zm_view_field field = { .size = sizeof field,
                            .role = role,
                            .type = ZM_VIEW_F32,
                            .n_planes = 1,
                            .planes = { f->T },
                            .name = fire,
                            .unit = "h" };
    zm_text label = { 0 };
    int code;

    zm_text_print(&label, "%s: %s", fire, what);
    zm_text_add_bytes(&label, "", 1);
    field.label = label.failed ? fire : label.bytes;
    code = building_add(f->b, &field, field.label, index);
    zm_text_free(&label);
    return code;
}

/* Burns a fire and adds it with its times and what is known of it. */
static int add_fire(burning *f, const zm_fire *fire, const char *name, const zm_source *sources,
                    size_t n, double hours, double horizon, int32_t observed)
{
    zm_fire named = *fire;
    zm_view_fire v = { .size = sizeof v,
                       .fire = &named,
                       .sources = sources,
                       .n_sources = n,
                       .hours = hours,
                       .times = -1,
                       .observed = observed };
    zm_error err;
    zm_status st;

    named.name = name;
    TRY(interrupt_check());
    st = zm_physics_burn(f->physics, fire, &f->model.params, sources, n, horizon, hours, NULL, f->T,
                         &err);
    if (st < 0)
        return failure("%s: %s", name, err.text);
    if (st > 0)
        warning("%s: %s", name, err.text);
    TRY(add_times(f, ZM_VIEW_TIMES, name, "by the physics", &v.times));
    return checked(zm_view_add_fire(f->b->page, &v, &err), &err);
}

static double hours_of(const burning *f, double known)
{
    const double t_max = f->b->s->problem.forward.t_max;

    return isfinite(t_max) && t_max > 0 ? t_max : known;
}

static int add_scene_fire(burning *f, size_t i)
{
    const zm_fire *fire = zm_scene_fire(f->scene, i);
    const double hours = hours_of(f, zm_fire_end(fire));
    int32_t observed = -1;
    zm_error err;

    if (zm_scene_has_arrival(f->scene, i)) {
        TRY(checked(zm_scene_arrival(f->scene, i, f->T, &err), &err));
        TRY(add_times(f, ZM_VIEW_OBSERVED, fire->name, "true", &observed));
    }
    return add_fire(f, fire, fire->name, NULL, 0, hours, hours, observed);
}

/* ---- the page --------------------------------------------------------------------------------- */

static const zm_landscape *land_of(const burning *f)
{
    return f->scene ? zm_scene_landscape(f->scene) : zm_observed_landscape(f->observed);
}

/* The page with landscape and model. */
static int begin(burning *f, const input *which, const char *only)
{
    const view_settings *s = f->b->s;
    const zm_landscape *land = land_of(f);
    zm_text command = { 0 };
    zm_error err;
    int code;

    TRY(model_prepare(&f->model, land, &s->of.model));
    TRY(checked(zm_physics_create(&f->physics, &f->model.land, &f->model.opts, &err), &err));
    f->cells = (size_t)land->rows * (size_t)land->cols;
    f->T = grow(NULL, f->cells, sizeof *f->T);
    f->b->first = which->path;
    describe(&command, f, which, only);
    code = building_begin(f->b, &(page_facts){ .rows = land->rows,
                                               .cols = land->cols,
                                               .across = land->cell,
                                               .down = land->cell,
                                               .unit_time = "h",
                                               .unit_length = "m",
                                               .colormap = "fire",
                                               .command = command.failed ? NULL : command.bytes });
    zm_text_free(&command);
    TRY(code);
    TRY(building_place(f->b, f->scene ? zm_scene_georeference(f->scene)
                                      : zm_observed_georeference(f->observed)));
    return checked(zm_view_set_model(f->b->page, &f->model.land, &f->model.opts, &f->model.params,
                                     &s->of.spread, &err),
                   &err);
}

static bool is_wanted(const view_settings *s, const char *fire)
{
    for (size_t i = 0; i < s->fires.count; i++)
        if (!strcmp(s->fires.items[i], fire))
            return true;
    return !s->fires.count;
}

enum { MOST_FIRES = 64 };

/* How many are chosen, and the one where it is one. */
static int choose(const burning *f, size_t *n, const char **only)
{
    const view_settings *s = f->b->s;

    *n = 0;
    *only = NULL;
    for (size_t i = 0; i < s->fires.count; i++)
        if (zm_scene_find(f->scene, s->fires.items[i]) == zm_scene_count(f->scene))
            return no_fire_chosen(f->scene, NULL, s->fires.items[i]);
    for (size_t i = 0; i < zm_scene_count(f->scene); i++)
        if (is_wanted(s, zm_scene_fire(f->scene, i)->name)) {
            *only = zm_scene_fire(f->scene, i)->name;
            ++*n;
        }
    if (*n == 0)
        return no_fire_chosen(f->scene, NULL, NULL);
    if (*n > MOST_FIRES)
        return failure("%s has %zu fires, a page takes at most %d: choose with --fire",
                       zm_scene_folder(f->scene), *n, MOST_FIRES);
    if (*n > 1)
        *only = NULL;
    return DONE;
}

static int page_of_scene(burning *f, const input *which)
{
    const view_settings *s = f->b->s;
    progress bar;
    const char *only;
    size_t n, done = 0;
    int code = DONE;

    TRY(refuse_moisture_of_scenes(&s->of.model));
    TRY(scene_open(&s->of.model, which->path, &f->scene));
    TRY(choose(f, &n, &only));
    TRY(begin(f, which, only));
    bar = progress_begin(s->problem.quiet);
    for (size_t i = 0; code == DONE && i < zm_scene_count(f->scene); i++) {
        const char *name = zm_scene_fire(f->scene, i)->name;

        if (!is_wanted(s, name))
            continue;
        progress_show(&bar, (double)done++ / (double)n, "%s", name);
        code = add_scene_fire(f, i);
    }
    progress_end(&bar);
    return code;
}

static int page_of_observed(burning *f, const input *which)
{
    const view_settings *s = f->b->s;
    char *name = last_name(which->path);
    zm_source *sources = NULL;
    int32_t observed;
    size_t n = 0;
    double hours;
    int code;

    GO(observed_open(&s->of.model, which->path, &f->observed));
    GO(observed_sources(f->observed, &sources, &n));
    GO(begin(f, which, NULL));
    hours = hours_of(f, zm_observed_end(f->observed));
    zm_observed_times(f->observed, f->T);
    GO(add_times(f, ZM_VIEW_OBSERVED, name, "observed", &observed));
    GO(add_fire(f, zm_observed_fire(f->observed), name, sources, n, hours,
                zm_observed_horizon(f->observed, hours), observed));
done:
    free(sources);
    free(name);
    return code;
}

int page_of_fires(building *b, const input *which)
{
    burning f = { .b = b };
    int code;

    for (size_t i = 0; i < b->n; i++)
        if (&b->inputs[i] != which &&
            (b->inputs[i].kind == INPUT_SCENE || b->inputs[i].kind == INPUT_OBSERVED))
            return usage_error("%s and %s are two landscapes; a page shows one: make a page for each",
                               which->path, b->inputs[i].path);
    GO(which->kind == INPUT_SCENE ? page_of_scene(&f, which) : page_of_observed(&f, which));
    GO(add_maps(b));
    GO(add_arrays(b));
done:
    free(f.T);
    zm_physics_destroy(f.physics);
    model_free(&f.model);
    zm_scene_close(f.scene);
    zm_observed_close(f.observed);
    return code;
}
