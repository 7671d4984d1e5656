/* SPDX-License-Identifier: Apache-2.0
 * Dates of features of vector files. */
#ifndef ZM_GEO_FEATURE_DATE_H
#define ZM_GEO_FEATURE_DATE_H

#include "fire/data/geo/date.h"
#include "zermelo/status.h"

/** Field of an OGRLayerH that has one of these names, in any case; the first name of the list, which
 *  ends with NULL, counts first.  -1: none. */
int zm_geo_feature_field(void *layer, const char *const *names);

/** The field of dates: observed, date, datetime, timestamp, time, poly_DateCurrent, ...; -1: none. */
int zm_geo_date_field(void *layer);

/**
 * The date of an OGRFeatureH: text, a date of the format, or a number of milliseconds since 1970,
 * which are UTC.  A date of the format whose zone nobody tells is a mere date at midnight.
 *
 * @param field in   -1: has none
 * @param path  in   for messages
 * @param known out  false where the feature has none
 * @return ZM_OK, ZM_E_FORMAT
 */
zm_status zm_geo_feature_date(void *feature, int field, const char *path, zm_date *out,
                          bool *known, zm_error *err);

#endif
