/* SPDX-License-Identifier: Apache-2.0
 * All programs in one, linked from all objects of the project: the linker refuses a symbol
 * that is defined twice.  Takes the words of `zermelo`, those of fire, reproduce and view included. */
#include <string.h>

#include "common/tool.h"
#include "fire/verbs.h"
#include "tool/report.h"
#include "view/verb_view.h"

static const verb *const eikonal[] = { &verb_solve,   &verb_gradient,
                                       &verb_tangent, &verb_path,
                                       &verb_invert,  &verb_convert,
                                       &verb_info,    NULL };

static const verb *const fire[] = { &verb_fire_info,
                                    &verb_fire_import,
                                    &verb_fire_score,
                                    &verb_fire_physics,
                                    &verb_fire_calibrate,
                                    &verb_fire_ensemble,
                                    &verb_fire_simulate,
                                    &verb_fire_train,
                                    &verb_fire_predict,
                                    &verb_fire_evaluate,
                                    &verb_fire_compare,
                                    &verb_fire_capacity,
                                    NULL };

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (argc > 2 && !strcmp(argv[1], "fire"))
        return run_one_of(fire, argc - 2, argv + 2);
    if (!strcmp(argv[1], "reproduce"))
        return run_alone(&verb_reproduce, argc - 2, argv + 2);
    if (!strcmp(argv[1], "view"))
        return run_alone(&verb_view, argc - 2, argv + 2);
    return run_one_of(eikonal, argc - 1, argv + 1);
}
