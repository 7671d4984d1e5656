/* SPDX-License-Identifier: Apache-2.0
 * Ways to predict a fire, side by side: models, the physics, baselines. */
#ifndef ZM_CLI_LEARN_METHODS_H
#define ZM_CLI_LEARN_METHODS_H

#include "fire/folders.h"
#include "fire/results.h"
#include "zermelo/fire/learn.h"

typedef enum method_kind {
    METHOD_MODEL,
    METHOD_PHYSICS, /**< by minimum travel time */
    METHOD_MARKERS, /**< physics with a marker perimeter */
    METHOD_BASELINE
} method_kind;

typedef struct method {
    method_kind kind;
    char *name;
    names
        files; /**< of models: each predicts every fire; {scene} stands for its name */
    zm_baseline_kind baseline;
    fire_results results;
} method;

typedef struct methods {
    method *items;
    size_t n;
} methods;

/** How many fires there are: each counts once, however many files a method has. */
size_t method_fires(const method *m);

/** Adds those of "NAME=FILE[+FILE...],..."; DONE, or FAILED after a message. */
int methods_add_models(methods *list, const char *text);
void methods_add(methods *list, method_kind kind, const char *name,
                 zm_baseline_kind baseline);
void methods_free(methods *list);

/** Predicts the fires of a split to the end of each and adds their scores.  DONE, FAILED after
 *  a message, or interrupted. */
int method_score(method *m, const char *scene_name, const zm_scene *scene,
                 const char *split);

#endif
