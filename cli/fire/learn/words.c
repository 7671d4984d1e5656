/* SPDX-License-Identifier: Apache-2.0
 * Values of options that the verbs of learning share. */
#include "fire/learn/words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/value.h"
#include "fire/physics_model.h"

/* Place of the text among the words, or -1. */
static int among(const char *text, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(text, words[i]))
            return i;
    return -1;
}

bool parse_form(const char *text, void *field)
{
    const int i = among(
        text, (const char *const[]){ "paper", "multiplicative", "physics", NULL });

    *(form_choice *)field = (form_choice){ (zm_model_form)(i < 0 ? 0 : i), true };
    return i >= 0;
}

bool parse_loss(const char *text, void *field)
{
    const int i =
        among(text, (const char *const[]){ "log", "huber", "mse", "area", NULL });

    *(zm_loss_kind *)field = (zm_loss_kind)(i < 0 ? 0 : i);
    return i >= 0;
}

bool parse_score(const char *text, void *field)
{
    const int i = among(text, (const char *const[]){ "both", "correlation", "iou",
                                                     "rmse", "end", NULL });

    *(zm_train_score *)field = (zm_train_score)(i < 0 ? 0 : i);
    return i >= 0;
}

bool parse_model_stencils(const char *text, void *field)
{
    stencil_choice *choice = field;

    choice->given = true;
    return choice_parse(stencil_choices, text, &choice->stencils);
}

bool parse_model_front(const char *text, void *field)
{
    front_choice *choice = field;

    choice->given = true;
    return parse_front(text, &choice->front);
}

bool parse_bands(const char *text, void *field)
{
    double *bands = field;
    char *end;

    bands[0] = strtod(text, &end);
    if (end == text || *end != ',')
        return false;
    text = end + 1;
    bands[1] = strtod(text, &end);
    return end != text && !*end && bands[0] > 0 && bands[0] <= 1 && bands[1] >= 0.001 &&
           bands[1] <= 1;
}

bool parse_patches(const char *text, void *field)
{
    int32_t *patches = field;
    grid_shape pair;

    if (!parse_shape(text, &pair))
        return false;
    patches[0] = pair.rows;
    patches[1] = pair.cols;
    return pair.rows >= 10 && pair.cols <= pair.rows;
}

bool parse_whole(const char *text, void *field)
{
    *(int32_t *)field = 0;
    return !strcmp(text, "0") || parse_count(text, field);
}
