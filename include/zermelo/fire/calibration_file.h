/* SPDX-License-Identifier: Apache-2.0
 * Calibrations in files (JSON). */
#ifndef ZM_CALIBRATION_FILE_H
#define ZM_CALIBRATION_FILE_H

#include "calibrate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes parameters with their intervals.  The file is replaced at once, or left as it was.
 *  @return ZM_OK, ZM_E_IO, ZM_E_NOMEM */
ZM_API zm_status zm_calibration_write(const char *path,
                                      const zm_calibration *calibration, zm_error *err);

/** Reads what zm_calibration_write wrote; what is not in the file is as without calibration.
 *  @return ZM_OK, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM */
ZM_API zm_status zm_calibration_read(const char *path, zm_calibration *out,
                                     zm_error *err);

/** The same from text; `name` goes into messages. */
ZM_API zm_status zm_calibration_parse(const char *text, size_t length, const char *name,
                                      zm_calibration *out, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
