/* SPDX-License-Identifier: Apache-2.0
 * zermelo-reproduce, which `zermelo reproduce` runs. */
#include "common/interrupt.h"
#include "common/tool.h"
#include "report.h"

int main(int argc, char **argv)
{
    interrupt_catch();
    return run_alone(&verb_reproduce, argc - 1, argv + 1);
}
