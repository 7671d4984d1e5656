/* SPDX-License-Identifier: Apache-2.0
 * Which kernels of phase two go with those of phase one. */
#include <string.h>

#include "eikonal/refined/refined.h"

#if defined(ZM_HAVE_WASM)
extern const zm_refined_kernel zm_refined_kernel_wasm_f64;

const zm_refined_kernel *zm_refined_kernel_of(const zm_kernel *phase_one)
{
    (void)phase_one;
    return &zm_refined_kernel_wasm_f64;
}

#else

extern const zm_refined_kernel zm_refined_kernel_scalar_f64;
#if defined(ZM_HAVE_AVX2)
extern const zm_refined_kernel zm_refined_kernel_avx2_f64;
#endif
#if defined(ZM_HAVE_AVX512)
extern const zm_refined_kernel zm_refined_kernel_avx512_f64;
#endif

const zm_refined_kernel *zm_refined_kernel_of(const zm_kernel *phase_one)
{
#if defined(ZM_HAVE_AVX512)
    if (!strcmp(phase_one->name, "avx512"))
        return &zm_refined_kernel_avx512_f64;
#endif
#if defined(ZM_HAVE_AVX2)
    if (!strcmp(phase_one->name, "avx2"))
        return &zm_refined_kernel_avx2_f64;
#endif
    (void)phase_one;
    return &zm_refined_kernel_scalar_f64;
}

#endif
