/* SPDX-License-Identifier: Apache-2.0
 * The perceptron in float32, with oneDNN's products. */
#define real    float
#define SQRT    sqrtf
#define PRODUCT zm_net_product_f32
#define MAKE    zm_mlp_f32
#include "fire/learn/net/mlp.tmpl.h"
