/* SPDX-License-Identifier: Apache-2.0
 * Pages from Python's tuples; of both extension modules. */
#ifndef ZM_PYTHON_VIEW_H
#define ZM_PYTHON_VIEW_H

#include "core.h"
#include "zermelo/view.h"

/* A page with all of this; NULL with an exception set.
 *
 * head: (rows, cols, across, down, title, unit_time, unit_length, colormap, command, limit)
 * fields: list of (role, type, (plane, ...), name, label, unit)
 * place: None, or (crs, epsg, wkt, (six numbers), north, rows, cols, lon, lat), lon and lat doubles
 * tables: list of (title, (column, ...), values, rows) */
zm_view *view_new(const core_state *state, PyObject *head, PyObject *fields, PyObject *place,
                  PyObject *tables);

/* The page as bytes, and destroys it; NULL with an exception set. */
PyObject *view_bytes(const core_state *state, zm_view *page);

#endif
