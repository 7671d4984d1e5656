/* SPDX-License-Identifier: Apache-2.0
 * Pages: what is put in comes out again, bit for bit, and nothing that is put in can leave its
 * place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/comma.h"
#include "support/counted.h"
#include "support/folders.h"
#include "support/landscapes.h"
#include "support/pages.h"
#include "support/refused.h"
#include "zermelo/view.h"

enum { ROWS = 23, COLS = 31, CELLS = ROWS * COLS };

static zm_view *new_page(const zm_view_opts *opts)
{
    zm_view *page;

    if (zm_view_create(ROWS, COLS, &page, opts, NULL) != ZM_OK)
        exit(2);
    return page;
}

static int count(const char *text, const char *word)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

static char *facts_of(const zm_view *page)
{
    size_t n;
    char *html = page_text(page, &n), *facts = html ? page_element(html, "facts") : NULL;

    free(html);
    if (!facts)
        exit(2);
    return facts;
}

/* Bits of every kind: numbers, zeros of both signs, infinities, a NaN with a payload. */
static void fill(double *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = zm_random_unit(&seed) * 1e3;
    x[0] = -0.0;
    x[1] = INFINITY;
    x[2] = -INFINITY;
    memcpy(&x[3], &(uint64_t){ 0x7ff8000000abcdefU }, 8);
}

/* The stream holds the bytes themselves, so nothing may change in any type or number of planes. */
TEST(fields_come_out_bit_for_bit)
{
    static const size_t widths[] = { 8, 4, 2, 1 };
    static const zm_view_role roles[] = { ZM_VIEW_METRIC, ZM_VIEW_TIMES, ZM_VIEW_MAP,
                                          ZM_VIEW_OBSTACLES };
    static const char *const ids[] = { "data-0", "data-1", "data-2", "data-3" };
    double values[3 * CELLS];
    zm_view *page = new_page(NULL);
    char *html;
    size_t n;

    fill(values, 3 * CELLS, t->seed);
    for (int k = 0; k < 4; k++) {
        zm_view_field f = ZM_VIEW_FIELD_INIT;
        int32_t index = -7;

        f.role = roles[k];
        f.type = (zm_view_type)k;
        f.n_planes = k == 0 ? 3 : 1;
        for (int p = 0; p < f.n_planes; p++)
            f.planes[p] = (const char *)values + (size_t)p * CELLS * widths[k];
        CHECK(zm_view_add(page, &f, &index, NULL) == ZM_OK && index == k);
    }
    html = page_text(page, &n);
    for (int k = 0; k < 4; k++) {
        const size_t bytes = CELLS * widths[k] * (k == 0 ? 3 : 1);
        unsigned char *back = page_values(html, ids[k], widths[k], &n);

        CHECK(back && n == bytes && !memcmp(back, values, bytes));
        free(back);
    }
    free(html);
    zm_view_destroy(page);
}

/* The length is counted by another way than the page is made. */
TEST(length_is_the_number_of_bytes_that_come)
{
    double values[CELLS];
    zm_view *page = new_page(NULL);
    zm_view_field f = ZM_VIEW_FIELD_INIT;

    f.planes[0] = values;
    for (int k = 0; k < 5; k++) {
        size_t length, n = 0;
        char *html = page_text(page, &n);

        CHECK(zm_view_length(page, &length, NULL) == ZM_OK);
        CHECK_MSG(length == n, "%zu, not %zu", length, n);
        free(html);
        fill(values, CELLS, t->seed + (uint64_t)k);
        CHECK(zm_view_add(page, &f, NULL, NULL) == ZM_OK);
    }
    zm_view_destroy(page);
}

static const char hostile[] =
    "</title></script><!--<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"
    "\xe2\x80\xa8\xe2\x80\xa9\x01\x1b\x7f\xc2\x9b\xff\xc0\xaf\xed\xa0\x80\\u003c";

/* How often "<" is in a page with nothing but one field. */
static int tags_of_a_plain_page(const zm_view_field *field)
{
    zm_view_field f = *field;
    zm_view *page = new_page(NULL);
    size_t n;
    char *html;
    int tags;

    f.name = f.label = f.unit = "a";
    if (zm_view_add(page, &f, NULL, NULL) != ZM_OK || !(html = page_text(page, &n)))
        exit(2);
    tags = count(html, "<");
    free(html);
    zm_view_destroy(page);
    return tags;
}

/* A script element ends at "</script" and a comment begins with "<!--" whatever is around them, so
 * no "<" but those of the page's own elements may be there.  JSON allows the two ends of lines,
 * other readers do not. */
TEST(hostile_texts_stay_texts)
{
    const double values[CELLS] = { 0 };
    const char *columns[] = { hostile, hostile };
    const zm_view_opts o = { .size = sizeof o, .title = hostile, .unit_time = hostile,
                             .unit_length = hostile, .command = hostile };
    zm_view *page = new_page(&o);
    zm_view_field f = { .size = sizeof f, .n_planes = 1, .planes = { values },
                        .name = hostile, .label = hostile, .unit = hostile };
    zm_view_place place = ZM_VIEW_PLACE_INIT;
    char *html, *facts;
    size_t n;

    place.crs = place.wkt = hostile;
    CHECK(zm_view_add(page, &f, NULL, NULL) == ZM_OK);
    CHECK(zm_view_set_place(page, &place, NULL) == ZM_OK);
    CHECK(zm_view_add_table(page, hostile, columns, 2, values, 2, NULL) == ZM_OK);
    html = page_text(page, &n);
    CHECK(html && strlen(html) == n);
    CHECK(count(html, "</title>") == 1 && count(html, "<img") == 0);
    CHECK(count(html, "alert(1)") > 8 && count(html, "<") == tags_of_a_plain_page(&f));
    facts = page_element(html, "facts");
    CHECK(facts && !strchr(facts, '<') && facts[strlen(facts) - 1] == '}');
    for (const char *c = facts; *c; c++)
        CHECK((unsigned char)*c >= ' ' && *c != 0x7f);
    CHECK(!strstr(facts, "\xe2\x80\xa8") && !strstr(facts, "\xe2\x80\xa9"));
    CHECK(!strstr(facts, "\xff") && !strstr(facts, "\xed\xa0"));
    CHECK(count(facts, "\\u2028\\u2029\\u0001\\u001b\\u007f\\u009b\\ufffd\\ufffd\\ufffd") == 12);
    free(facts);
    free(html);
    zm_view_destroy(page);
}

/* As few digits as read back the same, with a point in every locale. */
TEST(numbers_are_as_in_C_in_every_locale)
{
    zm_view *page = new_page(&(zm_view_opts){ .size = sizeof(zm_view_opts), .across = 0.1,
                                              .down = 1.0 / 3 });
    zm_source at = { 1.5, 2.25, -1e-300 };
    char *facts;

    if (!comma_begin(t)) {
        zm_view_destroy(page);
        return;
    }
    CHECK(zm_view_set_solve(page, &at, 1, ZM_F64, NULL, NULL, NULL) == ZM_OK);
    facts = facts_of(page);
    comma_end();
    CHECK(strstr(facts, "\"spacing\":[0.3333333333333333,0.1]"));
    CHECK(strstr(facts, "\"sources\":[[1.5,2.25,-1e-300]]"));
    free(facts);
    zm_view_destroy(page);
}

TEST(a_solve_is_told_in_the_words_of_the_contract)
{
    zm_view *page = new_page(NULL);
    zm_solver_opts s = ZM_SOLVER_OPTS_INIT;
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    const zm_source at = { 3, 4, 5 };
    char *facts;

    CHECK(zm_view_set_solve(page, &at, 1, ZM_F64, NULL, NULL, NULL) == ZM_OK);
    facts = facts_of(page);
    CHECK(strstr(facts, "\"solve\":{\"sources\":[[3,4,5]],\"order\":1,\"stencil\":\"adaptive\","
                        "\"factored\":\"auto\",\"precision\":\"f8\"}"));
    free(facts);
    s.stencils = ZM_STENCILS_FIXED;
    s.order = 2;
    s.factor_radius = 7.5;
    s.periodic = ZM_PERIODIC_X;
    f.t_max = 90;
    CHECK(zm_view_set_solve(page, &at, 1, ZM_F32, &s, &f, NULL) == ZM_OK);
    facts = facts_of(page);
    CHECK(strstr(facts, "\"order\":2,\"stencil\":\"fixed\",\"factored\":7.5,\"periodic\":\"x\","
                        "\"t_max\":90,\"precision\":\"f4\"}"));
    CHECK(count(facts, "\"solve\"") == 1);
    free(facts);
    zm_view_destroy(page);
}

/* ---- fires ------------------------------------------------------------------------------------ */

static zm_view *fire_page(const test_land *land, const zm_fire *fire)
{
    zm_view_fire f = { .size = sizeof f, .fire = fire, .hours = 6, .times = -1, .observed = -1 };
    zm_view *page;

    if (zm_view_create(land->land.rows, land->land.cols, &page, NULL, NULL) != ZM_OK ||
        zm_view_set_model(page, &land->land, NULL, NULL, NULL, NULL) != ZM_OK ||
        zm_view_add_fire(page, &f, NULL) != ZM_OK)
        exit(2);
    return page;
}

/* Layers are found in the page to the last bit, as whole numbers where they are. */
TEST(a_landscape_comes_out_as_it_went_in)
{
    test_land land = test_land_hills(20, 30, t->seed);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    zm_view *page = fire_page(&land, &fire);
    const size_t cells = 20 * 30;
    size_t n;
    char *html = page_text(page, &n), *facts = page_element(html, "facts");
    unsigned char *fuel = page_values(html, "data-3", 2, &n), *base;
    int16_t number;

    CHECK(strstr(facts, "\"kind\":\"fire\""));
    CHECK(strstr(facts, "\"role\":\"fuel\",\"name\":\"fuel\",\"label\":\"fuel model\",\"unit\":\"\","
                        "\"type\":\"i2\",\"planes\":1"));
    for (size_t i = 0; i < cells; i++) {
        memcpy(&number, fuel + 2 * i, 2);
        CHECK(number == (int16_t)land.land.layers[ZM_LAYER_FUEL][i]);
    }
    base = page_values(html, "data-0", 4, &n);
    CHECK(strstr(facts, "\"role\":\"elevation\",\"name\":\"elevation\",\"label\":\"elevation\","
                        "\"unit\":\"m\",\"type\":\"f4\""));
    CHECK(n == 4 * cells && !memcmp(base, land.land.layers[0], n));
    CHECK(strstr(facts, "\"physics\":{\"crown\":1,\"conditioning\":1,\"foliar_moisture\":100,"
                        "\"acceleration\":0.8,\"smoothing\":0.5,\"hindrance\":6,\"enclosed\":4,"
                        "\"moisture_classes\":1,\"front\":0}"));
    CHECK(strstr(facts, "\"start\":[7,15,14]") && count(facts, "\"weather\":[[") == 1);
    free(base);
    free(fuel);
    free(facts);
    free(html);
    zm_view_destroy(page);
    test_land_free(&land);
}

/* Sources that are given come before those of the fire, and these before its ignition. */
TEST(a_fire_of_several_cells_is_told_with_all_of_them)
{
    test_land land = test_land_hills(20, 30, t->seed);
    zm_weather_hour weather[TEST_HOURS];
    const zm_source two[] = { { 3, 4, 0 }, { 5, 6, 1.5 } };
    zm_fire fire = test_fire(&land, weather);
    zm_view *page;
    char *facts;

    fire.sources = two;
    fire.n_sources = 2;
    page = fire_page(&land, &fire);
    facts = facts_of(page);
    CHECK(strstr(facts, "\"ignitions\":[[3,4,0],[5,6,1.5]],\"sources\":1"));
    free(facts);
    zm_view_destroy(page);
    test_land_free(&land);
}

TEST(factors_fuels_and_ensemble_are_told)
{
    test_land land = test_land_hills(20, 30, t->seed);
    const zm_fuel own = { 77, 1, { 1, 2, 3, 4, 5 }, { 6, 7, 8 }, 9, 10, { 11, 12 } };
    double factors[ZM_FUEL_NUMBERS];
    zm_physics_params p = ZM_PHYSICS_PARAMS_INIT;
    zm_ensemble_opts e = ZM_ENSEMBLE_OPTS_INIT;
    zm_view *page;
    char *facts;

    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        factors[k] = k == 101 ? 1.5 : 1;
    p.fuel_factor = factors;
    p.wind_factor = 0.75;
    e.seed = UINT64_MAX;
    land.land.custom_fuels = &own;
    land.land.n_custom_fuels = 1;
    CHECK(zm_view_create(20, 30, &page, NULL, NULL) == ZM_OK);
    CHECK(zm_view_set_model(page, &land.land, NULL, &p, &e, NULL) == ZM_OK);
    facts = facts_of(page);
    CHECK(strstr(facts, "\"wind_factor\":0.75,\"moisture_offset\":0,\"fuel_factors\":[[101,1.5]]"));
    CHECK(strstr(facts, "\"fuels\":[[77,1,1,2,3,4,5,6,7,8,9,10,11,12]]"));
    CHECK(strstr(facts, "\"seed\":18446744073709551615,"));
    CHECK_FAILS(zm_view_set_model(page, &land.land, NULL, NULL, NULL, &err), ZM_E_STATE, "already");
    free(facts);
    zm_view_destroy(page);
    CHECK(zm_view_create(20, 30, &page, NULL, NULL) == ZM_OK);
    CHECK_FAILS(zm_view_set_model(page, &land.land,
                                  &(zm_physics_opts){ .size = sizeof(zm_physics_opts),
                                                      .spotting = &(zm_spotting_opts)ZM_SPOTTING_OPTS_INIT },
                                  NULL, NULL, &err),
                ZM_E_UNSUPPORTED, "embers");
    zm_view_destroy(page);
    p.barrier = factors;
    CHECK(zm_view_create(20, 30, &page, NULL, NULL) == ZM_OK);
    CHECK_FAILS(zm_view_set_model(page, &land.land, NULL, &p, NULL, &err), ZM_E_UNSUPPORTED,
                "barriers");
    zm_view_destroy(page);
    test_land_free(&land);
}

/* ---- what is refused -------------------------------------------------------------------------- */

TEST(what_is_no_field_is_refused)
{
    const double values[CELLS] = { 0 };
    zm_view *page = new_page(NULL);
    zm_view_field f = ZM_VIEW_FIELD_INIT;
    char *before = facts_of(page), *after;

    CHECK_FAILS(zm_view_add(page, &f, NULL, &err), ZM_E_ARG, "plane 0 of times is NULL");
    f.planes[0] = f.planes[1] = f.planes[2] = values;
    f.n_planes = 2;
    CHECK_FAILS(zm_view_add(page, &f, NULL, &err), ZM_E_ARG, "times with 2 planes, must be 1");
    f.role = ZM_VIEW_METRIC;
    CHECK_FAILS(zm_view_add(page, &f, NULL, &err), ZM_E_ARG, "must be 1 or 3");
    f.n_planes = 3;
    f.type = ZM_VIEW_I16;
    CHECK_FAILS(zm_view_add(page, &f, NULL, &err), ZM_E_ARG, "float64 or float32");
    f.type = ZM_VIEW_F64;
    f.role = (zm_view_role)99;
    CHECK_FAILS(zm_view_add(page, &f, NULL, &err), ZM_E_ARG, "role 99");
    f.size = 0;
    CHECK_FAILS(zm_view_add(page, &f, NULL, &err), ZM_E_ARG, "zm_view_field");
    after = facts_of(page);
    CHECK(!strcmp(before, after));
    f = (zm_view_field)ZM_VIEW_FIELD_INIT;
    f.role = ZM_VIEW_METRIC;
    f.planes[0] = values;
    CHECK(zm_view_add(page, &f, NULL, NULL) == ZM_OK);
    CHECK_FAILS(zm_view_add(page, &f, NULL, &err), ZM_E_ARG, "second");
    free(before);
    free(after);
    zm_view_destroy(page);
}

TEST(other_arguments_that_are_wrong_are_refused)
{
    zm_view *page;
    zm_view_opts o = ZM_VIEW_OPTS_INIT;
    zm_view_place place = ZM_VIEW_PLACE_INIT;
    const zm_source out = { ROWS, 0, 0 };

    CHECK_FAILS(zm_view_create(0, 5, &page, NULL, &err), ZM_E_ARG, "0 x 5");
    CHECK_FAILS(zm_view_create(1 << 16, 1 << 16, &page, NULL, &err), ZM_E_ARG, "65536");
    o.colormap = "jet\x1b";
    CHECK_FAILS(zm_view_create(5, 5, &page, &o, &err), ZM_E_ARG, "'jet?', must be viridis");
    CHECK(page == NULL);
    o = (zm_view_opts)ZM_VIEW_OPTS_INIT;
    o.across = -1;
    CHECK_FAILS(zm_view_create(5, 5, &page, &o, &err), ZM_E_ARG, "-1");
    page = new_page(NULL);
    CHECK_FAILS(zm_view_set_solve(page, &out, 1, ZM_F64, NULL, NULL, &err), ZM_E_SOURCE,
                "outside of the grid");
    place.transform[1] = NAN;
    CHECK_FAILS(zm_view_set_place(page, &place, &err), ZM_E_ARG, "finite");
    CHECK_FAILS(zm_view_add_fire(page, &(zm_view_fire)ZM_VIEW_FIRE_INIT, &err), ZM_E_STATE,
                "model");
    zm_view_destroy(page);
}

/* Random numbers do not shrink, so a page with them is as much longer as they are. */
TEST(a_page_beyond_its_limit_is_refused_before_anything_is_written)
{
    const folder f = folder_make();
    double values[CELLS];
    zm_view *page = new_page(NULL);
    zm_view_field field = ZM_VIEW_FIELD_INIT;
    zm_view_opts o = ZM_VIEW_OPTS_INIT;
    size_t empty;

    fill(values, CELLS, t->seed);
    field.planes[0] = values;
    field.name = "T.npy";
    CHECK(zm_view_length(page, &empty, NULL) == ZM_OK);
    zm_view_destroy(page);
    o.most_bytes = empty + CELLS * sizeof *values;
    page = new_page(&o);
    CHECK_FAILS(zm_view_add(page, &field, NULL, &err), ZM_E_ARG, "T.npy would have more than");
    CHECK(zm_view_write(page, folder_path(&f, "a.html"), NULL) == ZM_OK);
    zm_view_destroy(page);
    o.most_bytes = empty - 1;
    page = new_page(&o);
    CHECK_FAILS(zm_view_write(page, folder_path(&f, "b.html"), &err), ZM_E_ARG, "more than its limit");
    zm_view_destroy(page);
    CHECK(folder_remove(&f) == 1);
}

/* ---- failures --------------------------------------------------------------------------------- */

static zm_status make_all(counter *c, zm_error *err)
{
    static double values[CELLS];
    const zm_view_opts o = { .size = sizeof o, .title = "t", .mem = counted(c) };
    zm_view_field f = ZM_VIEW_FIELD_INIT;
    zm_view *page;
    size_t n;
    zm_status st = zm_view_create(ROWS, COLS, &page, &o, err);

    if (st != ZM_OK)
        return st;
    fill(values, CELLS, 1);
    f.planes[0] = values;
    if ((st = zm_view_add(page, &f, NULL, err)) == ZM_OK &&
        (st = zm_view_add(page, &f, NULL, err)) == ZM_OK)
        st = zm_view_length(page, &n, err);
    zm_view_destroy(page);
    return st;
}

/* The 1st, 2nd, ... request fails until all succeed: no leak, and a message each time. */
TEST(without_memory_pages_fail_and_leak_nothing)
{
    zm_status st = ZM_E_NOMEM;
    size_t tried = 0;

    while (st == ZM_E_NOMEM && tried < 200) {
        counter c = { .refuse = ++tried };
        zm_error err = { .text = "" };

        st = make_all(&c, &err);
        CHECK_MSG(c.live == 0, "%zu blocks are left after request %zu failed", c.live, tried);
        CHECK(st == ZM_OK || (st == ZM_E_NOMEM && *err.text));
    }
    CHECK_MSG(st == ZM_OK && tried > 8, "status %d after %zu", (int)st, tried);
}

TEST(a_file_that_cannot_be_written_is_told_and_leaves_the_old_one)
{
    const folder f = folder_make();
    double values[CELLS];
    zm_view *page = new_page(NULL);
    zm_view_field field = ZM_VIEW_FIELD_INIT;

    fill(values, CELLS, t->seed);
    field.planes[0] = values;
    CHECK(zm_view_add(page, &field, NULL, NULL) == ZM_OK);
    CHECK_FAILS(zm_view_write(page, folder_path(&f, "no/such.html"), &err), ZM_E_IO, "such.html");
    CHECK_FAILS(zm_view_write(page, "/dev/full", &err), ZM_E_IO, "No space left");
    CHECK(folder_remove(&f) == 0);
    zm_view_destroy(page);
}

static int stop_soon(void *ctx, const void *bytes, size_t n)
{
    size_t *left = ctx;

    (void)bytes;
    if (n > *left)
        return 1;
    *left -= n;
    return 0;
}

TEST(nothing_can_be_destroyed)
{
    zm_view_destroy(NULL);
}

TEST(a_sink_can_end_a_page_at_any_place)
{
    zm_view *page = new_page(NULL);
    size_t length;

    CHECK(zm_view_length(page, &length, NULL) == ZM_OK);
    for (size_t room = 0; room < length; room += length / 13 + 1)
        CHECK(zm_view_write_to(page, stop_soon, &(size_t){ room }, NULL) == ZM_E_CANCELLED);
    CHECK(zm_view_write_to(page, stop_soon, &length, NULL) == ZM_OK);
    zm_view_destroy(page);
}
