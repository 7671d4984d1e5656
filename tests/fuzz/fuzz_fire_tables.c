/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes as fires.csv, weather, scene.json or weather stream (the first byte
 * chooses) are either read, with values in their ranges, or refused with a message.
 * Run: fuzz_fire_tables tests/fuzz/corpus_fire_tables */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fire/data/scene.h"
#include "fire/data/weather_stream.h"
#include "fuzz.h"

static void require_named(zm_status st, const zm_error *err)
{
    require_message(st, err);
    require(!strncmp(err->text, "input", 5));
}

static void check_hours(const zm_weather_hour *hours, size_t n)
{
    require(hours && n >= 1);
    for (size_t i = 0; i < n; i++)
        require(hours[i].wind_speed >= 0 && hours[i].wind_speed <= 400 &&
                hours[i].wind_dir >= 0 && hours[i].wind_dir <= 360 &&
                hours[i].humidity >= 0 && hours[i].humidity <= 100 &&
                isfinite(hours[i].temperature) && hours[i].rain >= 0);
}

/* A path that stays in its folder. */
static void require_inside(const char *path)
{
    char whole[256];

    require((size_t)snprintf(whole, sizeof whole, "/%s/", path) < sizeof whole);
    require(path[0] != '/' && !strstr(whole, "/../"));
}

static void try_fires(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_fire_line *fires;
    size_t n_fires;
    const zm_status st = zm_fires_parse(bytes, n, "input", &fires, &n_fires, &err);

    if (st < 0) {
        require_named(st, &err);
        require(!fires && n_fires == 0);
        return;
    }
    require(fires && n_fires >= 1);
    for (size_t i = 0; i < n_fires; i++) {
        const zm_fire *f = &fires[i].fire;

        require(f->name && *f->name && !strchr(f->name, '/') && f->row >= 0 &&
                f->col >= 0 && f->duration >= 0);
        require_inside(fires[i].weather_file);
        require(f->start_month >= 1 && f->start_month <= 12 && f->start_hour >= 0 &&
                f->start_hour < 24 && f->moisture.dead_1h >= 0);
    }
    zm_fires_free(fires, n_fires);
}

static void try_weather(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_weather_hour *hours;
    size_t n_hours;
    const zm_status st = zm_weather_parse(bytes, n, "input", &hours, &n_hours, NULL, NULL, &err);

    if (st < 0)
        require_named(st, &err);
    else
        check_hours(hours, n_hours);
    free(hours);
}

static void try_facts(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_scene_facts facts;
    const zm_status st =
        zm_scene_facts_parse((const char *)bytes, n, "input", &facts, &err);

    if (st < 0) {
        require_named(st, &err);
        require(!facts.fuels);
        return;
    }
    require(isnan(facts.latitude) || fabs(facts.latitude) <= 90);
    for (size_t i = 0; i < facts.n_fuels; i++)
        require(facts.fuels[i].number >= 1 && facts.fuels[i].depth > 0 &&
                facts.fuels[i].extinction > 0);
    free(facts.fuels);
}

static void try_stream(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_weather_stream stream;
    char *text = calloc(1, n + 1);
    zm_status st;

    if (!text)
        return;
    if (n)
        memcpy(text, bytes, n);
    st = zm_weather_stream_parse(text, "input", &stream, &err);
    if (st < 0)
        require_named(st, &err);
    else
        check_hours(stream.hours, stream.n);
    free(stream.hours);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static void (*const tries[])(const uint8_t *, size_t) = { try_fires, try_weather,
                                                              try_facts, try_stream };

    if (n)
        tries[bytes[0] % 4](bytes + 1, n - 1);
    return 0;
}
