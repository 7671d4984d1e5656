/* SPDX-License-Identifier: Apache-2.0
 * GDAL without its printing. */
#define _POSIX_C_SOURCE 200809L /* pthread_once, getpid */
#include "fire/data/geo/gdal_scope.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_http.h>
#include <cpl_vsi.h>
#include <dirent.h>
#include <errno.h>
#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/new_file.h"
#include "core/shown_name.h"
#include "fire/data/geo/raster_netcdf.h"

static pthread_once_t registered = PTHREAD_ONCE_INIT;

/* Files may name addresses on the web, such as that of their coordinate system: none is asked.
 * An answer is given, for GDAL would go and ask itself without one; it says that there is none. */
static CPLHTTPResult *no_fetch(const char *url, CSLConstList options, GDALProgressFunc progress,
                               void *progress_ctx, CPLHTTPFetchWriteFunc write, void *write_ctx,
                               void *ctx)
{
    CPLHTTPResult *answer = CPLCalloc(1, sizeof *answer);

    (void)options, (void)progress, (void)progress_ctx, (void)write, (void)write_ctx, (void)ctx;
    CPLError(CE_Failure, CPLE_AppDefined, "it names the address %s, which is not asked", url);
    answer->nStatus = 1;
    answer->pszErrBuf = CPLStrdup("no network");
    return answer;
}

/* GDAL tells of some failures only by a message: what closing a file could not write, a
 * coordinate system that could not be stored. */
static _Thread_local int failures;

static void count_failure(CPLErr kind, CPLErrorNum number, const char *message)
{
    (void)number, (void)message;
    failures += kind >= CE_Failure;
}

int zm_gdal_failures(void)
{
    return failures;
}

static const char CURL_NAMES[] = "CPL_VSIL_CURL_ALLOWED_EXTENSIONS";

void zm_gdal_enter(void)
{
    pthread_once(&registered, GDALAllRegister);
    CPLHTTPPushFetchCallback(no_fetch, NULL);
    CPLSetThreadLocalConfigOption(CURL_NAMES, "{none}");
    CPLPushErrorHandler(count_failure);
    CPLErrorReset();
    failures = 0;
}

void zm_gdal_leave(void)
{
    CPLPopErrorHandler();
    CPLSetThreadLocalConfigOption(CURL_NAMES, NULL);
    CPLHTTPPopFetchCallback();
}

/* Formats of landscapes and fires.  Those that refer to other files or to services (VRT, WMS)
 * are not among them, whatever the file is called. */
static const char *const RASTERS[] = { "GTiff", "COG", "AAIGrid", "LCP", "netCDF", "GRIB",
                                       "ENVI",  "EHdr", "HFA",    "PNG", "JPEG",  NULL };
static const char *const VECTORS[] = { "GeoJSON", "GPKG", "KML", "LIBKML", "ESRI Shapefile",
                                       NULL };

/* Formats of several files open the others by themselves, and would wait for a pipe for ever: all
 * that has the name of the file with another ending, or lies in the folder, has to be regular. */
static zm_status check_companions(const char *path, bool is_folder, zm_error *err)
{
    const char *name = is_folder ? "" : zm_file_name(path), *dot = strrchr(name, '.');
    const size_t stem = dot ? (size_t)(dot - name) : strlen(name);
    const size_t n = (size_t)(name - path);
    char *folder = is_folder ? strdup(path) : n ? strndup(path, n) : strdup(".");
    DIR *dir = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    zm_status st = folder ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
    struct stat info;

    while (st >= 0 && dir && (entry = readdir(dir)))
        if ((is_folder || (!strncmp(entry->d_name, name, stem) &&
                           entry->d_name[stem] == '.')) &&
            !fstatat(dirfd(dir), entry->d_name, &info, 0) && !S_ISREG(info.st_mode) &&
            !S_ISDIR(info.st_mode))
            st = zm_fail(err, ZM_E_IO, -1, "%s: %s beside it is no regular file",
                         zm_shown_name(path), zm_word_shown(entry->d_name).text);
    if (dir)
        closedir(dir);
    free(folder);
    return st;
}

zm_status zm_gdal_open(void **file, const char *path, zm_gdal_kind kind, zm_error *err)
{
    /* of GeoJSON, whose dates would lose their time zones where these differ */
    static const char *const plain[] = { "DATE_AS_STRING=YES", NULL };
    const bool raster = kind == ZM_GDAL_RASTER;
    struct stat st;

    *file = NULL;
    if (stat(path, &st) != 0)
        return zm_fail(err, ZM_E_IO, -1, "%s: cannot be opened (%s)", zm_shown_name(path),
                       strerror(errno));
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return zm_fail(err, ZM_E_IO, -1, "%s: neither a file nor a folder", zm_shown_name(path));
    ZM_TRY(check_companions(path, S_ISDIR(st.st_mode), err));
    if (raster)
        ZM_TRY(zm_raster_netcdf_check(path, err));
    *file = GDALOpenEx(path, (raster ? GDAL_OF_RASTER : GDAL_OF_VECTOR) | GDAL_OF_READONLY,
                       raster ? RASTERS : VECTORS, raster ? NULL : plain, NULL);
    if (*file)
        return ZM_OK;
    return zm_gdal_fail(err, ZM_E_IO, path,
                        raster ? "not a raster that is read (GeoTIFF, ASCII grid, LCP, netCDF, "
                                 "GRIB, ENVI, ESRI, Imagine, PNG, JPEG)"
                               : "not a vector file that is read (GeoJSON, GeoPackage, KML, "
                                 "Shapefile)");
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

zm_status zm_gdal_system(const zm_georeference *where, const char *path, void **system,
                         zm_error *err)
{
    *system = NULL;
    if (!where->wkt || !where->wkt[0])
        return ZM_OK;
    if (!(*system = OSRNewSpatialReference(where->wkt)))
        return zm_gdal_fail(err, ZM_E_FORMAT, path,
                            "the coordinate system of the grid is not understood");
    OSRSetAxisMappingStrategy(*system, OAMS_TRADITIONAL_GIS_ORDER);
    return ZM_OK;
}

zm_status zm_gdal_add_field(void *layer, const char *name, int type, const char *path,
                            zm_error *err)
{
    OGRFieldDefnH field = OGR_Fld_Create(name, (OGRFieldType)type);
    const OGRErr failed = OGR_L_CreateField(layer, field, 1);

    OGR_Fld_Destroy(field);
    return failed == OGRERR_NONE ? ZM_OK
                                 : zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
}

int zm_gdal_band_metadata(const char *path, int band, const char *item)
{
    const char *text = NULL;
    GDALDatasetH file;
    int value = -1;

    zm_gdal_enter();
    (void)zm_gdal_open(&file, path, ZM_GDAL_RASTER, NULL);
    if (file && band <= GDALGetRasterCount(file))
        text = GDALGetMetadataItem(GDALGetRasterBand(file, band), item, NULL);
    if (text && *text >= '0' && *text <= '9')
        value = *text - '0';
    if (file)
        GDALClose(file);
    zm_gdal_leave();
    return value;
}

zm_memory_name zm_gdal_memory_name_make(const void *unique, const char *extension)
{
    zm_memory_name name;

    (void)snprintf(name.text, sizeof name.text, "/vsimem/zermelo-%ld-%p.%s",
                   (long)getpid(), unique, extension);
    return name;
}

zm_status zm_gdal_memory_file_end(const zm_memory_name *name, zm_status st,
                                  const char *path, zm_error *err)
{
    vsi_l_offset n = 0;
    GByte *bytes;
    zm_new_file file;

    if (st >= 0 && failures)
        st = zm_gdal_fail(err, ZM_E_IO, path, "could not be made whole");
    if (st < 0) {
        VSIUnlink(name->text);
        return st;
    }
    bytes = VSIGetMemFileBuffer(name->text, &n, /* take it */ 1);
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
