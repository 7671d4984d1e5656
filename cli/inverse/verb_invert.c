/* SPDX-License-Identifier: Apache-2.0
 * zermelo invert: metric and drift from observed arrival times. */
#include "common/interrupt.h"
#include "invert.h"
#include "common/message.h"
#include "common/verb.h"

static int run(const void *settings, char **operands, int n_operands)
{
    const invert_settings *s = settings;
    invert_data data = { 0 };
    inversion found = { 0 };
    invert_result result = { 0 };
    int code;

    (void)operands, (void)n_operands;
    GO(invert_check(s));
    GO(invert_data_read(&data, s));
    GO(inversion_run(&found, &data, s));
    GO(invert_result_find(&result, &found, &data, s));
    GO(invert_result_save(&result, &found, &data, s));
    code = found.unsaved ? FAILED : DONE;
done:
    invert_result_free(&result);
    inversion_free(&found);
    invert_data_free(&data);
    return code;
}

static const invert_settings defaults = { .spacing = { 1, 1 },
                                          .opts = ZM_INVERT_OPTS_INIT,
                                          .std = ZM_INVERT_STD_OPTS_INIT };

const verb verb_invert = {
    .name = "invert",
    .summary = "metric and drift from observed arrival times",
    .usage = "--observations FILE --source ROW,COL --shape ROWS,COLS --out-metric FILE "
             "[options]",
    .description =
        "Finds the metric, the drift or both from the times at which one or several "
        "fronts "
        "were seen to arrive: of the fields whose fronts agree with the times as well "
        "as "
        "their errors (sigma) allow, the one that the regulariser prefers.\n\n"
        "A table of observations is text with a header and one line for each time:\n\n"
        "  experiment,row,col,time,sigma,time_upper\n"
        "  0,12,40,3.25,0.1,\n"
        "  1,13,52,6.00,0.1,6.5\n\n"
        "Columns come in any order. row and col are whole numbers in the middle of cells; "
        "between them times are interpolated. experiment counts from 0, default 0; each needs "
        "its own "
        "--source. sigma is the standard deviation of the time, default --sigma. With "
        "time_upper the front came between the two times, as between two passes of a "
        "satellite; inf: not before time. Empty lines and lines that begin with # are "
        "left "
        "out.\n\n"
        "chi2 is the mean square of residuals divided by sigma: about 1 where model "
        "and "
        "sigma are right.\n\n" CONVENTIONS,
    .example =
        "  python3 -c \"import numpy as np; g = np.ones((60, 60)); g[:, 30:] = 2; \\\n"
        "      np.save('g.npy', g)\"\n"
        "  zermelo solve --metric g.npy --source 30,10 --out T.npy\n"
        "  python3 -c \"import numpy as np; T = np.load('T.npy'); r = range(0, 60, 4); "
        "\\\n"
        "      print('row,col,time', *(f'{i},{j},{T[i, j]}' for i in r for j in r), "
        "\\\n"
        "            sep='\\n')\" > times.csv\n"
        "  zermelo invert --observations times.csv --source 30,10 --shape 60,60 \\\n"
        "      --out-metric found.npy --json report.json\n",
    .tables = { &invert_tables[0], &invert_tables[1], &invert_tables[2],
                &invert_tables[3] },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = invert_settings_release,
};
