/* SPDX-License-Identifier: Apache-2.0
 * zermelo info: what is in array files, and what this tool can do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/array_info.h"
#include "common/inputs.h"
#include "common/json.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/verb.h"
#include "zermelo/version.h"

typedef struct info_settings {
    const char *drift, *json;
} info_settings;

#define FIELD(name) offsetof(info_settings, name)

static const option info_list[] = {
    { "drift", "FILE", OPTION_INPUT, FIELD(drift),
      .help = "drift b, shape (2, rows, cols): tell also whether each metric among the "
              "files admits it, that is |b|_{G^-1} < 1" },
    { "json", "FILE", OPTION_OUTPUT, FIELD(json), .dash_allowed = true,
      .help = "the same as JSON; - is standard output, instead of the text" },
    { 0 }
};
static const option_table info_options = { "Options", info_list };

static bool isa_works(zm_isa isa)
{
    const zm_grid grid = { 1, 1, 1, 1 };
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver;
    zm_status st;

    opts.isa = isa;
    st = zm_solver_create(&solver, grid, ZM_F64, &opts, NULL);
    zm_solver_destroy(solver);
    return st == ZM_OK;
}

static void describe_tool(json *j, bool print)
{
    static const struct {
        const char *name;
        zm_isa isa;
    } isas[] = { { "scalar", ZM_ISA_SCALAR },
                 { "avx2", ZM_ISA_AVX2 },
                 { "avx512", ZM_ISA_AVX512 } };

    if (print)
        printf("zermelo %s\nprocessors: %d\ninstruction sets:", zm_version(),
               (int)processors());
    json_int(j, "processors", processors());
    json_open(j, "instruction_sets", '[');
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (isa_works(isas[i].isa)) {
            json_text(j, NULL, isas[i].name);
            if (print)
                printf(" %s", isas[i].name);
        }
    }
    json_close(j, ']');
    json_text(j, "pictures", picture_formats());
    if (print)
        printf("\npictures: %s\n", *picture_formats() ? picture_formats() : "none");
}

static int describe_files(json *j, bool print, const char *drift_path, char **files,
                          int n)
{
    zm_npy drift = { 0 };
    int code = DONE;

    if (drift_path)
        TRY(read_array("drift", drift_path, ZM_NPY_F64, &drift));
    json_open(j, "files", '[');
    for (int i = 0; i < n; i++) {
        array_info info;
        const int this_code =
            array_info_read(&info, files[i], drift_path, drift_path ? &drift : NULL);

        if (this_code != DONE) {
            code = this_code;
            continue;
        }
        array_info_json(&info, j);
        if (print)
            array_info_print(&info);
    }
    json_close(j, ']');
    zm_npy_free(&drift);
    return code;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const info_settings *s = settings;
    const bool print = !s->json || strcmp(s->json, "-") != 0;
    json j = { 0 };
    int code = DONE;

    if (s->drift && n_operands == 0)
        return usage_error("--drift needs a metric to go with it: zermelo info METRIC "
                           "--drift %s",
                           s->drift);
    json_open(&j, NULL, '{');
    json_text(&j, "version", zm_version());
    if (n_operands)
        code = describe_files(&j, print, s->drift, operands, n_operands);
    else
        describe_tool(&j, print);
    json_close(&j, '}');
    if (code == DONE && s->json)
        return json_save(&j, "--json ", s->json);
    json_free(&j);
    return code;
}

static const info_settings defaults = { 0 };

const verb verb_info = {
    .name = "info",
    .summary = "what is in array files, and what this tool can do",
    .usage = "[FILE...] [options]",
    .description =
        "Tells shape, type and range of NPY files; for a metric, shape (3, rows, "
        "cols), "
        "also whether it is positive definite, its eigenvalues and its anisotropy "
        "(largest "
        "over smallest eigenvalue in a cell). Without a file: version, processors, "
        "instruction sets and kinds of pictures.\n\n" CONVENTIONS,
    .example = "  python3 -c \"import numpy as np; np.save('metric.npy', np.ones((3, "
               "5, 6)))\"\n"
               "  zermelo info metric.npy\n",
    .tables = { &info_options },
    .takes_operands = true,
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
