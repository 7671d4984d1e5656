/* SPDX-License-Identifier: Apache-2.0
 * Windows of fires for training. */
#include <stdlib.h>

#include "check.h"
#include "zermelo/fire/dataset.h"

static float *unburned(int32_t rows, int32_t cols)
{
    float *T = malloc((size_t)rows * (size_t)cols * sizeof *T);

    for (int32_t i = 0; i < rows * cols; i++)
        T[i] = INFINITY;
    return T;
}

static void burn(float *T, int32_t cols, int32_t row, int32_t col, int32_t side,
                 float from)
{
    for (int32_t r = 0; r < side; r++)
        for (int32_t c = 0; c < side; c++)
            T[(row + r) * cols + col + c] = from + (float)(r + c);
}

/* Stride 128 over 600 cells: 0, 128, 256 and the last one at 344, so that no cell is in none. */
TEST(windows_cover_the_landscape_to_its_edge)
{
    float *T = unburned(600, 300);
    zm_patch *patches;
    size_t n;
    bool last = false;

    for (int i = 0; i < 600 * 300; i++)
        T[i] = 1;
    CHECK(zm_patches_find(T, 600, 300, &patches, &n, NULL, NULL) == ZM_OK);
    CHECK(n == 4 * 2);
    for (size_t i = 0; i < n; i++) {
        CHECK(patches[i].rows == 256 && patches[i].cols == 256);
        CHECK(patches[i].row + 256 <= 600 && patches[i].col + 256 <= 300);
        CHECK(patches[i].burned == 256 * 256);
        last |= patches[i].row == 344 && patches[i].col == 44;
    }
    CHECK(last);
    free(patches);
    free(T);
}

TEST(windows_with_few_burned_cells_are_left_out)
{
    float *T = unburned(400, 400);
    zm_patch_opts opts = ZM_PATCH_OPTS_INIT;
    zm_patch *patches;
    size_t n;

    burn(T, 400, 5, 5, 10, 0); /* 100 cells, in the first window alone */
    CHECK(zm_patches_find(T, 400, 400, &patches, &n, NULL, NULL) == ZM_OK);
    CHECK(n == 1 && patches[0].row == 0 && patches[0].col == 0 &&
          patches[0].burned == 100);
    free(patches);
    opts.min_burned = 101;
    CHECK(zm_patches_find(T, 400, 400, &patches, &n, &opts, NULL) == ZM_OK);
    CHECK(n == 0 && !patches);
    opts.stride = 0;
    CHECK(zm_patches_find(T, 400, 400, &patches, &n, &opts, NULL) == ZM_E_ARG);
    free(T);
}

TEST(a_small_landscape_is_one_window)
{
    float *T = unburned(50, 300);
    zm_patch *patches;
    size_t n;

    burn(T, 300, 20, 20, 12, 0);
    CHECK(zm_patches_find(T, 50, 300, &patches, &n, NULL, NULL) == ZM_OK);
    CHECK(n == 1 && patches[0].rows == 50 && patches[0].cols == 256);
    free(patches);
    free(T);
}

/* Two squares apart, lit at 3 h and 7 h: each begins anew at 0, with a 3 x 3 block at its own
 * corner (2 x 2 of it inside). */
TEST(every_part_gets_its_source_and_its_own_zero)
{
    const zm_patch patch = { 10, 20, 40, 60, 0 };
    float *T = unburned(100, 100), times[40 * 60];
    uint8_t sources[40 * 60];
    size_t parts = 0, lit = 0;

    burn(T, 100, 15, 25, 8, 3);
    burn(T, 100, 30, 50, 8, 7);
    CHECK(zm_patch_extract(T, 100, &patch, times, sources, &parts, NULL) == ZM_OK);
    CHECK(parts == 2);
    for (int i = 0; i < 40 * 60; i++) {
        lit += sources[i];
        CHECK(!sources[i] || times[i] == 0);
    }
    CHECK(lit == 8);
    CHECK(sources[5 * 60 + 5] && sources[6 * 60 + 6] && !sources[4 * 60 + 4]);
    CHECK(sources[20 * 60 + 30]);
    CHECK(times[12 * 60 + 12] == 14 && times[27 * 60 + 37] == 14); /* far corners */
    CHECK(isinf(times[0]));
    free(T);
}

/* Cells that touch at a corner are one part: a front passes there. */
TEST(parts_that_touch_at_a_corner_are_one)
{
    const zm_patch patch = { 0, 0, 20, 20, 0 };
    float *T = unburned(20, 20), times[400];
    uint8_t sources[400];
    size_t parts = 0;

    burn(T, 20, 2, 2, 4, 0);
    burn(T, 20, 6, 6, 4, 5);
    CHECK(zm_patch_extract(T, 20, &patch, times, sources, &parts, NULL) == ZM_OK);
    CHECK(parts == 1 && times[6 * 20 + 6] == 5);
    free(T);
}
