/* SPDX-License-Identifier: Apache-2.0
 * Maps: georeferenced rasters as float planes. */
#ifndef ZM_GEO_H
#define ZM_GEO_H

#include <math.h> /* NAN in ZM_GEOREFERENCE_FACTS_INIT, ZM_ISOCHRONE_OPTS_INIT */
#include <stddef.h>
#include <stdint.h>

#include "../export.h"
#include "../status.h"
#include "moment.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Value of cells without data in the rasters that are written here. */
#define ZM_RASTER_NODATA (-9999.0F)

/** Where a grid lies: a cell (row, col) has its north-west corner at
 *  x = t[0] + col t[1] + row t[2], y = t[3] + col t[4] + row t[5].  This struct is frozen. */
typedef struct zm_georeference {
    double transform[6];
    const char *wkt; /**< coordinate system, well-known text; "" where unknown */
} zm_georeference;

/**
 * Latitude and longitude, degrees, of a point of a grid, in cells from its north-west corner.
 *
 * @param latitude, longitude out  NAN where the grid has no coordinate system or a local one
 * @return ZM_OK, ZM_E_FORMAT (the system is not understood)
 */
ZM_API zm_status zm_georeference_place(const zm_georeference *where, double row,
                                       double col, double *latitude, double *longitude,
                                       zm_error *err);

enum { ZM_CONTROL_POINTS = 17 /**< at most, along a side of a grid */ };

/** What people want to know about where a grid is. */
typedef struct zm_georeference_facts {
    size_t size;   /**< sizeof(zm_georeference_facts), set by the caller */
    char crs[160]; /**< name of the coordinate system; "" where there is none */
    int32_t epsg;  /**< its number; 0: none */
    double north;  /**< degrees clockwise from up, in the middle of the grid; NAN: not known */
    int32_t lonlat_rows, lonlat_cols; /**< 0: not known */
    double lon[ZM_CONTROL_POINTS * ZM_CONTROL_POINTS], lat[ZM_CONTROL_POINTS * ZM_CONTROL_POINTS];
    /**< degrees, lonlat_rows*lonlat_cols: evenly from the middle of the first cell to that of the
     * last, row after row; NAN where there is none */
} zm_georeference_facts;
#define ZM_GEOREFERENCE_FACTS_INIT                                                     \
    {                                                                                  \
        .size = sizeof(zm_georeference_facts), .north = (double)NAN                    \
    }

/**
 * Describes where a grid of rows x cols lies.
 *
 * @param out out  north and points are not known where the grid has no coordinate system, or a local
 *                 one
 * @return ZM_OK, ZM_E_ARG, ZM_E_FORMAT (the system is not understood)
 */
ZM_API zm_status zm_georeference_describe(const zm_georeference *where, int32_t rows,
                                          int32_t cols, zm_georeference_facts *out,
                                          zm_error *err);

/** 1: cells of both lie in the same places, to a millionth of a cell, in the same coordinate system;
 *  a system that is unknown counts as the same. */
ZM_API int zm_georeference_same(const zm_georeference *a, const zm_georeference *b,
                                int32_t rows, int32_t cols);

/** A raster in memory.  Free with zm_raster_free.  This struct is frozen. */
typedef struct zm_raster {
    int32_t rows, cols, bands;
    float *
        data; /**< bands planes of rows*cols, row 0 first; NAN where there is no data */
    char **names;          /**< descriptions of the bands; "" where there is none */
    zm_georeference where; /**< transform all 0 where the file has none */
    double unit; /**< metres in a unit of the map; NAN where it is in degrees; 1 where
                           the coordinate system is unknown */
} zm_raster;

/**
 * Reads all bands of any raster GDAL knows.
 *
 * @param out out  zeroed after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (too large, damaged), ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_raster_read(const char *path, zm_raster *out, zm_error *err);

/** Frees what zm_raster_read gave; zeroes it. */
ZM_API void zm_raster_free(zm_raster *raster);

/** A raster to be written.  This struct is frozen. */
typedef struct zm_raster_planes {
    int32_t rows, cols, bands; /**< >= 1 */
    const float *const
        *planes;              /**< rows*cols each; what is not finite becomes nodata */
    const char *const *names; /**< of the bands; NULL: none */
    const zm_georeference *where; /**< NULL: none */
} zm_raster_planes;

/**
 * Writes a GeoTIFF: float32, nodata ZM_RASTER_NODATA, compressed.  The file is replaced at
 * once, or left as it was.
 *
 * @return ZM_OK, ZM_E_IO, ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_raster_write(const char *path, const zm_raster_planes *raster,
                                 zm_error *err);

/** The same with units of the bands, as "m/min", in their metadata; NULL: none, "" of a band: none. */
ZM_API zm_status zm_raster_write_units(const char *path, const zm_raster_planes *raster,
                                       const char *const *units, zm_error *err);

/** A round step, h, that gives some ten isochrones up to `latest`. */
ZM_API double zm_isochrone_step(double latest);

enum { ZM_MOST_ISOCHRONES = 64 };

/** Times of isochrones up to `latest`, a round step apart; how many there are, at least one. */
ZM_API size_t zm_isochrone_times(double latest, double times[ZM_MOST_ISOCHRONES]);

typedef struct zm_isochrone_opts {
    size_t size;   /**< sizeof(zm_isochrone_opts) */
    zm_time start; /**< moment of hour 0, with its year; year 0: not told */
} zm_isochrone_opts;
#define ZM_ISOCHRONE_OPTS_INIT                                                         \
    {                                                                                  \
        sizeof(zm_isochrone_opts), { 0, 0, 0, 0.0, (double)NAN }                       \
    }

/** Whether zm_isochrones_write knows the ending of a path.  @return ZM_OK, ZM_E_ARG (names those that
 *  it knows) */
ZM_API zm_status zm_isochrones_path_check(const char *path, zm_error *err);

/**
 * Writes burned areas in the format that the ending of the path says: .geojson or .json (RFC 7946),
 * .gpkg, .kml, .shp, .parquet where GDAL has it; one feature for each time: the polygons, with
 * holes, of all that has burned until then.  Their border runs straight between points on the
 * lines that join centres of neighbouring cells, where T is interpolated, halfway to cells that
 * never burn.  Properties: time_h, area_ha, and where the start is told datetime, of KML a
 * TimeSpan from each time to the next.  Coordinates of GeoJSON and KML are WGS 84 (EPSG:4326) where
 * the coordinate system of the grid is known, else, and in the other formats, those of the grid.
 * Files are replaced at once, or left; those of a shapefile one by one, .shp last.
 *
 * @param T      in  rows*cols, h; not finite: never
 * @param times  in  n of them, rising; those before the first cell burned give no feature
 * @param opts   in  NULL means ZM_ISOCHRONE_OPTS_INIT
 * @return ZM_OK, ZM_E_ARG (unknown ending), ZM_E_IO, ZM_E_FORMAT (the system cannot be brought to WGS 84),
 *         ZM_E_NOMEM
 */
ZM_API zm_status zm_isochrones_write(const char *path, const float *T, int32_t rows,
                                     int32_t cols, const zm_georeference *where,
                                     const double *times, size_t n,
                                     const zm_isochrone_opts *opts, zm_error *err);

/** What has burned until a time.  This struct is frozen. */
typedef struct zm_isochrone {
    double time;    /**< h */
    double area;    /**< ha, of the polygons; of a grid without a system in units of its own */
    uint8_t *shape; /**< well-known binary, little endian: a multipolygon in the coordinates of the
                       grid, without parts where nothing has burned */
    size_t bytes;
} zm_isochrone;

/**
 * The same polygons in memory, in the coordinates of the grid.
 *
 * @param out out  n of them, each to be freed with zm_isochrone_free; zeroed after a failure
 * @return ZM_OK, ZM_E_ARG, ZM_E_FORMAT, ZM_E_NOMEM
 */
ZM_API zm_status zm_isochrones_find(const float *T, int32_t rows, int32_t cols,
                                    const zm_georeference *where, const double *times,
                                    size_t n, zm_isochrone *out, zm_error *err);

/** Frees the shape; zeroes it.  NULL is allowed. */
ZM_API void zm_isochrone_free(zm_isochrone *isochrone);

/** A line on a grid, with what is told of it.  This struct is frozen. */
typedef struct zm_geo_line {
    const double *places; /**< row and column of each point; whole numbers are middles of cells */
    size_t n;             /**< points, >= 2 */
    double flow, time;    /**< fields flow (a share) and time_h */
    int32_t from;         /**< number of the line that it leaves, from 0; -1: none */
} zm_geo_line;

/**
 * Writes lines as GeoJSON (.geojson, .json; in WGS 84 where the coordinate system of the grid is
 * known) or GeoPackage (.gpkg), fields way and from (numbers from 1; 0: none), flow and time_h.  The
 * file is replaced at once, or left.
 *
 * @return ZM_OK, ZM_E_ARG (another ending), ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM
 */
ZM_API zm_status zm_geo_lines_write(const char *path, const zm_geo_line *lines,
                                    size_t n, const zm_georeference *where,
                                    zm_error *err);

/** ZM_E_ARG where zm_geo_lines_write could not write a file of this name. */
ZM_API zm_status zm_geo_lines_path_check(const char *path, zm_error *err);

/** Burned area at one date.  This struct is frozen. */
typedef struct zm_perimeter {
    int32_t sequence;  /**< field `seq`, or the place in the order of dates, from 1 */
    char observed[24]; /**< "2013-09-02" or "2011-08-26T09:43"; "" where unknown */
    double area;       /**< m^2, of the polygons, also outside the grid */
    int64_t cells;     /**< of the grid, by their centres */
    uint8_t *mask;     /**< rows*cols of the grid, 1: burned */
} zm_perimeter;

/** Perimeters in order of time.  Free with zm_perimeters_free.  This struct is frozen. */
typedef struct zm_perimeters {
    zm_perimeter *items;
    size_t n; /**< >= 1 after zm_perimeters_read */
} zm_perimeters;

/**
 * Reads polygons from any vector file GDAL knows (GeoPackage, GeoJSON, shapefile, ...), brings
 * them into the coordinate system of a grid and marks the cells whose centres they hold.
 * Features with the same `seq`, or without such a field the same date, are one perimeter.  The
 * date is that of the first field there is of: observed, date, datetime, timestamp, time,
 * poly_datecurrent, poly_datec, date_cur, datecurrent: text, a date of the format, or milliseconds
 * since 1970.  The layer is `perimeters` or the first.
 *
 * @param where in   of the grid; where one coordinate system is unknown they are taken as equal
 * @param out   out  zeroed after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (no polygons, dates that cannot be read, nothing inside
 *         the grid), ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_perimeters_read(const char *path, int32_t rows, int32_t cols,
                                    const zm_georeference *where, zm_perimeters *out,
                                    zm_error *err);

/** Writes perimeters as a GeoPackage: layer `perimeters`, fields seq, observed, area_ha; the
 *  polygons are outlines of the masks as of zm_isochrones_write.  Replaced at once, or left. */
ZM_API zm_status zm_perimeters_write(const char *path, const zm_perimeters *perimeters,
                                     int32_t rows, int32_t cols,
                                     const zm_georeference *where, zm_error *err);

/** Frees what zm_perimeters_read gave; zeroes it. */
ZM_API void zm_perimeters_free(zm_perimeters *perimeters);

/**
 * Cells of a grid that the shapes of a vector file cover: those in which points lie, that lines
 * touch, whose centres polygons hold.  Of the first layer, in any coordinate system; without one
 * they are in that of the grid.
 *
 * @param mask out  rows*cols; 1: covered
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (no shapes, none that covers a cell), ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_cells_read(const char *path, int32_t rows, int32_t cols,
                               const zm_georeference *where, uint8_t *mask,
                               zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
