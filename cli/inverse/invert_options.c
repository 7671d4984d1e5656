/* SPDX-License-Identifier: Apache-2.0
 * Options of zermelo invert. */
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/picture.h"
#include "invert.h"

/* ---- names ------------------------------------------------------------------------ */

static const option_choice unknowns[] = {
    { "isotropic", ZM_UNKNOWN_ISOTROPIC },
    { "diagonal", ZM_UNKNOWN_DIAGONAL },
    { "metric", ZM_UNKNOWN_METRIC },
    { "drift", ZM_UNKNOWN_DRIFT },
    { "isotropic+drift", ZM_UNKNOWN_ISOTROPIC | ZM_UNKNOWN_DRIFT },
    { "diagonal+drift", ZM_UNKNOWN_DIAGONAL | ZM_UNKNOWN_DRIFT },
    { "all", ZM_UNKNOWN_ALL },
    { 0 }
};

static const option_choice regularisers[] = { { "tv", ZM_REG_TV },
                                              { "h1", ZM_REG_H1 },
                                              { "tikhonov", ZM_REG_TIKHONOV },
                                              { "log", ZM_REG_LOG },
                                              { "frobenius-tv", ZM_REG_FROBENIUS_TV },
                                              { "log-euclidean-tv",
                                                ZM_REG_LOG_EUCLIDEAN_TV },
                                              { "none", REGULARISER_NONE },
                                              { 0 } };

static const option_choice methods[] = { { "auto", ZM_INVERT_AUTO },
                                         { "gauss-newton", ZM_INVERT_GAUSS_NEWTON },
                                         { "gnc", ZM_INVERT_GNC },
                                         { "admm", ZM_INVERT_ADMM },
                                         { "newton", ZM_INVERT_NEWTON },
                                         { "lbfgs", ZM_INVERT_LBFGS },
                                         { "adam", ZM_INVERT_ADAM },
                                         { "gradient", ZM_INVERT_GRADIENT },
                                         { 0 } };

static const option_choice misfits[] = { { "squares", ZM_MISFIT_SQUARES },
                                         { "huber", ZM_MISFIT_HUBER },
                                         { 0 } };

static const option_choice lambda_rules[] = { { "auto", ZM_LAMBDA_AUTO },
                                              { "discrepancy", ZM_LAMBDA_DISCREPANCY },
                                              { "lcurve", ZM_LAMBDA_LCURVE },
                                              { 0 } };

const char *invert_unknown_name(zm_unknown unknown)
{
    return choice_name(unknowns, (int)unknown);
}

const char *invert_regulariser_name(int regulariser)
{
    return choice_name(regularisers, regulariser);
}

const char *invert_method_name(zm_invert_method method)
{
    return choice_name(methods, (int)method);
}

const char *invert_misfit_name(zm_misfit_kind misfit)
{
    return choice_name(misfits, (int)misfit);
}

/* ---- parsers ---------------------------------------------------------------------- */

/* The field is the settings themselves. */
static bool parse_lambda(const char *text, void *field)
{
    invert_settings *s = field;

    s->lambda_given = true;
    if (choice_parse(lambda_rules, text, &s->opts.lambda_rule))
        return true;
    s->opts.lambda_rule = ZM_LAMBDA_FIXED;
    return parse_positive(text, &s->opts.lambda);
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Strengths are sorted, and each is taken once. */
static bool parse_lcurve(const char *text, void *field)
{
    lcurve_choice *out = field;
    number_list *list = &out->lambdas;
    size_t n = 0;

    if (!strchr(text, ','))
        return parse_count(text, &out->n) && out->n >= 3 && out->n <= 100;
    if (!parse_positive_list(text, list))
        return false;
    qsort(list->items, list->count, sizeof *list->items, falling);
    for (size_t i = 0; i < list->count; i++)
        if (n == 0 || list->items[i] < list->items[n - 1])
            list->items[n++] = list->items[i];
    list->count = n;
    out->n = (int32_t)n;
    return n >= 3 && n <= 100;
}

static bool parse_observations(const char *text, void *field)
{
    observation_files *out = field;
    const size_t n = out->files.count;
    int32_t experiment = NOT_SAID;
    const char *path = after_number(text, &experiment);

    if (!*path || !strcmp(path, "-"))
        return false;
    out->files.items = grow(out->files.items, n + 1, sizeof *out->files.items);
    out->experiments = grow(out->experiments, n + 1, sizeof *out->experiments);
    out->files.items[n] = path;
    out->experiments[n] = experiment;
    out->files.count = n + 1;
    return true;
}

static bool parse_numbered_source(const char *text, void *field)
{
    numbered_sources *out = field;
    const size_t n = out->list.count;
    int32_t experiment = 0;

    if (!parse_place(after_number(text, &experiment), &out->list))
        return false;
    out->experiments = grow(out->experiments, n + 1, sizeof *out->experiments);
    out->experiments[n] = experiment;
    return true;
}

/* ---- tables ----------------------------------------------------------------------- */

#define FIELD(name) offsetof(invert_settings, name)

static const option data_list[] = {
    { "observations", "[K:]FILE", OPTION_INPUTS, FIELD(observations), .required = true,
      .repeatable = true, .parse = parse_observations,
      .expects = "the name of a file, e.g. times.csv or 2:times.npy",
      .help = "when the front was seen where: a table with a header, "
              "experiment,row,col,time"
              "[,sigma][,time_upper] (see above), or an array *.npy of shape (rows, "
              "cols) with "
              "nan or inf where nothing was seen; K: experiment it belongs to, from 0 "
              "(for a "
              "table: where it has no such column), default 0; may be repeated" },
    { "source", "[K:]ROW,COL[,TIME]", OPTION_VALUE, FIELD(sources), .required = true,
      .repeatable = true, .parse = parse_numbered_source,
      .expects =
          "ROW,COL or ROW,COL,TIME, e.g. 100,50 or 99.25,50.5, after the number of the "
          "experiment if that is not 0, e.g. 2:100,50",
      .help =
          "the front of experiment K, default 0, starts here at TIME, default 0; whole "
          "numbers are the middles of cells; may be repeated" },
    { "shape", "ROWS,COLS", OPTION_VALUE, FIELD(shape), .parse = parse_shape,
      .expects = "two whole numbers, e.g. 80,120",
      .help = "size of the grid; needed where no array tells it" },
    { "spacing", "DX[,DY]", OPTION_VALUE, FIELD(spacing), .parse = parse_spacing,
      .expects = "DX or DX,DY above 0, e.g. 30 or 30,25",
      .help = "distance between columns and between rows; default 1, DY default DX" },
    { "walls", "FILE", OPTION_INPUT, FIELD(walls),
      .help = "shape (rows, cols): nothing crosses cells where this is not zero" },
    { "sigma", "TIME", OPTION_VALUE, FIELD(sigma), .parse = parse_positive,
      .expects = "a number > 0",
      .help = "standard deviation of the times that come without one; default: they "
              "have no "
              "noise to speak of, and are fitted to a hundredth of what the front "
              "takes for "
              "a cell" },
    { 0 }
};

static const option sought_list[] = {
    { "unknown", "WHAT", OPTION_VALUE, FIELD(opts.unknown), .choices = unknowns,
      .help =
          "isotropic: g in G = g I (default); diagonal: g11 and g22; metric: all of G; "
          "drift: b; isotropic+drift, diagonal+drift; all: G and b. One front does not "
          "tell diagonal, metric or a varying drift: give several experiments" },
    { "metric", "FILE", OPTION_INPUT, FIELD(metric),
      .help =
          "the metric where only the drift is sought, shape (3, rows, cols) or (rows, "
          "cols); default: G = I" },
    { "drift", "FILE", OPTION_INPUT, FIELD(drift),
      .help =
          "the drift where only the metric is sought, shape (2, rows, cols); default: "
          "none" },
    { "start-metric", "FILE", OPTION_INPUT, FIELD(start_metric),
      .help = "where to start, as --metric; default: the best uniform one, from one "
              "solve" },
    { "start-drift", "FILE", OPTION_INPUT, FIELD(start_drift),
      .help = "where to start, as --drift; default: none" },
    { 0 }
};

static const option method_list[] = {
    { "regulariser", "KIND", OPTION_VALUE, FIELD(regulariser), .choices = regularisers,
      .help =
          "what is preferred among fields that explain the times. tv: few jumps "
          "(default); h1: smooth; tikhonov: near the start; log: few and sharp jumps; "
          "frobenius-tv, log-euclidean-tv: tv of G as a matrix, of its logarithm; "
          "none: the misfit alone" },
    { "lambda", "STRENGTH", OPTION_VALUE, 0, .parse = parse_lambda,
      .expects = "a number > 0, auto, discrepancy or lcurve",
      .help =
          "of the regulariser, against residuals divided by sigma: a number, auto "
          "(what holds down noise of that sigma; default), discrepancy (such that chi2 "
          "becomes 1), or lcurve (--lcurve 13)" },
    { "lcurve", "N|LIST", OPTION_VALUE, FIELD(lcurve), .parse = parse_lcurve,
      .expects = "a number of strengths from 3 to 100, or 3 to 100 of them: 10,3,1,0.3",
      .help = "instead of --lambda: try N strengths around the automatic one, two to a "
              "power of ten, or those listed, and take the corner of misfit against "
              "regulariser; needs no sigma that is right; default 13 for --lambda lcurve" },
    { "method", "NAME", OPTION_VALUE, FIELD(opts.method), .choices = methods,
      .help =
          "auto (default): newton where every cell has been observed without noise, "
          "gnc (Gauss-Newton with tv, then log) with tv, else gauss-newton. admm: "
          "exact tv. lbfgs, adam, gradient: slower, for comparison" },
    { "misfit", "KIND", OPTION_VALUE, FIELD(opts.misfit), .choices = misfits,
      .help = "squares of residuals (default), or huber: beyond 1.345 sigma they count "
              "linearly, for data with outliers" },
    { "stencils", "KIND", OPTION_VALUE, FIELD(opts.stencils),
      .choices = stencil_choices,
      .help =
          "which neighbours a cell is updated from; adaptive, the default: farther ones "
          "than the eight nearest where the anisotropy needs them; fixed: always the "
          "eight nearest" },
    { "max-solves", "N", OPTION_VALUE, FIELD(opts.max_solves), .parse = parse_cells,
      .expects = "a whole number from 1 on",
      .help = "stop after so many solves of each experiment; default: no limit" },
    { "max-iterations", "N", OPTION_VALUE, FIELD(opts.max_iterations),
      .parse = parse_count, .expects = "a whole number from 1 on",
      .help =
          "stop after so many steps; default: as the method needs, 300 for lbfgs, adam "
          "and gradient" },
    { "samples", "N", OPTION_VALUE, FIELD(std.samples), .parse = parse_count,
      .expects = "a whole number from 2 on",
      .help = "for --out-std, whose relative accuracy is 1/sqrt(2N); default 64" },
    { "threads", "N", OPTION_VALUE, FIELD(opts.threads), .parse = parse_threads,
      .expects = "a whole number from 1 to 256, or all",
      .help = "threads, or all for every processor; experiments are solved at the same "
              "time; default 1" },
    { 0 }
};

static const option output_list[] = {
    { "out-metric", "FILE", OPTION_OUTPUT, FIELD(out_metric),
      .help =
          "the metric found, float64: shape (rows, cols) for isotropic, else (3, rows, "
          "cols)" },
    { "out-drift", "FILE", OPTION_OUTPUT, FIELD(out_drift),
      .help = "the drift found, shape (2, rows, cols)" },
    { "out-std", "FILE", OPTION_OUTPUT, FIELD(out_std),
      .help =
          "posterior standard deviation of what was found, in Laplace's approximation: "
          "planes of the metric, then of the drift" },
    { "out-times", "FILE", OPTION_OUTPUT, FIELD(out_times),
      .help =
          "arrival times in the metric found, shape (experiments, rows, cols); (rows, "
          "cols) for one experiment" },
    { "json", "FILE", OPTION_OUTPUT, FIELD(json), .dash_allowed = true,
      .help = "report: method, misfit, lambda, solves, every iteration; - is standard "
              "output" },
    PLOT_OPTION(FIELD(plot),
                "picture of what was found, its standard deviation if asked "
                "for, residuals and misfit; .png, .svg or .pdf")
    { "checkpoint", "FILE", OPTION_OUTPUT, FIELD(checkpoint),
      .help =
          "state of the run, written every five seconds, when interrupted and at the "
          "end" },
    { "resume", NULL, OPTION_FLAG, FIELD(resume),
      .help = "go on from the checkpoint, to the same result as without a break; start "
              "afresh if there is none" },
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet),
      .help = "print errors only: no progress, notes or warnings" },
    { 0 }
};

const option_table invert_tables[4] = { { "Data", data_list },
                                        { "What is sought", sought_list },
                                        { "How", method_list },
                                        { "Results", output_list } };

/* ---- options together ------------------------------------------------------------- */

static int check_sought(const invert_settings *s)
{
    if (seeks_metric(s) && s->metric)
        return usage_error(
            "--metric is what is known, but --unknown %s seeks the metric; "
            "--start-metric says where to start",
            invert_unknown_name(s->opts.unknown));
    if (seeks_drift(s) && s->drift)
        return usage_error(
            "--drift is what is known, but --unknown %s seeks the drift; "
            "--start-drift says where to start",
            invert_unknown_name(s->opts.unknown));
    if (!seeks_metric(s) && (s->start_metric || s->out_metric))
        return usage_error("--%s: --unknown drift does not seek the metric",
                           s->start_metric ? "start-metric" : "out-metric");
    if (!seeks_drift(s) && (s->start_drift || s->out_drift))
        return usage_error("--%s: --unknown %s does not seek the drift",
                           s->start_drift ? "start-drift" : "out-drift",
                           invert_unknown_name(s->opts.unknown));
    return DONE;
}

static bool is_tv(const invert_settings *s)
{
    return s->regulariser == ZM_REG_TV || s->regulariser == ZM_REG_FROBENIUS_TV ||
           s->regulariser == ZM_REG_LOG_EUCLIDEAN_TV;
}

static int check_method(const invert_settings *s)
{
    const char *method = invert_method_name(s->opts.method);
    const char *regulariser = invert_regulariser_name(s->regulariser);

    if ((s->opts.method == ZM_INVERT_ADMM || s->opts.method == ZM_INVERT_GNC) &&
        !is_tv(s))
        return usage_error("--method %s is for total variation, not --regulariser %s",
                           method, regulariser);
    if ((s->regulariser == ZM_REG_FROBENIUS_TV ||
         s->regulariser == ZM_REG_LOG_EUCLIDEAN_TV) &&
        ((int)s->opts.unknown & ZM_UNKNOWN_METRIC) != ZM_UNKNOWN_METRIC)
        return usage_error("--regulariser %s is for all of G: --unknown metric or all",
                           regulariser);
    if (s->opts.method == ZM_INVERT_NEWTON && s->opts.unknown != ZM_UNKNOWN_ISOTROPIC)
        return usage_error("--method newton is for --unknown isotropic only");
    return DONE;
}

static int check_lambda(const invert_settings *s)
{
    const bool steps =
        s->opts.method < ZM_INVERT_NEWTON; /* lambda may change in between */
    const bool lcurve = s->lcurve.n || s->opts.lambda_rule == ZM_LAMBDA_LCURVE;

    if (s->regulariser == REGULARISER_NONE && (s->lambda_given || s->lcurve.n))
        return usage_error("--%s: there is no strength of --regulariser none",
                           s->lcurve.n ? "lcurve" : "lambda");
    if (s->lcurve.n && s->lambda_given)
        return usage_error("--lcurve chooses lambda itself; leave out --lambda");
    if (lcurve && s->opts.max_solves)
        return usage_error("--max-solves is for one run, and --%s makes several",
                           s->lcurve.n ? "lcurve" : "lambda lcurve");
    if (!steps && (lcurve || s->opts.lambda_rule == ZM_LAMBDA_DISCREPANCY))
        return usage_error("--%s needs --method gauss-newton, gnc or admm, not %s",
                           s->lcurve.n ? "lcurve"
                           : lcurve    ? "lambda lcurve"
                                       : "lambda discrepancy",
                           invert_method_name(s->opts.method));
    return DONE;
}

static int check_outputs(const invert_settings *s)
{
    if (!s->out_metric && !s->out_drift && !s->out_std && !s->out_times && !s->json &&
        !s->plot)
        return usage_error(
            "no result asked for; give --out-metric, --out-drift, --plot or "
            "others");
    if (s->resume && !s->checkpoint)
        return usage_error("--resume needs --checkpoint FILE");
    if (s->std.samples < 2)
        return usage_error("--samples needs a whole number from 2 on, not '%d'",
                           (int)s->std.samples);
    return DONE;
}

int invert_check(const invert_settings *s)
{
    TRY(check_sought(s));
    TRY(check_method(s));
    TRY(check_lambda(s));
    return check_outputs(s);
}

void invert_settings_release(void *settings)
{
    invert_settings *s = settings;

    free(s->observations.files.items);
    free(s->observations.experiments);
    free(s->sources.list.items);
    free(s->sources.experiments);
    free(s->lcurve.lambdas.items);
    s->observations = (observation_files){ 0 };
    s->sources = (numbered_sources){ 0 };
    s->lcurve = (lcurve_choice){ 0 };
}
