/* SPDX-License-Identifier: Apache-2.0
 * zermelo._fire.Model: a learned model. */
#ifndef ZM_PYTHON_FIRE_LEARN_H
#define ZM_PYTHON_FIRE_LEARN_H

#include "fire.h"

#if defined(ZM_WITH_LEARN)
#include "zermelo/fire/learn.h"

/* Never changed after it was made: any number of threads may predict with it. */
typedef struct model_object {
    PyObject ob_base;
    const fire_state *state;
    zm_model *model;
} model_object;
#endif

#endif
