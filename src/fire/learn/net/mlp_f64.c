/* SPDX-License-Identifier: Apache-2.0
 * The perceptron in float64, with plain products: the reference. */
#define real    double
#define SQRT    sqrt
#define PRODUCT zm_net_product_f64
#define MAKE    zm_mlp_f64
#include "fire/learn/net/mlp.tmpl.h"
