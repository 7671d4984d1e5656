/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: the numbers of a saved inversion with some of them replaced are refused with a
 * message, or the run goes on and ends.  Ten bytes replace one number: its place (modulo the size) and its
 * new value; where the first byte is odd, the bytes are all there is of the state.
 * Run: fuzz_checkpoint tests/fuzz/corpus_checkpoint */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "zermelo/invert.h"

enum { SIDE = 7, SEEN = SIDE * SIDE - 1, METHODS = 5, REPLACED = 10 };

static const zm_invert_method methods[METHODS] = { ZM_INVERT_GAUSS_NEWTON,
                                                   ZM_INVERT_ADMM, ZM_INVERT_LBFGS,
                                                   ZM_INVERT_ADAM, ZM_INVERT_GNC };
static double *saved[METHODS];
static size_t sizes[METHODS];

static zm_inversion *make(zm_invert_method method, int32_t iterations)
{
    static int64_t cells[SEEN];
    static double times[SEEN];
    const zm_source source = { 3, 2, 0 };
    const zm_grid grid = { SIDE, SIDE, 1, 1 };
    zm_experiment experiment = ZM_EXPERIMENT_INIT;
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    zm_inversion *v;
    size_t n = 0;

    for (int64_t i = 0; i < SIDE * SIDE; i++) {
        const double x = (double)(i % SIDE) - 2, y = (double)(i / SIDE) - 3;

        if (x == 0 && y == 0)
            continue;
        cells[n] = i;
        times[n++] = hypot(x, 1.5 * y);
    }
    experiment.sources = &source;
    experiment.n_sources = 1;
    experiment.cells = cells;
    experiment.times = times;
    experiment.n = n;
    o.method = method;
    o.max_iterations = iterations;
    require(zm_inversion_create(&v, grid, &o, NULL) >= 0 &&
            zm_inversion_add(v, &experiment, NULL) >= 0);
    return v;
}

static void save_one(int k)
{
    zm_inversion *v = make(methods[k], 3);

    require(zm_invert_run(v, NULL) >= 0);
    sizes[k] = zm_inversion_state_size(v);
    require((saved[k] = malloc(sizes[k] * sizeof(double))) != NULL);
    require(zm_inversion_save(v, saved[k], NULL) >= 0);
    zm_inversion_destroy(v);
}

static double *state_of(const uint8_t *bytes, size_t n, int k, size_t *size)
{
    double *state;

    if (n % 2) {
        *size = n / sizeof(double);
        require((state = malloc(*size * sizeof(double) + 1)) != NULL);
        memcpy(state, bytes, *size * sizeof(double));
        return state;
    }
    *size = sizes[k];
    require((state = malloc(*size * sizeof(double))) != NULL);
    memcpy(state, saved[k], *size * sizeof(double));
    for (; n >= REPLACED; n -= REPLACED, bytes += REPLACED) {
        const size_t at = bytes[0] + 256U * bytes[1];

        memcpy(&state[at % *size], bytes + 2, sizeof(double));
    }
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const int k = n ? bytes[0] % METHODS : 0;
    zm_error err = { ZM_OK, 0, "" };
    zm_inversion *v;
    double *state;
    size_t size, steps;
    zm_status st;

    if (!saved[k])
        save_one(k);
    state = n ? state_of(bytes + 1, n - 1, k, &size) : NULL;
    if (!state)
        return 0;
    v = make(methods[k], 5);
    st = zm_inversion_load(v, state, size, &err);
    free(state);
    if (st < 0)
        require_message(st, &err);
    st = zm_invert_run(v, &err);
    if (st < 0)
        require_message(st, &err);
    require(zm_inversion_history(v, &steps) || steps == 0);
    zm_inversion_destroy(v);
    return 0;
}
