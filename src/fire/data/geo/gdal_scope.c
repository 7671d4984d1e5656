/* SPDX-License-Identifier: Apache-2.0
 * GDAL without its printing. */
#define _POSIX_C_SOURCE 200809L /* pthread_once, getpid */
#include "fire/data/geo/gdal_scope.h"

#include <cpl_error.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/new_file.h"
#include "core/shown_name.h"

static pthread_once_t registered = PTHREAD_ONCE_INIT;

void zm_gdal_enter(void)
{
    pthread_once(&registered, GDALAllRegister);
    CPLPushErrorHandler(CPLQuietErrorHandler);
    CPLErrorReset();
}

void zm_gdal_leave(void)
{
    CPLPopErrorHandler();
}

zm_status zm_gdal_fail(zm_error *err, zm_status code, const char *name,
                       const char *what)
{
    char said[96];
    size_t n = 0;

    for (const char *c = CPLGetLastErrorMsg(); *c && n + 1 < sizeof said; c++)
        said[n++] = *c >= ' ' && *c <= '~' ? *c : '?';
    said[n] = '\0';
    return zm_fail(err, code, -1, "%s: %s%s%s%s", zm_shown_name(name), what,
                   n ? " (" : "", said, n ? ")" : "");
}

int zm_band_metadata(const char *path, int band, const char *item)
{
    const char *text = NULL;
    GDALDatasetH file;
    int value = -1;

    zm_gdal_enter();
    file = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
    if (file && band <= GDALGetRasterCount(file))
        text = GDALGetMetadataItem(GDALGetRasterBand(file, band), item, NULL);
    if (text && *text >= '0' && *text <= '9')
        value = *text - '0';
    if (file)
        GDALClose(file);
    zm_gdal_leave();
    return value;
}

zm_memory_name zm_memory_name_make(const void *unique, const char *extension)
{
    zm_memory_name name;

    snprintf(name.text, sizeof name.text, "/vsimem/zermelo-%ld-%p.%s", (long)getpid(),
             unique, extension);
    return name;
}

zm_status zm_memory_file_save(const zm_memory_name *name, const char *path,
                              zm_error *err)
{
    vsi_l_offset n = 0;
    GByte *const bytes = VSIGetMemFileBuffer(name->text, &n, /* take it */ 1);
    zm_new_file file;
    zm_status st;

    if (!bytes)
        return zm_gdal_fail(err, ZM_E_IO, path, "could not be made");
    st = zm_new_file_open(&file, path, err);
    if (st >= 0) {
        st = zm_new_file_append(&file, bytes, (size_t)n, err);
        st = zm_new_file_close(&file, st, err);
    }
    VSIFree(bytes);
    return st;
}
