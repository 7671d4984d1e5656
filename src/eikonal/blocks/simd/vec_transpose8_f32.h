/* SPDX-License-Identifier: Apache-2.0
 * Transpose of 8 x 8 floats with AVX. */
#ifndef ZM_KERNELS_VEC_TRANSPOSE8_F32_H
#define ZM_KERNELS_VEC_TRANSPOSE8_F32_H

static inline void transpose8_f32(const float *s, size_t s_stride, float *d, size_t d_stride)
{
    __m256 t[8], u[8];

    for (int i = 0; i < 4; i++) {
        const __m256 a = _mm256_loadu_ps(s + (size_t)(2 * i) * s_stride);
        const __m256 b = _mm256_loadu_ps(s + (size_t)(2 * i + 1) * s_stride);

        t[2 * i] = _mm256_unpacklo_ps(a, b);
        t[2 * i + 1] = _mm256_unpackhi_ps(a, b);
    }
    for (int h = 0; h < 8; h += 4) {
        u[h] = _mm256_shuffle_ps(t[h], t[h + 2], 0x44);
        u[h + 1] = _mm256_shuffle_ps(t[h], t[h + 2], 0xEE);
        u[h + 2] = _mm256_shuffle_ps(t[h + 1], t[h + 3], 0x44);
        u[h + 3] = _mm256_shuffle_ps(t[h + 1], t[h + 3], 0xEE);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(d + (size_t)i * d_stride, _mm256_permute2f128_ps(u[i], u[4 + i], 0x20));
        _mm256_storeu_ps(d + (size_t)(i + 4) * d_stride,
                         _mm256_permute2f128_ps(u[i], u[4 + i], 0x31));
    }
}

#endif
