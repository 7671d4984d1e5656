/* SPDX-License-Identifier: Apache-2.0
 * zermelo-view, which `zermelo view` runs: pages that show results. */
#include "common/interrupt.h"
#include "common/tool.h"
#include "view/verb_view.h"

int main(int argc, char **argv)
{
    interrupt_catch();
    return run_alone(&verb_view, argc - 1, argv + 1);
}
