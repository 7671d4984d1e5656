/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes as a file of weather are records that rise in time and lie in their ranges,
 * and hours of a fire cut out of them, or are refused with a message.  The first line tells what is
 * cut: the start, how many hours, and how many before them, like 2013-08-17T14:30 5 3.
 * Run: fuzz_weather -dict=tests/fuzz/weather.dict tests/fuzz/corpus_weather */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/weather.h"

static void check_air(const zm_weather_hour *w)
{
    require(w->temperature >= -60 && w->temperature <= 60 && w->humidity >= 0 &&
            w->humidity <= 100 && w->wind_speed >= 0 && w->wind_speed <= 400 &&
            w->wind_dir >= 0 && w->wind_dir <= 360 && w->cloud >= 0 && w->cloud <= 100 &&
            w->rain >= 0 && w->rain <= 500);
}

static void check_time(const zm_time *t)
{
    require(t->month >= 1 && t->month <= 12 && t->day >= 1 && t->day <= 31 && t->hour >= 0 &&
            t->hour < 24 && !(fabs(t->ahead) > 24));
}

/* Moments of an .input may be that of midnight at the end of a day. */
static void check_told(const zm_time *t)
{
    require(t->month >= 0 && t->month <= 12 && t->day >= 0 && t->day <= 31 &&
            t->hour >= 0 && t->hour <= 24);
}

static void check_series(const zm_weather_series *s)
{
    require(s->n >= 1 && s->records);
    for (size_t k = 0; k < s->n; k++) {
        check_air(&s->records[k].air);
        require(isfinite(s->records[k].time) &&
                (k == 0 || s->records[k].time > s->records[k - 1].time));
    }
    require(!isinf(s->elevation) && !(fabs(s->ahead) > 24) && s->assumed < 64);
    require(memchr(s->unused, '\0', sizeof s->unused) != NULL);
    check_told(&s->start);
    check_told(&s->end);
    require(s->moisture.dead_1h == 0 ||
            (s->moisture.dead_1h >= 0.1 && s->moisture.live_woody >= 0.1));
}

static void span(const zm_weather_series *s, zm_weather_hour *least, zm_weather_hour *most)
{
    *least = *most = s->records[0].air;
    for (size_t k = 1; k < s->n; k++) {
        const zm_weather_hour *w = &s->records[k].air;

        least->temperature = fmin(least->temperature, w->temperature);
        most->temperature = fmax(most->temperature, w->temperature);
        least->wind_speed = fmin(least->wind_speed, w->wind_speed);
        most->wind_speed = fmax(most->wind_speed, w->wind_speed);
    }
}

/* Hours lie between the records, and are as many as were asked for. */
static void check_cut(const zm_weather_series *s, double hours, double earlier,
                      const zm_fire_weather *out)
{
    zm_weather_hour least, most;

    span(s, &least, &most);
    require(out->n >= 1 && out->hours && (double)out->earlier <= earlier);
    require(!s->dated || hours == 0 || out->n == (size_t)ceil(hours - 1e-6));
    for (size_t k = 0; k < out->n + out->earlier; k++) {
        const zm_weather_hour *w = &out->hours[k];

        require(w->temperature >= least.temperature - 1e-9 &&
                w->temperature <= most.temperature + 1e-9 &&
                w->wind_speed >= least.wind_speed - 1e-9 &&
                w->wind_speed <= most.wind_speed + 1e-9);
        require(w->wind_dir >= 0 && w->wind_dir <= 360 && w->rain >= 0 &&
                w->humidity >= 0 && w->humidity <= 100);
    }
    if (s->dated)
        check_time(&out->start);
}

/* Both at once, which also takes the clock of the start for that of the file. */
static void read_and_cut(const char *path, const zm_time *start, double hours, double earlier)
{
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_error err = { ZM_OK, 0, "" };
    zm_fire_weather out = { 0 };
    const zm_status st = zm_fire_weather_read(path, start, (double)NAN, hours, earlier, &s,
                                              &out, &err);

    if (st < 0) {
        require_message(st, &err);
        require(!out.hours && !s.records);
    } else {
        check_series(&s);
        check_cut(&s, out.n == (size_t)ceil(hours - 1e-6) ? hours : 0, earlier, &out);
    }
    zm_fire_weather_free(&out);
    zm_weather_series_free(&s);
}

static void cut(const zm_weather_series *s, const char *path, const char *line)
{
    char when[40] = "";
    double hours = 0, earlier = 0;
    zm_time start;
    const bool told = sscanf(line, "%39s %lf %lf", when, &hours, &earlier) >= 1 &&
                      zm_time_parse(when, &start);
    zm_error err = { ZM_OK, 0, "" };
    zm_fire_weather out;
    zm_status st;

    if (told)
        check_time(&start);
    st = zm_fire_weather_cut(s, told ? &start : NULL, hours, earlier, &out, &err);
    if (st < 0) {
        require_message(st, &err);
        require(!out.hours && out.n == 0);
    } else {
        check_cut(s, hours, earlier, &out);
    }
    zm_fire_weather_free(&out);
    read_and_cut(path, told ? &start : NULL, hours, earlier);
}

/* The same file by the reader that chooses the start itself. */
static void read_whole(const char *path, const zm_weather_series *s)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_weather w;
    const zm_status st = zm_weather_read(path, &w, &err);

    require(st < 0 || s->n >= 1);
    if (st < 0)
        require_message(st, &err);
    for (size_t k = 0; k < w.n; k++)
        require(isfinite(w.hours[k].temperature) && w.hours[k].wind_speed >= 0);
    zm_weather_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const uint8_t *end = n ? memchr(bytes, '\n', n) : NULL;
    const size_t first = end ? (size_t)(end - bytes) : n;
    const char *path = fuzz_path("input");
    char line[80] = "";
    zm_error err = { ZM_OK, 0, "" };
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_status st;

    if (first)
        memcpy(line, bytes, first < sizeof line ? first : sizeof line - 1);
    fuzz_write("input", end ? end + 1 : NULL, end ? n - first - 1 : 0);
    st = zm_weather_series_read(path, &s, &err);
    if (st < 0) {
        require_message(st, &err);
        require(!s.records && s.n == 0);
    } else {
        check_series(&s);
        cut(&s, path, line);
    }
    read_whole(path, &s);
    zm_weather_series_free(&s);
    return 0;
}
