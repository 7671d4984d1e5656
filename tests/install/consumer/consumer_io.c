/* SPDX-License-Identifier: Apache-2.0
 * Writes and reads an array with the installed library. */
#include <stdio.h>
#include <string.h>

#include "zermelo/npy.h"

int main(void)
{
    const double written[6] = { 1, 2, 3, 4, 5, -0.5 };
    const size_t shape[2] = { 2, 3 };
    zm_npy array = { .data = NULL };
    zm_error err;
    int ok;

    if (zm_npy_write("consumer.npy", ZM_NPY_F64, 2, shape, written, &err) != ZM_OK ||
        zm_npy_read("consumer.npy", ZM_NPY_F64, &array, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    ok = array.ndim == 2 && array.count == 6 &&
         !memcmp(array.data, written, sizeof written);
    zm_npy_free(&array);
    /* the helpers inside libzermelo_io fill messages without libzermelo's hidden ones */
    ok = ok && zm_npy_read("no such file", ZM_NPY_F64, &array, &err) == ZM_E_IO &&
         strstr(err.text, "no such file");
    printf("array file: %s\n", ok ? "as expected" : "wrong");
    return !ok;
}
