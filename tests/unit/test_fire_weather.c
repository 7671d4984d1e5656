/* SPDX-License-Identifier: Apache-2.0
 * Files of weather: what a tool, a hand or a broken copy can make of them is read as it is meant,
 * or refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/folders.h"
#include "zermelo/fire/weather.h"

#define UNITS "temperature_c,humidity_pct,wind_speed_kmh,wind_direction_deg\n"
#define HOUR(time) "2013-08-17 " time ",25,30,10,270\n"
#define RECORD(time) "2013 8 17 " time " 80 25 0.00 10 270 10\n"

typedef struct reading {
    folder f;
    zm_weather_series s;
    zm_error err;
    zm_status st;
} reading;

static reading read_text(const char *text)
{
    reading r = { .f = folder_make(), .s = ZM_WEATHER_SERIES_INIT };
    FILE *file = fopen(folder_path(&r.f, "w"), "wb");

    fputs(text, file);
    fclose(file);
    r.st = zm_weather_series_read(folder_path(&r.f, "w"), &r.s, &r.err);
    return r;
}

static void end(reading *r)
{
    zm_weather_series_free(&r->s);
    folder_remove(&r->f);
}

static bool refused(const char *text, const char *word)
{
    reading r = read_text(text);
    const bool is = r.st == ZM_E_FORMAT && strstr(r.err.text, word) && !r.s.records;

    if (!is)
        fprintf(stderr, "status %d: %s\n", (int)r.st, r.st < 0 ? r.err.text : "");
    end(&r);
    return is;
}

/* The zone that a station's table tells. */
static double ahead_of(const char *text)
{
    reading r = read_text(text);
    const double ahead = r.st == ZM_OK ? r.s.ahead : -100;

    end(&r);
    return ahead;
}

/* "timestamp" has "est" in it, which is no time zone there. */
TEST(abbreviations_of_clocks_are_whole_words)
{
    CHECK(isnan(ahead_of("timestamp," UNITS HOUR("13:00"))));
    CHECK(isnan(ahead_of("latest_time," UNITS HOUR("13:00"))));
    CHECK(ahead_of("date_est," UNITS HOUR("13:00")) == -5);
    CHECK(ahead_of("Date (UTC)," UNITS HOUR("13:00")) == 0);
    CHECK(ahead_of("date," UNITS HOUR("13:00 MDT")) == -6);
    CHECK(refused("date," UNITS HOUR("13:00 BEST"), "date and time"));
}

TEST(afternoons_keep_their_time_zone)
{
    reading r = read_text("date," UNITS HOUR("2:30 PM EDT"));

    CHECK(r.st == ZM_OK && r.s.n == 1);
    CHECK(fmod(r.s.records[0].time, 24) == 14.5 && r.s.ahead == -4);
    end(&r);
    CHECK(refused("date," UNITS HOUR("14:30 PM EDT"), "date and time"));
    CHECK(refused("date," UNITS HOUR("2:30 PM noon"), "date and time"));
}

/* Only the line that is called so tells the elevation, whatever stands before it. */
TEST(the_elevation_is_that_of_its_line)
{
    reading r = read_text("# STATION: 123\n# LATITUDE: 41.5\n# ELEVATION: 1000 ft\n"
                          "date," UNITS HOUR("13:00"));

    CHECK(r.st == ZM_OK);
    CHECK_NEAR(r.s.elevation, 304.8, 1e-9);
    end(&r);
    r = read_text("# LATITUDE: 41.5\ndate,elevation," UNITS
                  "2013-08-17 13:00,9,25,30,10,270\n");
    CHECK(r.st == ZM_OK && isnan(r.s.elevation));
    end(&r);
}

/* 300,000 lines above the table, of which none says the elevation: each is looked at once.  The
 * square of that would take minutes, which the time that a test may take ends. */
TEST(many_comments_are_read_once)
{
    enum { LINES = 300000 };
    const char *const table = "date," UNITS HOUR("13:00");
    char *text = malloc(3 * LINES + strlen(table) + 1);
    reading r;

    for (int i = 0; i < LINES; i++)
        memcpy(text + 3 * i, "#:\n", 3);
    strcpy(text + 3 * LINES, table);
    r = read_text(text);
    CHECK(r.st == ZM_OK && r.s.n == 1 && isnan(r.s.elevation));
    end(&r);
    free(text);
}

TEST(more_than_all_humidity_is_fog_or_no_humidity)
{
    reading r = read_text("date," UNITS "2013-08-17 13:00,25,103,10,270\n");

    CHECK(r.st == ZM_OK && r.s.records[0].air.humidity == 100);
    end(&r);
    CHECK(refused("date," UNITS "2013-08-17 13:00,25,1013,10,270\n", "range"));
}

TEST(a_byte_order_mark_changes_nothing)
{
    static const char *const texts[] = { RECORD("1300") RECORD("1400"),
                                         "# ELEVATION: 10\ndate," UNITS HOUR("13:00"),
                                         "wind_speed_kmh,wind_dir_deg\n10,90\n" };
    char marked[300];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reading a = read_text(texts[i]), b;

        snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", texts[i]);
        b = read_text(marked);
        CHECK(a.st == ZM_OK && b.st == ZM_OK && a.s.n == b.s.n && a.s.form == b.s.form);
        CHECK(!memcmp(a.s.records, b.s.records, a.s.n * sizeof *a.s.records));
        CHECK((isnan(a.s.elevation) && isnan(b.s.elevation)) ||
              a.s.elevation == b.s.elevation);
        end(&a);
        end(&b);
    }
}

/* Half past twelve is 1230, and never 12.5, which another reader would take for ten to one. */
TEST(times_of_streams_are_whole)
{
    CHECK(refused(RECORD("12.5") RECORD("14"), "time 12.5"));
}

TEST(a_stream_that_was_cut_off_is_refused)
{
    reading r = read_text("RAWS: 2\n" RECORD("1300") RECORD("1400"));

    CHECK(r.st == ZM_OK && r.s.n == 2);
    end(&r);
    CHECK(refused("RAWS: 48\n" RECORD("1300") RECORD("1400"), "RAWS: 48"));
    CHECK(refused("RAWS: 1\n" RECORD("1300") RECORD("1400"), "RAWS: 1"));
    CHECK(refused(RECORD("1300") "x" RECORD("1400") RECORD("1500"), "line 2"));
}

TEST(sections_that_are_there_twice_are_refused)
{
#define DATA "RAWS: 1\n" RECORD("1300")
    static const char *const twice[] = {
        DATA DATA,
        "FARSITE_START_TIME: 08 17 1300\nFARSITE_START_TIME: 08 17 1330\n" DATA,
        "FUEL_MOISTURES_DATA: 1\n0 6 7 8 60 90\nFUEL_MOISTURES_DATA: 1\n0 7 7 8 60 90\n" DATA,
    };
    char text[400];

    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        snprintf(text, sizeof text, "CONDITIONING_PERIOD_END: 08 17 1350\n%s", twice[i]);
        CHECK(refused(text, "twice"));
    }
}

/* ---- cutting ---------------------------------------------------------------------- */

static zm_status cut(const char *text, const char *start, double hours, double earlier,
                     zm_fire_weather *out, zm_error *err)
{
    reading r = read_text(text);
    zm_time time = { 0 };

    if (r.st == ZM_OK && start && !zm_time_parse(start, &time))
        r.st = ZM_E_STATE;
    if (r.st == ZM_OK)
        r.st = zm_fire_weather_cut(&r.s, start ? &time : NULL, hours, earlier, out, err);
    end(&r);
    return r.st;
}

static const char *const THREE = RECORD("1300") RECORD("1400") RECORD("1500");

TEST(an_input_that_starts_on_no_day_is_refused)
{
    zm_fire_weather w;
    zm_error err;

    CHECK(cut("FARSITE_START_TIME: 02 29 1300\nRAWS: 1\n2013 2 28 1300 80 25 0 10 270 10\n",
              NULL, 0, 0, &w, &err) == ZM_E_FORMAT);
    CHECK_MSG(strstr(err.text, "2013 has no day 02-29") && !w.hours, "%s", err.text);
}

TEST(a_start_that_is_no_time_is_refused)
{
    const zm_time wrong[] = { { 2013, 13, 1, 0, (double)NAN },   { 2013, 2, 30, 0, (double)NAN },
                              { 2013, 8, 17, 24, (double)NAN },  { 2013, 8, 17, -1, (double)NAN },
                              { 2013, 8, 17, (double)NAN, (double)NAN },
                              { 2013, 8, 17, 13, 1e300 },        { 99, 8, 17, 13, (double)NAN } };
    reading r = read_text(THREE);
    zm_fire_weather w;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(zm_fire_weather_cut(&r.s, &wrong[i], 0, 0, &w, &r.err) == ZM_E_ARG);
        CHECK(strstr(r.err.text, "no such time"));
    }
    r.s.ahead = 1e300;
    CHECK(zm_fire_weather_cut(&r.s, NULL, 0, 0, &w, &r.err) == ZM_E_ARG);
    end(&r);
}

/* The last record holds until 16 h; an hour from there on would have no wind. */
TEST(a_fire_that_starts_where_the_weather_ends_has_none)
{
    zm_fire_weather w;
    zm_error err;

    CHECK(cut(THREE, "2013-08-17T16:00", 0, 0, &w, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "no weather from 2013-08-17T16:00"));
    CHECK(cut(THREE, "2013-08-17T15:30", 0, 0, &w, &err) == ZM_OK);
    CHECK(w.n == 1);
    CHECK_NEAR(w.hours[0].wind_speed, 10 * 1.609344 * 1.15, 1);
    zm_fire_weather_free(&w);
}

/* As many hours before the ignition as are asked for, and the reader that asks for none gets
 * those of the fire. */
TEST(hours_before_the_ignition_are_not_taken_for_those_of_the_fire)
{
    const char *const table = "hour,wind_speed_kmh,wind_dir_deg\n-2,1,90\n-1,2,90\n0,3,90\n1,4,90\n";
    reading r = read_text(table);
    zm_fire_weather w;
    zm_weather whole;
    zm_error err;

    for (size_t earlier = 0; earlier < 4; earlier++) {
        CHECK(cut(table, NULL, 0, (double)earlier, &w, &err) == ZM_OK);
        CHECK(w.n == 2 && w.earlier == (earlier < 2 ? earlier : 2));
        CHECK(w.hours[w.earlier].wind_speed == 3);
        zm_fire_weather_free(&w);
    }
    CHECK(zm_weather_read(folder_path(&r.f, "w"), &whole, &err) == ZM_OK);
    CHECK(whole.n == 2 && whole.hours[0].wind_speed == 3);
    zm_weather_free(&whole);
    end(&r);
}
