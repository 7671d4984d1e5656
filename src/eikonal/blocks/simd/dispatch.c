/* SPDX-License-Identifier: Apache-2.0
 * Which kernels this machine can run. */
#include "eikonal/blocks/adaptive_kernel.h"
#include "eikonal/blocks/kernel.h"
#include "zermelo/forward.h"

#if defined(ZM_HAVE_WASM) /* which has no other: half the size of the module */
extern const zm_kernel zm_kernel_wasm_f64, zm_kernel_wasm_f32;

const zm_kernel *zm_kernel_find(int dtype, int isa)
{
    if (isa != ZM_ISA_BEST)
        return NULL;
    return dtype == ZM_F32 ? &zm_kernel_wasm_f32 : &zm_kernel_wasm_f64;
}

extern const zm_kernel_adaptive zm_kernel_adaptive_wasm_f64;

const zm_kernel_adaptive *zm_kernel_adaptive_find(int isa)
{
    return isa == ZM_ISA_BEST ? &zm_kernel_adaptive_wasm_f64 : NULL;
}

#else

extern const zm_kernel zm_kernel_scalar_f64, zm_kernel_scalar_f32;
#if defined(ZM_HAVE_AVX2)
extern const zm_kernel zm_kernel_avx2_f64, zm_kernel_avx2_f32;

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}
#endif

#if defined(ZM_HAVE_AVX512)
extern const zm_kernel zm_kernel_avx512_f64, zm_kernel_avx512_f32;

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           has_avx2();
}
#endif

const zm_kernel *zm_kernel_find(int dtype, int isa)
{
    const bool f32 = dtype == ZM_F32;

#if defined(ZM_HAVE_AVX512)
    if ((isa == ZM_ISA_BEST || isa == ZM_ISA_AVX512) && has_avx512())
        return f32 ? &zm_kernel_avx512_f32 : &zm_kernel_avx512_f64;
#endif
#if defined(ZM_HAVE_AVX2)
    if ((isa == ZM_ISA_BEST || isa == ZM_ISA_AVX2) && has_avx2())
        return f32 ? &zm_kernel_avx2_f32 : &zm_kernel_avx2_f64;
#endif
    if (isa == ZM_ISA_BEST || isa == ZM_ISA_SCALAR)
        return f32 ? &zm_kernel_scalar_f32 : &zm_kernel_scalar_f64;
    return NULL;
}

extern const zm_kernel_adaptive zm_kernel_adaptive_scalar_f64;
#if defined(ZM_HAVE_AVX2)
extern const zm_kernel_adaptive zm_kernel_adaptive_avx2_f64;
#endif
#if defined(ZM_HAVE_AVX512)
extern const zm_kernel_adaptive zm_kernel_adaptive_avx512_f64;
#endif

const zm_kernel_adaptive *zm_kernel_adaptive_find(int isa)
{
    const zm_kernel *k = zm_kernel_find(ZM_F64, isa);

#if defined(ZM_HAVE_AVX512)
    if (k == &zm_kernel_avx512_f64)
        return &zm_kernel_adaptive_avx512_f64;
#endif
#if defined(ZM_HAVE_AVX2)
    if (k == &zm_kernel_avx2_f64)
        return &zm_kernel_adaptive_avx2_f64;
#endif
    return k ? &zm_kernel_adaptive_scalar_f64 : NULL;
}

#endif
