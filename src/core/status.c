/* SPDX-License-Identifier: Apache-2.0
 * Status texts and the version. */
#include "zermelo/status.h"
#include "zermelo/version.h"

const char *zm_version(void)
{
    return ZM_VERSION;
}

const char *zm_status_text(zm_status status)
{
    switch (status) {
#define ZM_STATUS_CASE(name, value, text)                                                \
    case name:                                                                           \
        return text;
        ZM_STATUS_LIST(ZM_STATUS_CASE)
#undef ZM_STATUS_CASE
    }
    return "unknown status";
}
