/* SPDX-License-Identifier: Apache-2.0
 * Dates of features of vector files. */
#include "fire/data/geo/feature_date.h"

#include <math.h>
#include <ogr_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/shown_name.h"

int zm_geo_feature_field(void *layer, const char *const *names)
{
    OGRFeatureDefnH fields = OGR_L_GetLayerDefn(layer);

    for (; *names; names++) {
        const int i = OGR_FD_GetFieldIndex(fields, *names); /* any case */

        if (i >= 0)
            return i;
    }
    return -1;
}

int zm_geo_date_field(void *layer)
{
    static const char *const names[] = {
        "observed",         "date",       "datetime", "timestamp",   "time",
        "poly_datecurrent", "poly_datec", "date_cur", "datecurrent", NULL
    };

    return zm_geo_feature_field(layer, names);
}

static zm_status fail_date(const char *path, const char *text, const char *must,
                           zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%s: date '%s', must be %s", zm_shown_name(path),
                   zm_word_shown(text).text, must);
}

/* Milliseconds since 1970, as web services of ArcGIS have them.  What would be before 1973 then may
 * be meant in seconds. */
static zm_status from_number(double value, const char *text, const char *path, zm_date *out,
                             zm_error *err)
{
    const double least = 1e11, most = 1e14, ms_of_hour = 3.6e6;

    if (value >= least && value <= most) {
        *out = zm_date_of(value / ms_of_hour);
        out->has_zone = true;
        return ZM_OK;
    }
    if (fabs(value) >= 1e8 && fabs(value) < least) {
        const zm_date s = zm_date_of(value * 1000 / ms_of_hour),
                      ms = zm_date_of(value / ms_of_hour);

        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: date '%s' would be %s UTC in seconds since 1970 and %s UTC in "
                       "milliseconds: give dates as text",
                       zm_shown_name(path), zm_word_shown(text).text,
                       zm_date_print(&s).text, zm_date_print(&ms).text);
    }
    return zm_date_parse(text, out)
               ? ZM_OK
               : fail_date(path, text,
                           "like 2013-09-02 or 2013-09-02T14:30, or in milliseconds "
                           "since 1970",
                           err);
}

static zm_status from_text(const char *text, const char *path, zm_date *out, zm_error *err)
{
    if (zm_date_parse(text, out))
        return ZM_OK;
    if (strspn(text, "0123456789") == strlen(text))
        return from_number(strtod(text, NULL), text, path, out, err);
    return fail_date(path, text, "like 2013-09-02 or 2013-09-02T14:30", err);
}

/* The flag of GDAL: 0 not told, 1 the local clock, 100 UTC, quarters of an hour from there. */
static zm_status from_format(OGRFeatureH feature, int field, bool has_time, const char *text,
                             const char *path, zm_date *out, zm_error *err)
{
    int second = 0, flag = 0;
    zm_date d = { 0 };

    OGR_F_GetFieldAsDateTime(feature, field, &d.year, &d.month, &d.day, &d.hour,
                             &d.minute, &second, &flag);
    d.has_zone = has_time && flag > 1;
    d.ahead = d.has_zone ? (flag - 100) / 4.0 : 0;
    /* a field with times holds a mere date as midnight */
    d.has_time = has_time && (d.has_zone || d.hour || d.minute || second);
    if (isnan(zm_date_numbers_hours(d.year, d.month, d.day, 100 * d.hour + d.minute)))
        return fail_date(path, text, "a day and a time of day that exist", err);
    *out = d;
    return ZM_OK;
}

zm_status zm_geo_feature_date(void *feature, int field, const char *path, zm_date *out,
                          bool *known, zm_error *err)
{
    const char *text;

    *out = (zm_date){ 0 };
    *known = false;
    if (field < 0 || !OGR_F_IsFieldSetAndNotNull(feature, field))
        return ZM_OK;
    text = OGR_F_GetFieldAsString(feature, field);
    if (!*text)
        return ZM_OK;
    *known = true;
    switch (OGR_Fld_GetType(OGR_F_GetFieldDefnRef(feature, field))) {
    case OFTDateTime:
        return from_format(feature, field, true, text, path, out, err);
    case OFTDate:
        return from_format(feature, field, false, text, path, out, err);
    case OFTInteger:
    case OFTInteger64:
    case OFTReal:
        return from_number(OGR_F_GetFieldAsDouble(feature, field), text, path, out, err);
    default:
        return from_text(text, path, out, err);
    }
}
