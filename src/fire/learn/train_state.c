/* SPDX-License-Identifier: Apache-2.0
 * What a training is resumed from, as a file. */
#include <string.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/learn/trainer.h"
#include "fire/learn/net/tensors.h"

#define FORMAT "zermelo fire training 2"

zm_status zm_train_state_save(const char *path, const zm_train_state *state,
                              const double *minimiser, size_t n_minimiser,
                              const double *best, const double *mean, size_t n_best,
                              zm_error *err)
{
    double numbers[ZM_TRAIN_STATE_NUMBERS];
    const zm_tensor_note note = { "format", FORMAT };
    const zm_tensor items[] = {
        { .name = "state",
          .is_f64 = 1,
          .ndim = 1,
          .shape = { ZM_TRAIN_STATE_NUMBERS },
          .values = numbers },
        { .name = "minimiser",
          .is_f64 = 1,
          .ndim = 1,
          .shape = { n_minimiser },
          .values = (double *)minimiser },
        { .name = "best",
          .is_f64 = 1,
          .ndim = 1,
          .shape = { n_best },
          .values = (double *)best },
        { .name = "mean",
          .is_f64 = 1,
          .ndim = 1,
          .shape = { n_best },
          .values = (double *)mean },
    };

    memcpy(numbers, state, sizeof numbers);
    return zm_tensors_write(path, items, 4, &note, 1, err);
}

static zm_status take(const zm_tensors *file, const char *path, const char *name,
                      double *to, size_t n, zm_error *err)
{
    const zm_tensor *t = zm_tensors_find(file, name);

    if (!t || t->count != n)
        return zm_fail(err, ZM_E_STATE, -1,
                       "%s: %s has %zu numbers, this training needs %zu",
                       zm_shown_name(path), name, t ? t->count : 0, n);
    memcpy(to, t->values, n * sizeof *to);
    return ZM_OK;
}

zm_status zm_train_state_load(const char *path, zm_train_state *state,
                              double *minimiser, size_t n_minimiser, double *best,
                              double *mean, size_t n_best, zm_error *err)
{
    double numbers[ZM_TRAIN_STATE_NUMBERS];
    zm_tensors file;
    zm_status st = zm_tensors_read(path, &file, err);
    const char *format = st < 0 ? NULL : zm_tensors_note(&file, "format");

    if (st < 0)
        return st;
    if (!format || strcmp(format, FORMAT))
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: no %s", zm_shown_name(path), FORMAT);
    if (st >= 0)
        st = take(&file, path, "state", numbers, ZM_TRAIN_STATE_NUMBERS, err);
    if (st >= 0)
        st = take(&file, path, "minimiser", minimiser, n_minimiser, err);
    if (st >= 0)
        st = take(&file, path, "best", best, n_best, err);
    if (st >= 0)
        st = take(&file, path, "mean", mean, n_best, err);
    if (st >= 0)
        memcpy(state, numbers, sizeof numbers);
    zm_tensors_free(&file);
    return st;
}
