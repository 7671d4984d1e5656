/* SPDX-License-Identifier: Apache-2.0
 * zermelo reproduce: the paper's experiments, with a report. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/solution.h"
#include "common/stopwatch.h"
#include "common/suggest.h"
#include "common/value.h"
#include "common/verb.h"
#include "core/folder.h"
#include "report.h"
#include "table.h"

typedef struct reproduce_settings {
    const char *out;
    bool list, quick, quiet;
    int32_t threads;
    uint64_t seed;
} reproduce_settings;

#define FIELD(name) offsetof(reproduce_settings, name)

static const option reproduce_list[] = {
    { "list", NULL, OPTION_FLAG, FIELD(list),
      .help = "list the experiments and what of the paper they show" },
    { "out", "DIR", OPTION_VALUE, FIELD(out), .parse = parse_text,
      .expects = "a directory",
      .help = "where results go; default: zermelo-reproduce" },
    { "quick", NULL, OPTION_FLAG, FIELD(quick),
      .help =
          "smaller grids and fewer repetitions: all experiments within two minutes" },
    { "threads", "N", OPTION_VALUE, FIELD(threads), .parse = parse_threads,
      .expects = "a number from 1 to 256, or all",
      .help = "most threads a solve may use; default: 1" },
    { "seed", "S", OPTION_VALUE, FIELD(seed), .parse = parse_seed,
      .expects = "a whole number from 0 to 2147483647",
      .help = "of all random numbers; default: 1" },
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet), .help = "no progress" },
    { 0 }
};
static const option_table reproduce_options = { "Options", reproduce_list };

static const experiment *find_experiment(const char *name)
{
    for (size_t i = 0; experiments[i]; i++)
        if (!strcmp(experiments[i]->name, name))
            return experiments[i];
    return NULL;
}

static int unknown_experiment(const char *name)
{
    const char *nearest = NULL;
    size_t smallest = SIZE_MAX;

    for (size_t i = 0; experiments[i]; i++)
        suggest(name, strlen(name), experiments[i]->name, &nearest, &smallest);
    return nearest
               ? usage_error("unknown experiment '%s'; did you mean %s?", name, nearest)
               : usage_error("unknown experiment '%s'; --list shows them", name);
}

/* Experiments to run or to list. */
typedef struct selection {
    const experiment **chosen;
    size_t n;
} selection;

static bool contains(const selection *s, const experiment *wanted)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->chosen[i] == wanted)
            return true;
    return false;
}

/* Those named, each once, in the order in which they are named; all without names. */
static int select_experiments(char **names, int n_names, selection *s)
{
    size_t all = 0;

    while (experiments[all])
        all++;
    *s = (selection){ grow(NULL, all, sizeof *s->chosen), n_names ? 0 : all };
    memcpy(s->chosen, experiments, all * sizeof *s->chosen);
    for (int i = 0; i < n_names; i++) {
        const experiment *found = find_experiment(names[i]);

        if (!found)
            return unknown_experiment(names[i]);
        if (!contains(s, found))
            s->chosen[s->n++] = found;
    }
    return DONE;
}

/* Width of the column of names. */
static int longest_name(const selection *s)
{
    size_t longest = 0;

    for (size_t i = 0; i < s->n; i++)
        if (strlen(s->chosen[i]->name) > longest)
            longest = strlen(s->chosen[i]->name);
    return (int)longest;
}

static int list_experiments(const selection *s)
{
    const int width = longest_name(s);
    const char *group = "";

    for (size_t i = 0; i < s->n; i++) {
        const experiment *e = s->chosen[i];

        if (strcmp(group, e->group) != 0)
            printf("%s%s\n", i ? "\n" : "", group = e->group);
        printf("  %-*s %s\n  %-*s   %s\n", width, e->name, e->title, width, "",
               e->paper);
    }
    return DONE;
}

/* Where we are: the experiments' own progress becomes one line on a terminal. */
typedef struct watch {
    progress bar;
    size_t index, total;
    const char *name;
    int width; /* of the longest name */
} watch;

static void watch_step(void *ctx, double share, const char *step)
{
    watch *w = ctx;

    progress_show(&w->bar, ((double)w->index + share) / (double)w->total,
                  "%zu/%zu %s: %s", w->index + 1, w->total, w->name, step);
}

static void tell(const outcome *o, const watch *w)
{
    size_t worse = 0;

    for (size_t i = 0; i < o->n_rows; i++)
        worse += outcome_verdict(&o->rows[i]) == VERDICT_WORSE;
    if (o->failure)
        failure("%s: %s", o->what->name, o->failure);
    else if (o->status == ZM_OK)
        note("%zu/%zu %-*s %3zu rows, %zu figure%s, %s%s", w->index + 1, w->total,
             w->width, o->what->name, o->n_rows, o->n_figures,
             o->n_figures == 1 ? "" : "s", time_of(o->seconds).text,
             worse ? "; worse than the paper in some" : "");
}

/* Runs them all; what was found so far is on disk after each. */
static int run_all(const selection *which, const reproduce_settings *s)
{
    const size_t n = which->n;
    outcome *found = grow(NULL, n, sizeof *found);
    watch w = { .bar = progress_begin(s->quiet),
                .total = n,
                .width = longest_name(which) };
    const run_settings settings = { .directory = s->out,
                                    .quick = s->quick,
                                    .threads = s->threads,
                                    .seed = s->seed,
                                    .progress = watch_step,
                                    .progress_ctx = &w,
                                    .stop = interrupt_pending };
    size_t done = 0, failed = 0;
    int code = DONE;

    while (done < n && !interrupt_pending()) {
        w.index = done;
        w.name = which->chosen[done]->name;
        found[done] = outcome_of(which->chosen[done], &settings);
        progress_end(&w.bar);
        tell(&found[done], &w);
        failed += found[done].failure != NULL;
        done++;
        GO(report_write_json(found, done, &settings));
    }
    GO(report_write_page(found, done, n, &settings));
    if (interrupt_pending())
        code = interrupt_status("interrupted; %s/results.json and index.html hold what "
                                "was finished",
                                s->out);
    else if (failed)
        code = failure("%zu of %zu experiments failed", failed, n);
done:
    for (size_t i = 0; i < done; i++)
        outcome_free(&found[i]);
    free(found);
    return code;
}

static int reproduce_run(const void *settings, char **operands, int n_operands)
{
    const reproduce_settings *s = settings;
    selection which;
    zm_error err;
    int code;

    message_quiet(s->quiet);
    GO(select_experiments(operands, n_operands, &which));
    if (s->list) {
        code = list_experiments(&which);
        goto done;
    }
    if (zm_folder_make(s->out, &err) < 0)
        GO(failure("cannot make --out directory %s", err.text));
    GO(run_all(&which, s));
    printf("%s/index.html shows all tables and figures; the numbers are in "
           "%s/results.json\n",
           s->out, s->out);
done:
    free(which.chosen);
    return code;
}

static const char *experiment_name(size_t i)
{
    return experiments[i] ? experiments[i]->name : NULL;
}

const verb verb_reproduce = {
    .name = "reproduce",
    .summary = "run the paper's experiments and write a report with figures",
    .usage = "[NAME...] [options]",
    .description =
        "Runs the named experiments, or all of them, and writes a report with our "
        "numbers beside the paper's.\n\n"
        "Files: DIR/results.json, a list of all numbers; DIR/index.html, one page with "
        "all tables and figures that needs no other file; DIR/NAME/ with the arrays "
        "(NPY) and the pictures (PNG and SVG) of each experiment. The report "
        "describes this run: experiments run earlier into the same directory keep "
        "their files but are not in it.\n\n"
        "Everything but the times is the same in every run with the same seed. Ctrl-C "
        "leaves a report of what was finished.",
    .example = "zermelo reproduce --list\n"
               "zermelo reproduce isotropic --quick --out report",
    .tables = { &reproduce_options },
    .takes_operands = true,
    .operand = experiment_name,
    .defaults = &(const reproduce_settings){ .out = "zermelo-reproduce",
                                             .threads = 1,
                                             .seed = 1 },
    .settings_size = sizeof(reproduce_settings),
    .run = reproduce_run,
};
