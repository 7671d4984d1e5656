/* SPDX-License-Identifier: Apache-2.0
 * Colour maps: lightness, evenness, symmetry, ends; colour ranges. */
#include <stdlib.h>

#include "check.h"
#include "core/memory.h"
#include "plot/color_scale.h"
#include "plot/colormap.h"
#include "plot/oklab.h"

enum { N_MAPS = ZM_MAP_CYCLIC + 1, MIDDLE = COLORMAP_SIZE / 2 };

static oklab entry(const colormap *table, int i)
{
    return oklab_from_srgb(table->rgb[i]);
}

TEST(oklab_and_back_is_the_identity)
{
    uint64_t state = t->seed;

    for (int k = 0; k < 1000; k++) {
        const double rgb[3] = { zm_random_unit(&state), zm_random_unit(&state),
                                zm_random_unit(&state) };
        double back[3];

        oklab_to_srgb(oklab_from_srgb(rgb), back);
        for (int c = 0; c < 3; c++)
            /* The published matrices are inverse to 1e-7; near black sRGB rises 12.92
             * times as fast as light. */
            CHECK_NEAR(back[c], rgb[c], 13e-7);
    }
}

/* White is L = 1 and black L = 0 without hue: the definition of the space. */
TEST(oklab_knows_white_and_black)
{
    const double white[3] = { 1, 1, 1 }, black[3] = { 0, 0, 0 };
    const oklab w = oklab_from_srgb(white), b = oklab_from_srgb(black);

    CHECK_NEAR(w.L, 1, 1e-6);
    CHECK_NEAR(hypot(w.a, w.b), 0, 1e-6);
    CHECK_NEAR(b.L, 0, 1e-6);
}

TEST(sequential_maps_rise_or_fall_in_lightness_from_end_to_end)
{
    static const struct {
        zm_plot_map map;
        double sign, span; /* of lightness */
    } maps[] = { { ZM_MAP_SEA, 1, 0.7 },
                 { ZM_MAP_EMBER, 1, 0.8 },
                 { ZM_MAP_SAND, -1, 0.4 } };

    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
        colormap table;

        colormap_build(maps[m].map, false, &table);
        for (int i = 1; i < COLORMAP_SIZE; i++)
            CHECK_MSG(maps[m].sign * (entry(&table, i).L - entry(&table, i - 1).L) > 0,
                      "map %d, entry %d", (int)maps[m].map, i);
        CHECK_AT_MOST(maps[m].span, maps[m].sign * (entry(&table, COLORMAP_SIZE - 1).L -
                                                    entry(&table, 0).L));
    }
}

/* Nothing is clipped to the screen's colours, so the steps stay as even as they were made:
 * 1 % covers the polygon of 512 chords along which length is measured. */
TEST(all_maps_go_in_even_steps)
{
    for (int m = 0; m < N_MAPS; m++) {
        double shortest = INFINITY, longest = 0;
        colormap table;

        colormap_build((zm_plot_map)m, false, &table);
        for (int i = 1; i < COLORMAP_SIZE; i++) {
            const double step = oklab_distance(entry(&table, i - 1), entry(&table, i));

            shortest = fmin(shortest, step);
            longest = fmax(longest, step);
        }
        CHECK_MSG(longest <= 1.01 * shortest, "map %d: steps %g .. %g", m, shortest,
                  longest);
    }
}

TEST(diverging_map_is_symmetric_in_lightness_around_a_neutral_middle)
{
    colormap table;

    colormap_build(ZM_MAP_DIVERGING, false, &table);
    for (int i = 0; i < MIDDLE; i++) {
        const oklab low = entry(&table, i), high = entry(&table, COLORMAP_SIZE - 1 - i);

        CHECK_NEAR(low.L, high.L, 1e-6);
        CHECK_NEAR(hypot(low.a, low.b), hypot(high.a, high.b), 1e-6);
        CHECK(entry(&table, i + 1).L > low.L);
    }
    CHECK_NEAR(entry(&table, MIDDLE).L, 0.97, 1e-6);
    CHECK_NEAR(hypot(entry(&table, MIDDLE).a, entry(&table, MIDDLE).b), 0, 1e-6);
    CHECK(table.rgb[0][2] > table.rgb[0][0]); /* blue below, red above */
    CHECK(table.rgb[COLORMAP_SIZE - 1][0] > table.rgb[COLORMAP_SIZE - 1][2]);
}

TEST(cyclic_map_has_one_lightness_and_its_ends_meet)
{
    colormap table;

    colormap_build(ZM_MAP_CYCLIC, false, &table);
    for (int i = 0; i < COLORMAP_SIZE; i++)
        CHECK_NEAR(entry(&table, i).L, entry(&table, 0).L, 1e-6);
    CHECK_NEAR(oklab_distance(entry(&table, 0), entry(&table, COLORMAP_SIZE - 1)), 0,
               1e-6);
}

TEST(a_reversed_map_is_the_map_backwards)
{
    colormap table, backwards;

    colormap_build(ZM_MAP_EMBER, false, &table);
    colormap_build(ZM_MAP_EMBER, true, &backwards);
    for (int i = 0; i < COLORMAP_SIZE; i++)
        for (int c = 0; c < 3; c++)
            CHECK(table.rgb[i][c] == backwards.rgb[COLORMAP_SIZE - 1 - i][c]);
}

TEST(public_colours_clamp_and_accept_nan)
{
    double low[3], below[3], nan[3], high[3], above[3];

    zm_plot_map_color(ZM_MAP_SEA, 0, low);
    zm_plot_map_color(ZM_MAP_SEA, -5, below);
    zm_plot_map_color(ZM_MAP_SEA, NAN, nan);
    zm_plot_map_color(ZM_MAP_SEA, 1, high);
    zm_plot_map_color(ZM_MAP_SEA, INFINITY, above);
    for (int c = 0; c < 3; c++) {
        CHECK(low[c] == below[c] && low[c] == nan[c] && high[c] == above[c]);
        CHECK(low[c] >= 0 && high[c] <= 1);
    }
}

static color_scale scale_of(test_run *t, zm_plot_colors colors, const double *values,
                            size_t n)
{
    arena memory = { { NULL, NULL, NULL }, NULL };
    color_scale scale;

    memory.mem = zm_alloc_or_default(&memory.mem);
    CHECK(color_scale_make(&memory, &colors, values, n, &scale, NULL) == ZM_OK);
    arena_free(&memory);
    return scale;
}

TEST(colour_range_is_that_of_the_finite_values)
{
    const double values[] = { 3, INFINITY, -2, NAN, 7, -INFINITY };
    const color_scale s = scale_of(t, (zm_plot_colors){ .map = ZM_MAP_SEA }, values, 6);

    CHECK(s.lo == -2 && s.hi == 7 && !s.below && !s.above);
    CHECK(!color_scale_at(&s, NAN) && !color_scale_at(&s, INFINITY));
    CHECK(color_scale_place(&s, -2) == 0 && color_scale_place(&s, 7) == 1);
}

TEST(diverging_range_is_centred_on_zero)
{
    const double values[] = { 3, -2, 1 };
    const color_scale s =
        scale_of(t, (zm_plot_colors){ .map = ZM_MAP_DIVERGING }, values, 3);

    CHECK(s.lo == -3 && s.hi == 3);
    CHECK(color_scale_place(&s, 0) == 0.5);
}

/* 1000 values 0..999 of which 5 % may be left out at each end. */
TEST(clipping_leaves_out_the_asked_share_and_says_so)
{
    double values[1000];
    color_scale s;

    for (int i = 0; i < 1000; i++)
        values[i] = i;
    s = scale_of(t, (zm_plot_colors){ .clip = 0.05 }, values, 1000);
    CHECK_NEAR(s.lo, 50, 1);
    CHECK_NEAR(s.hi, 949, 1);
    CHECK(s.below && s.above);
}

TEST(classes_take_colours_at_equal_distances)
{
    const double values[] = { 0, 3 };
    const color_scale s = scale_of(
        t, (zm_plot_colors){ .map = ZM_MAP_CYCLIC, .n_classes = 4 }, values, 2);

    CHECK_NEAR(color_scale_place(&s, 0), 0.125, 1e-15);
    CHECK_NEAR(color_scale_place(&s, 3), 0.875, 1e-15);
}

TEST(log_colours_put_equal_ratios_at_equal_distances)
{
    const double values[] = { 1, 100, 0, -1 };
    const color_scale s =
        scale_of(t, (zm_plot_colors){ .scale = ZM_SCALE_LOG }, values, 4);

    CHECK(s.lo == 1 && s.hi == 100 && s.below);
    CHECK_NEAR(color_scale_place(&s, 10), 0.5, 1e-12);
    CHECK(color_scale_place(&s, 0) == 0 && color_scale_place(&s, -1) == 0);
}

/* A curve must be seen on its paper and told from the one before it, in hue or in
 * lightness: 0.2 and 0.1 of Oklab, where about 0.02 can just be told apart. */
TEST(series_colours_stand_out_from_the_paper_and_from_their_neighbours)
{
    static const double paper[2] = { 1.0, 0.21 }; /* lightness */

    for (int theme = 0; theme < 2; theme++)
        for (size_t i = 0; i < 8; i++) {
            oklab colors[2];

            for (size_t k = 0; k < 2; k++) {
                const zm_plot_rgba c = colormap_series((zm_plot_theme)theme, i + k);
                const double rgb[3] = { (c >> 24) / 255.0, (c >> 16 & 0xff) / 255.0,
                                        (c >> 8 & 0xff) / 255.0 };

                colors[k] = oklab_from_srgb(rgb);
            }
            CHECK_MSG(fabs(colors[0].L - paper[theme]) > 0.2, "theme %d, colour %zu",
                      theme, i);
            CHECK_MSG(oklab_distance(colors[0], colors[1]) > 0.1,
                      "theme %d, colours %zu and the next", theme, i);
        }
}
