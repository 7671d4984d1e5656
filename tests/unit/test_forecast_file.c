/* SPDX-License-Identifier: Apache-2.0
 * States and priors of forecasts that were changed by hand or by accident are refused with what is
 * wrong. */
#include "zermelo/fire/forecast_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/folders.h"

static zm_fire_state small_state(void)
{
    zm_fire_state s = ZM_FIRE_STATE_INIT;

    s.n = 3;
    for (int32_t k = 0; k < s.n; k++) {
        s.kind[k] = (zm_state_kind)k;
        for (int32_t l = 0; l < s.n; l++)
            s.covariance[k * s.n + l] = k == l ? 4 : 0.5;
    }
    return s;
}

/* What is written, with one word replaced by another, which must be there. */
static char *changed(char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *out = calloc(1, strlen(text) + strlen(to) + 1);

    if (at) {
        memcpy(out, text, (size_t)(at - text));
        strcat(out, to);
        strcat(out, at + strlen(from));
    }
    free(text);
    return out;
}

TEST(states_with_impossible_numbers_are_refused)
{
    static const char *const change[][3] = {
        { "\"number\": 0", "\"number\": 2.5", "unknown 0" },
        { "\"intervals\": 0", "\"intervals\": -3", "intervals" },
        { "\"iterations\": 0", "\"iterations\": 1.5", "iterations" },
        { "4.0", "-4.0", "covariance" },
        { "4.0", "\"4\"", "covariance" },
        { "0.5", "0.75", "covariance" },
        { "4.0", "0.01", "covariance" },
        { "log_wind", "log_rate", "unknown 1" },
    };
    const folder f = folder_make();
    const zm_fire_state given = small_state();
    zm_fire_state s = ZM_FIRE_STATE_INIT;
    zm_error err;

    CHECK(zm_fire_state_write(folder_path(&f, "s"), &given, 7, NULL) == ZM_OK);
    CHECK(zm_fire_state_read(folder_path(&f, "s"), &s, NULL, NULL) == ZM_OK && s.n == 3);
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        size_t n;
        char *text = changed(folder_read(&f, "s", &n), change[i][0], change[i][1]);

        CHECK(zm_fire_state_parse(text, strlen(text), "name", &s, NULL, &err) == ZM_E_FORMAT);
        CHECK_MSG(strstr(err.text, change[i][2]) && strstr(err.text, "name"), "%s", err.text);
        free(text);
    }
    folder_remove((folder *)&f);
}

TEST(priors_with_impossible_numbers_are_refused)
{
    static const char *const change[][3] = {
        { "\"kept\": 0.", "\"kept\": 7.", "kept" },
        { "\"area_count\": 0", "\"area_count\": -1", "area_count" },
        { "\"fuel_spread\": ", "\"fuel_spread\": -", "fuel_spread" },
        { "\"physics\": 0.", "\"physics\": 3.", "law" },
    };
    const folder f = folder_make();
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_error err;

    CHECK(zm_growth_prior_write(folder_path(&f, "p"), &p, NULL) == ZM_OK);
    CHECK(zm_growth_prior_read(folder_path(&f, "p"), &p, NULL) == ZM_OK);
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        size_t n;
        char *text = changed(folder_read(&f, "p", &n), change[i][0], change[i][1]);

        CHECK(zm_growth_prior_parse(text, strlen(text), "name", &p, &err) == ZM_E_FORMAT);
        CHECK_MSG(strstr(err.text, change[i][2]) && strstr(err.text, "name"), "%s", err.text);
        free(text);
    }
    folder_remove((folder *)&f);
}
