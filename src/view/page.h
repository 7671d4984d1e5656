/* SPDX-License-Identifier: Apache-2.0
 * A page under construction: facts as text, fields compressed. */
#ifndef ZM_VIEW_PAGE_H
#define ZM_VIEW_PAGE_H

#include "core/text.h"
#include "view/stream.h"

struct zm_view {
    zm_alloc mem;
    int32_t rows, cols;
    size_t cells, most;
    /* Pieces of the facts, each without the comma before it; lists without their brackets. */
    zm_text title;   /* for <title>, escaped */
    zm_text head;    /* what create was told */
    zm_text command; /* its words, as a string of JSON */
    zm_text fields, place, solve, model, fires, tables;
    zm_view_stream *data; /* of the fields */
    size_t n_data, room;
    uint32_t roles; /* bit k: there is a field of role k */
};

/** Adds a field whose role has this name in the facts; floats that are whole numbers are kept as
 *  such where that is wanted.  As zm_view_add. */
zm_status zm_view_add_values(zm_view *page, const char *role, const zm_view_values *values,
                             const zm_view_field *words, zm_error *err);

/** Drops the fields from number n on, whose facts begin at this place of their text. */
void zm_view_drop(zm_view *page, size_t n, size_t text);

/* Facts: a comma unless the text begins, then the key and its colon unless that is NULL. */
void zm_view_key(zm_text *text, const char *key);
/** Numbers that are not finite are null. */
void zm_view_number(zm_text *text, const char *key, double value);
/** Nothing where the string is NULL. */
void zm_view_string(zm_text *text, const char *key, const char *value);
/** [row, col, time], ... without brackets around. */
void zm_view_sources(zm_text *text, const zm_source *sources, size_t n);
/** ZM_E_NOMEM where some of the text is missing: it is then as long as before. */
zm_status zm_view_settle(zm_text *text, size_t length, zm_error *err);

/** Whether all sources are cells of the grid with times.  ZM_OK, ZM_E_SOURCE. */
zm_status zm_view_check_sources(const zm_view *page, const zm_source *sources, size_t n,
                                zm_error *err);

#endif
