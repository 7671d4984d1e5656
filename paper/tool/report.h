/* SPDX-License-Identifier: Apache-2.0
 * The report of zermelo reproduce. */
#ifndef ZM_CLI_REPORT_H
#define ZM_CLI_REPORT_H

#include "common/verb.h"
#include "outcome.h"

extern const verb verb_reproduce;

/** DIR/results.json: every row of every experiment. */
int report_write_json(const outcome *found, size_t n, const run_settings *settings);

/** DIR/index.html: tables and figures of n experiments out of `wanted`, in one page. */
int report_write_page(const outcome *found, size_t n, size_t wanted,
                      const run_settings *settings);

/** "better", ...; "" for no verdict. */
const char *verdict_name(verdict v);

/** A file in the directory of the report; to be freed. */
char *report_path(const run_settings *settings, const char *name);

#endif
