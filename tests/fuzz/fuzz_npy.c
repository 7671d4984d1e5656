/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes are either an array that keeps its promises or an error with a
 * message.  Run: fuzz_npy -dict=tests/fuzz/npy.dict tests/fuzz/corpus_npy */
#include <string.h>

#include "fuzz.h"
#include "zermelo/npy.h"

static void check_array(const zm_npy *a, zm_npy_type want)
{
    const size_t size = want == ZM_NPY_F64 ? 8 : want == ZM_NPY_F32 ? 4 : 1;
    const unsigned char *byte = a->data;
    size_t product = 1;
    unsigned sum = 0;

    require(a->type == want && a->ndim >= 1 && a->ndim <= ZM_NPY_MAX_DIMS && a->data);
    for (int32_t d = 0; d < ZM_NPY_MAX_DIMS; d++) {
        require(d < a->ndim || a->shape[d] == 1);
        product *= a->shape[d];
    }
    require(product == a->count);
    for (size_t i = 0; i < a->count * size; i++) /* the sanitizer looks at every byte */
        sum += byte[i];
    require(sum <= 255 * a->count * size);
}

/* float32 is float64 rounded; a mask is non-zero where the number is. */
static void check_same_numbers(const zm_npy *a)
{
    const double *wide = a[0].data;
    const float *narrow = a[1].data;
    const uint8_t *mask = a[2].data;

    for (size_t i = 0; i < a[0].count; i++) {
        const float rounded = (float)wide[i];

        require(narrow[i] == rounded || (wide[i] != wide[i] && narrow[i] != narrow[i]));
        require((mask[i] != 0) == (wide[i] != 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const zm_npy_type want[3] = { ZM_NPY_F64, ZM_NPY_F32, ZM_NPY_U8 };
    zm_npy arrays[3];
    zm_status first = ZM_OK;

    memset(arrays, 0, sizeof arrays);
    for (int i = 0; i < 3; i++) {
        zm_error err = { ZM_OK, 0, "" };
        const zm_status st = zm_npy_parse(bytes, n, "input", want[i], &arrays[i], &err);

        if (i == 0)
            first = st;
        require(st == first);
        if (st == ZM_OK)
            check_array(&arrays[i], want[i]);
        else
            require(st < 0 && err.code == st && !strncmp(err.text, "input: ", 7) &&
                    memchr(err.text, '\0', sizeof err.text) && !arrays[i].data);
    }
    if (first == ZM_OK)
        check_same_numbers(arrays);
    for (int i = 0; i < 3; i++)
        zm_npy_free(&arrays[i]);
    return 0;
}
