/* SPDX-License-Identifier: Apache-2.0
 * Writes the smooth problem as files for the tool: write_case SIDE METRIC DRIFT SOURCES */
#include <stdlib.h>

#include "support/scene.h"
#include "zermelo/npy.h"

static void write_planes(const char *path, const double *planes, size_t n, int32_t side)
{
    const size_t shape[3] = { n, (size_t)side, (size_t)side };
    zm_error err;

    expect_ok(zm_npy_write(path, ZM_NPY_F64, 3, shape, planes, &err), path, &err);
}

int main(int argc, char **argv)
{
    uint8_t *mask;
    zm_error err;
    scene s;

    if (argc != 5)
        return 2;
    scene_init(&s, SMOOTH, positive(argv[1]), 1);
    write_planes(argv[2], case_plane(&s.c, 0), 3, s.c.grid.rows);
    write_planes(argv[3], case_plane(&s.c, 3), 2, s.c.grid.rows);
    mask = or_out_of_memory(calloc(s.c.n, 1));
    for (size_t i = 0; i < s.c.n_sources; i++)
        mask[(size_t)s.c.sources[i].row * (size_t)s.c.grid.cols +
             (size_t)s.c.sources[i].col] = 1;
    expect_ok(zm_npy_write(argv[4], ZM_NPY_U8, 2,
                           (size_t[]){ (size_t)s.c.grid.rows, (size_t)s.c.grid.cols },
                           mask, &err),
              argv[4], &err);
    free(mask);
    scene_free(&s);
    return 0;
}
