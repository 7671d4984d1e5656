/* SPDX-License-Identifier: Apache-2.0
 * Which engine solves a problem. */
#include <stdio.h>

#include "core/fail.h"
#include "eikonal/engine.h"

const zm_engine *zm_engine_first(const zm_solver *s, const zm_problem *problem)
{
    const zm_engine *const *e = zm_engine_table;

    while (*e && (*e)->cannot(s, problem))
        e++;
    return *e;
}

zm_status zm_engine_choose(zm_engine_run *run, zm_error *err)
{
    char reasons[sizeof err->text] = "";
    size_t used = 0;

    for (const zm_engine *const *e = zm_engine_table; *e; e++) {
        const char *why = (*e)->cannot(run->s, run->problem);

        if (!why) {
            run->status = zm_engine_equip(run->s, *e, run->workspaces, run->threads,
                                          run->record, err);
            *run->report = (zm_report)ZM_REPORT_INIT;
            if (run->status != ZM_OK)
                return run->status;
            if ((*e)->solve(run, err) == ZM_OUTCOME_HAND_OVER) {
                why = "meets cells too anisotropic for it";
            } else {
                run->report->method = (*e)->method;
                run->record->engine = run->status < 0 ? NULL : *e;
                return run->status;
            }
        }
        used += (size_t)snprintf(reasons + used, sizeof reasons - used, "%s%s %s",
                                 used ? "; " : "", (*e)->name, why);
        used = used < sizeof reasons ? used : sizeof reasons - 1;
    }
    return zm_fail(err, ZM_E_UNSUPPORTED, -1, "no engine can solve this: %s", reasons);
}
