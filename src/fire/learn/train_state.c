/* SPDX-License-Identifier: Apache-2.0
 * What a training is resumed from, as a file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/digest.h"
#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/learn/trainer.h"
#include "fire/learn/net/tensors.h"

#define FORMAT "zermelo fire training 3"

enum { CHECKSUM_TEXT = 17 };

/* Digest of all arrays, as text. */
static void checksum(char text[CHECKSUM_TEXT], const zm_tensor *items, size_t n)
{
    uint64_t digest = ZM_DIGEST_INIT;

    for (size_t i = 0; i < n; i++)
        digest = zm_digest_add(digest, items[i].values,
                               items[i].shape[0] * sizeof *items[i].values);
    (void)snprintf(text, CHECKSUM_TEXT, "%016" PRIx64, digest);
}

zm_status zm_train_state_save(const char *path, const zm_train_state *state,
                              const double *minimiser, size_t n_minimiser,
                              const double *best, const double *mean, size_t n_best,
                              zm_error *err)
{
    double numbers[ZM_TRAIN_STATE_NUMBERS];
    char sum[CHECKSUM_TEXT];
    const zm_tensor_note notes[] = { { "format", FORMAT }, { "checksum", sum } };
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
    checksum(sum, items, 4);
    return zm_tensors_write(path, items, 4, notes, 2, err);
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

/* Whether the arrays are those that were written. */
static zm_status check_sum(const zm_tensors *file, const char *path, zm_error *err)
{
    static const char *const NAMES[] = { "state", "minimiser", "best", "mean" };
    const char *kept = zm_tensors_note(file, "checksum");
    zm_tensor items[4];
    char sum[CHECKSUM_TEXT];

    for (size_t i = 0; i < 4; i++) {
        const zm_tensor *t = zm_tensors_find(file, NAMES[i]);

        if (!t || t->ndim != 1)
            return zm_fail(err, ZM_E_FORMAT, -1, "%s: %s is missing", zm_shown_name(path),
                           NAMES[i]);
        items[i] = *t;
    }
    checksum(sum, items, 4);
    if (kept && !strcmp(kept, sum))
        return ZM_OK;
    return zm_fail(err, ZM_E_FORMAT, -1,
                   "%s: the file is damaged (checksum %s, its contents give %s): train anew",
                   zm_shown_name(path), kept ? kept : "missing", sum);
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
        st = check_sum(&file, path, err);
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
