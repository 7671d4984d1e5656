/* SPDX-License-Identifier: Apache-2.0
 * Runs one experiment and keeps what it leaves behind. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure.h"
#include "outcome.h"
#include "random.h"
#include "zermelo/npy.h"

/* Memory freed with the run. */
typedef struct piece {
    struct piece *next;
    max_align_t bytes[];
} piece;

struct experiment_run {
    const run_settings *settings;
    outcome *out;
    piece *pieces;
    double started, last_row;
    bool stopped; /* by the user */
};

static void *or_die(void *memory)
{
    if (!memory) {
        fputs("zermelo reproduce: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static char *copy_of(const char *text)
{
    return or_die(strdup(text ? text : ""));
}

__attribute__((format(printf, 1, 0))) static char *formatted(const char *format,
                                                             va_list arguments)
{
    va_list again;
    char *text;
    int length;

    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = or_die(malloc((size_t)length + 1));
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

/* Room for one item more. */
static void *one_more(void *items, size_t n, size_t size)
{
    return or_die(realloc(items, (n + 1) * size));
}

bool run_quick(const experiment_run *run)
{
    return run->settings->quick;
}

int32_t run_threads(const experiment_run *run)
{
    return run->settings->threads;
}

uint64_t run_seed(const experiment_run *run, uint64_t purpose)
{
    uint64_t state = run->settings->seed;

    for (const char *c = run->out->what->name; *c; c++)
        state = zm_random_bits(&state) ^ (unsigned char)*c;
    state ^= purpose * 0xD1B54A32D192ED03u;
    return zm_random_bits(&state);
}

bool run_goes_on(experiment_run *run)
{
    if (run->settings->stop())
        run->stopped = true;
    return !run->stopped && !run->out->failure;
}

void run_step(experiment_run *run, double share, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = formatted(format, arguments);
    va_end(arguments);
    run->settings->progress(run->settings->progress_ctx, share, text);
    free(text);
}

void run_check(experiment_run *run, zm_status status, const zm_error *err)
{
    if (status != ZM_OK && !run->out->failure) {
        run->out->failure = copy_of(err->text);
        run->out->status = status < 0 ? status : ZM_E_STATE;
    }
}

void run_fail(experiment_run *run, const char *format, ...)
{
    va_list arguments;

    if (run->out->failure)
        return;
    va_start(arguments, format);
    run->out->failure = formatted(format, arguments);
    run->out->status = ZM_E_STATE;
    va_end(arguments);
}

void *run_memory(experiment_run *run, size_t n, size_t size)
{
    piece *p = or_die(n && size > (SIZE_MAX - sizeof *p) / n
                          ? NULL
                          : calloc(1, sizeof *p + n * size));

    p->next = run->pieces;
    run->pieces = p;
    return p->bytes;
}

double *field_new(experiment_run *run, size_t n)
{
    return run_memory(run, n, sizeof(double));
}

const char *run_text(experiment_run *run, const char *format, ...)
{
    va_list arguments;
    char *text, *kept;

    va_start(arguments, format);
    text = formatted(format, arguments);
    va_end(arguments);
    kept = run_memory(run, strlen(text) + 1, 1);
    strcpy(kept, text);
    free(text);
    return kept;
}

double paper_number(const char *text)
{
    const char *start = text ? text + strspn(text, "<>~≈ ") : "";
    char *end;
    const double value = strtod(start, &end);

    return *start && !*end ? value : NAN;
}

void run_result(experiment_run *run, const result *r)
{
    outcome *o = run->out;
    const double now = clock_seconds();

    if (!run_goes_on(run))
        return;
    o->rows = one_more(o->rows, o->n_rows, sizeof *o->rows);
    o->rows[o->n_rows++] = (outcome_row){
        .reference = copy_of(r->reference),
        .quantity = copy_of(r->quantity),
        .unit = copy_of(r->unit),
        .paper_text = copy_of(r->paper),
        .paper = paper_number(r->paper),
        .ours = r->ours,
        .better = r->better,
        .seconds = now - run->last_row,
    };
    run->last_row = now;
}

void run_remark(experiment_run *run, const char *format, ...)
{
    outcome *o = run->out;
    va_list arguments;

    if (!run_goes_on(run))
        return;
    o->remarks = one_more(o->remarks, o->n_remarks, sizeof *o->remarks);
    va_start(arguments, format);
    o->remarks[o->n_remarks++] = formatted(format, arguments);
    va_end(arguments);
}

/* directory/experiment/name.ending */
static char *path_in(const experiment_run *run, const char *name, const char *ending)
{
    const char *directory = run->settings->directory, *own = run->out->what->name;
    const size_t room =
        strlen(directory) + strlen(own) + strlen(name) + strlen(ending) + 3;
    char *path = or_die(malloc(room));

    snprintf(path, room, "%s/%s/%s%s", directory, own, name, ending);
    return path;
}

void run_save(experiment_run *run, const char *name, const double *values, size_t rows,
              size_t cols)
{
    char *path = path_in(run, name, ".npy");
    zm_error err;

    if (run_goes_on(run))
        run_check(
            run,
            zm_npy_write(path, ZM_NPY_F64, 2, (size_t[]){ rows, cols }, values, &err),
            &err);
    free(path);
}

void run_save_curves(experiment_run *run, const char *name, size_t n,
                     const saved_curve *curves)
{
    const char *names = "";
    size_t rows = 0;
    double *all;

    while (curves[rows].name)
        rows++;
    all = field_new(run, rows * n);
    for (size_t i = 0; i < rows; i++) {
        memcpy(all + i * n, curves[i].values, n * sizeof *all);
        names = run_text(run, "%s%s%s", names, i ? ", " : "", curves[i].name);
    }
    run_save(run, name, all, rows, n);
    run_remark(run, "Rows of %s.npy: %s.", name, names);
}

zm_figure *figure_new(experiment_run *run, int32_t rows, int32_t cols,
                      const char *title)
{
    zm_figure *figure = NULL;
    zm_error err;
    const zm_status st = zm_figure_create(
        &figure, ZM_FIGURE_OPTS(.rows = rows, .cols = cols, .title = title), &err);

    run_check(run, st, &err);
    return or_die(figure); /* rows and cols are ours: nothing else can be wrong */
}

static void save_as(experiment_run *run, zm_figure *figure, zm_plot_theme theme,
                    const char *path)
{
    zm_error err;

    if (!run_goes_on(run))
        return;
    zm_figure_set_theme(figure, theme);
    run_check(run, zm_figure_save(figure, path, &err), &err);
}

static void free_figure(outcome_figure *f)
{
    free(f->name);
    free(f->reference);
    free(f->caption);
    free(f->png);
    free(f->svg);
    free(f->dark_svg);
}

void figure_save(experiment_run *run, zm_figure *figure, const char *name,
                 const char *reference, const char *caption)
{
    outcome *o = run->out;
    outcome_figure f = { .name = copy_of(name),
                         .reference = copy_of(reference),
                         .caption = copy_of(caption),
                         .png = path_in(run, name, ".png"),
                         .svg = path_in(run, name, ".svg"),
                         .dark_svg = path_in(run, name, "-dark.svg") };

    save_as(run, figure, ZM_THEME_LIGHT, f.png);
    save_as(run, figure, ZM_THEME_LIGHT, f.svg);
    save_as(run, figure, ZM_THEME_DARK, f.dark_svg);
    zm_figure_destroy(figure);
    if (!run_goes_on(run)) { /* not all of its files are there */
        free_figure(&f);
        return;
    }
    o->figures = one_more(o->figures, o->n_figures, sizeof *o->figures);
    o->figures[o->n_figures++] = f;
}

static void make_directory(experiment_run *run)
{
    char *path = path_in(run, "", "");

    if (mkdir(path, 0777) && errno != EEXIST)
        run_fail(run, "cannot make directory %s: %s", path, strerror(errno));
    free(path);
}

outcome outcome_of(const experiment *what, const run_settings *settings)
{
    outcome o = { .what = what };
    experiment_run run = { .settings = settings,
                           .out = &o,
                           .started = clock_seconds(),
                           .last_row = clock_seconds() };

    make_directory(&run);
    if (run_goes_on(&run))
        what->run(&run);
    if (run.stopped && !o.failure)
        o.status = ZM_E_CANCELLED;
    while (run.pieces) {
        piece *next = run.pieces->next;

        free(run.pieces);
        run.pieces = next;
    }
    o.seconds = clock_seconds() - run.started;
    return o;
}

void outcome_free(outcome *o)
{
    for (size_t i = 0; i < o->n_rows; i++) {
        free(o->rows[i].reference);
        free(o->rows[i].quantity);
        free(o->rows[i].unit);
        free(o->rows[i].paper_text);
    }
    for (size_t i = 0; i < o->n_figures; i++)
        free_figure(&o->figures[i]);
    for (size_t i = 0; i < o->n_remarks; i++)
        free(o->remarks[i]);
    free(o->rows);
    free(o->figures);
    free(o->remarks);
    free(o->failure);
    *o = (outcome){ 0 };
}

/* Half a unit of the last digit printed: "0.84" is good to 0.005, "7.73e-3" to 5e-6. */
static double rounding_of(const char *text)
{
    const char *mantissa = text + strspn(text, "<>~≈ "), *e = strpbrk(mantissa, "eE");
    const char *point = strchr(mantissa, '.');
    const size_t end = e ? (size_t)(e - mantissa) : strlen(mantissa);
    const double decimals = point ? (double)(end - (size_t)(point - mantissa) - 1) : 0;
    const double exponent = e ? strtod(e + 1, NULL) : 0;

    return 0.5 * pow(10, exponent - decimals);
}

verdict outcome_verdict(const outcome_row *row)
{
    double slack, gain;

    if (!isfinite(row->paper) || row->better == BETTER_NONE)
        return VERDICT_NONE;
    slack = rounding_of(row->paper_text) * (1 + 1e-9);
    gain =
        row->better == BETTER_HIGHER ? row->ours - row->paper : row->paper - row->ours;
    if (!isfinite(row->ours))
        return VERDICT_WORSE;
    if (strchr("<>", row->paper_text[0])) /* a bound: kept or not */
        return gain >= 0 ? VERDICT_BETTER : VERDICT_WORSE;
    if (fabs(gain) <= slack)
        return VERDICT_SAME;
    if (row->better == BETTER_EQUAL)
        return VERDICT_WORSE;
    return gain > 0 ? VERDICT_BETTER : VERDICT_WORSE;
}
