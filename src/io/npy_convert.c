/* SPDX-License-Identifier: Apache-2.0
 * From stored numbers to ours: type, byte order, order of the axes. */
#include <math.h>
#include <string.h>

#include "io/npy_format.h"

size_t zm_npy_type_size(zm_npy_type type)
{
    return type == ZM_NPY_F64 ? 8 : type == ZM_NPY_F32 ? 4 : 1;
}

char zm_npy_native_order(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first ? '<' : '>';
}

static bool is_byte(const zm_npy_head *head)
{
    return head->kind == 'b' || (head->kind == 'u' && head->size == 1);
}

zm_npy_type zm_npy_nearest_type(const zm_npy_head *head)
{
    if (is_byte(head))
        return ZM_NPY_U8;
    return head->kind == 'f' && head->size == 4 ? ZM_NPY_F32 : ZM_NPY_F64;
}

bool zm_npy_is_stored_as(const zm_npy_head *head, zm_npy_type type)
{
    if (head->swapped)
        return false;
    return type == ZM_NPY_U8
               ? is_byte(head)
               : head->kind == 'f' && head->size == zm_npy_type_size(type);
}

static void swap_bytes(unsigned char *raw, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++, raw += size) {
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            const unsigned char byte = raw[low];

            raw[low] = raw[high];
            raw[high] = byte;
        }
    }
}

/* IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
static double half_to_double(uint16_t bits)
{
    const int exponent = (bits >> 10) & 0x1F, fraction = bits & 0x3FF;
    double magnitude;

    if (exponent == 0x1F)
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, -24);
    else
        magnitude = ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

#define WIDEN(type, value_of)                                                          \
    for (size_t i = 0; i < n; i++) {                                                   \
        type stored;                                                                   \
                                                                                       \
        memcpy(&stored, raw + i * sizeof stored, sizeof stored);                       \
        values[i] = (value_of)(stored);                                                \
    }                                                                                  \
    break

/* n stored values in native byte order to doubles. */
static void widen(char kind, size_t size, const unsigned char *raw, size_t n,
                  double *values)
{
    switch (kind * 16 + (int)size) {
    case 'f' * 16 + 2:
        WIDEN(uint16_t, half_to_double);
    case 'f' * 16 + 4:
        WIDEN(float, double);
    case 'f' * 16 + 8:
        WIDEN(double, double);
    case 'i' * 16 + 1:
        WIDEN(int8_t, double);
    case 'i' * 16 + 2:
        WIDEN(int16_t, double);
    case 'i' * 16 + 4:
        WIDEN(int32_t, double);
    case 'i' * 16 + 8:
        WIDEN(int64_t, double);
    case 'u' * 16 + 2:
        WIDEN(uint16_t, double);
    case 'u' * 16 + 4:
        WIDEN(uint32_t, double);
    case 'u' * 16 + 8:
        WIDEN(uint64_t, double);
    default: /* u1, b1 */
        WIDEN(uint8_t, double);
    }
}

static void narrow(const double *values, size_t n, zm_npy_type want, void *out)
{
    float *floats = out;
    uint8_t *bytes = out;

    if (want == ZM_NPY_F64)
        memcpy(out, values, n * sizeof *values);
    else if (want == ZM_NPY_F32)
        for (size_t i = 0; i < n; i++)
            floats[i] = (float)values[i];
    else
        for (size_t i = 0; i < n; i++)
            bytes[i] = values[i] != 0;
}

void zm_npy_convert(const zm_npy_head *head, unsigned char *raw, size_t n,
                    zm_npy_type want, void *out)
{
    enum { BLOCK = 1024 }; /* stays in the first-level cache between the two steps */
    double values[BLOCK];
    unsigned char *to = out;

    if (head->swapped)
        swap_bytes(raw, n, head->size);
    for (size_t done = 0; done < n; done += BLOCK) {
        const size_t m = n - done < BLOCK ? n - done : BLOCK;

        widen(head->kind, head->size, raw + done * head->size, m, values);
        narrow(values, m, want, to + done * zm_npy_type_size(want));
    }
}

void zm_npy_to_c_order(const zm_npy_head *head, size_t size, const void *fortran,
                       void *c_order)
{
    const unsigned char *from = fortran;
    unsigned char *to = c_order;
    size_t stride[ZM_NPY_MAX_DIMS], index[ZM_NPY_MAX_DIMS] = { 0 };

    for (size_t d = ZM_NPY_MAX_DIMS, step = size; d-- > 0; step *= head->shape[d])
        stride[d] = step;
    for (size_t i = 0; i < head->count; i++, from += size) {
        memcpy(to, from, size);
        for (size_t d = 0; d < ZM_NPY_MAX_DIMS; d++) { /* count up, first index first */
            to += stride[d];
            if (++index[d] < head->shape[d])
                break;
            to -= stride[d] * head->shape[d];
            index[d] = 0;
        }
    }
}
