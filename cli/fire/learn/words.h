/* SPDX-License-Identifier: Apache-2.0
 * Values of options that the verbs of learning share. */
#ifndef ZM_CLI_LEARN_WORDS_H
#define ZM_CLI_LEARN_WORDS_H

#include <stdbool.h>

#include "zermelo/fire/learn.h"

/** Words, and whether they were given. */
typedef struct form_choice {
    zm_model_form form;
    bool given;
} form_choice;
typedef struct stencil_choice {
    zm_stencil_choice stencils;
    bool given;
} stencil_choice;
typedef struct front_choice {
    zm_front_kind front;
    bool given;
} front_choice;

/** paper, multiplicative or physics; a form_choice. */
bool parse_form(const char *text, void *field);
/** mse, huber, log or area; a zm_loss_kind. */
bool parse_loss(const char *text, void *field);
/** One of the words of zm_train_score. */
bool parse_score(const char *text, void *field);
/** fixed or adaptive; a stencil_choice. */
bool parse_model_stencils(const char *text, void *field);
/** travel-time or markers; a front_choice. */
bool parse_model_front(const char *text, void *field);
/** W,S: two shares in (0, 1]; double[2]. */
bool parse_bands(const char *text, void *field);
/** SIDE,STRIDE: whole numbers, SIDE >= 10, 1 <= STRIDE <= SIDE; int32_t[2]. */
bool parse_patches(const char *text, void *field);
/** A whole number >= 0; int32_t. */
bool parse_whole(const char *text, void *field);

#endif
