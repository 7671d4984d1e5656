/* SPDX-License-Identifier: Apache-2.0
 * Makes a model of fire spread with the installed library. */
#include <stdio.h>

#include "zermelo/fire/learn.h"

int main(void)
{
    zm_model *model;
    zm_error err;

    if (zm_model_create(&model, NULL, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    zm_model_destroy(model);
    printf("model: as expected\n");
    return 0;
}
