/* SPDX-License-Identifier: Apache-2.0
 * Burned areas as KML 2.2, each shown from its time to the next where the start is told. */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "core/text.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/isochrones_out.h"
#include "fire/data/geo/outline_geometry.h"

/** A KML document under construction. */
typedef struct document {
    const char *path;
    const zm_area_series *a;
    OGRCoordinateTransformationH to_globe;
    double unit; /* metres in a unit of the map */
    zm_text text;
} document;

static zm_status add_ring(document *d, const zm_outline_ring *ring,
                          const zm_outline_point *points, const char *boundary,
                          zm_error *err)
{
    const double *t = d->a->where->transform;

    zm_text_print(&d->text, "<%s><LinearRing><coordinates>", boundary);
    for (size_t i = 0; i <= ring->n; i++) { /* closed: the first point again */
        const zm_outline_point *p = &points[ring->begin + i % ring->n];
        double x = t[0] + (p->col + 0.5) * t[1] + (p->row + 0.5) * t[2],
               y = t[3] + (p->col + 0.5) * t[4] + (p->row + 0.5) * t[5];

        if (!OCTTransform(d->to_globe, 1, &x, &y, NULL) || !isfinite(x) || !isfinite(y))
            return zm_gdal_fail(err, ZM_E_FORMAT, d->path,
                                "the map cannot be brought to longitude and latitude");
        zm_text_print(&d->text, "%s%.7f,%.7f", i ? " " : "", x, y); /* a centimetre */
    }
    zm_text_print(&d->text, "</coordinates></LinearRing></%s>\n", boundary);
    return ZM_OK;
}

/* Holes stand behind their shell. */
static zm_status add_areas(document *d, const zm_outline *o, zm_error *err)
{
    size_t n, n_points;
    const zm_outline_ring *rings = zm_outline_rings(o, &n);
    const zm_outline_point *points = zm_outline_points(o, &n_points);

    zm_text_add(&d->text, "<MultiGeometry>\n");
    for (size_t i = 0; i < n; i++) {
        if (rings[i].shell != i)
            continue;
        zm_text_add(&d->text, "<Polygon>");
        ZM_TRY(add_ring(d, &rings[i], points, "outerBoundaryIs", err));
        for (size_t k = 0; k < n; k++)
            if (k != i && rings[k].shell == i)
                ZM_TRY(add_ring(d, &rings[k], points, "innerBoundaryIs", err));
        zm_text_add(&d->text, "</Polygon>\n");
    }
    zm_text_add(&d->text, "</MultiGeometry>\n");
    return ZM_OK;
}

/* KML wants seconds. */
static void add_moment(document *d, const char *tag, double time)
{
    const zm_date_text moment = zm_geo_areas_moment(d->a, time);

    zm_text_print(&d->text, "<%s>%.16s:00%s</%s>", tag, moment.text, moment.text + 16, tag);
}

/* From yellow to dark red, as aabbggrr. */
static void add_style(document *d, size_t i)
{
    const double share = d->a->n > 1 ? (double)i / (double)(d->a->n - 1) : 1;
    const unsigned green = (unsigned)lround(220 * (1 - share)),
                   red = (unsigned)lround(255 - 75 * share);

    zm_text_print(&d->text,
                  "<Style><LineStyle><color>ff00%02x%02x</color><width>2</width></LineStyle>"
                  "<PolyStyle><color>5000%02x%02x</color></PolyStyle></Style>\n",
                  green, red, green, red);
}

static zm_status add_area(document *d, size_t i, const zm_outline *o, zm_error *err)
{
    const double time = d->a->times[i];
    const zm_date_text moment = zm_geo_areas_moment(d->a, time);

    zm_text_print(&d->text, "<Placemark><name>%.6g h%s%s</name>\n", time,
                  moment.text[0] ? ", " : "", moment.text);
    if (moment.text[0]) {
        zm_text_add(&d->text, "<TimeSpan>");
        add_moment(d, "begin", time);
        if (i + 1 < d->a->n)
            add_moment(d, "end", d->a->times[i + 1]);
        zm_text_add(&d->text, "</TimeSpan>\n");
    }
    add_style(d, i);
    zm_text_add(&d->text, "<ExtendedData><SchemaData schemaUrl=\"#isochrone\">"
                          "<SimpleData name=\"time_h\">");
    zm_text_add_number(&d->text, time);
    zm_text_add(&d->text, "</SimpleData><SimpleData name=\"area_ha\">");
    zm_text_add_number(&d->text,
                       zm_outline_geometry_hectares(o, d->a->where, d->unit));
    zm_text_add(&d->text, "</SimpleData></SchemaData></ExtendedData>\n");
    ZM_TRY(add_areas(d, o, err));
    zm_text_add(&d->text, "</Placemark>\n");
    return ZM_OK;
}

static zm_status add_all(document *d, zm_error *err)
{
    const zm_area_series *a = d->a;
    zm_outline *outline;
    zm_status st;

    ZM_TRY(zm_outline_create(&outline, NULL, err));
    zm_text_add(&d->text,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\n"
                "<name>isochrones</name>\n<Schema id=\"isochrone\" name=\"isochrone\">"
                "<SimpleField type=\"double\" name=\"time_h\"/>"
                "<SimpleField type=\"double\" name=\"area_ha\"/></Schema>\n"
                "<Folder><name>isochrones</name>\n");
    for (size_t i = 0; i < a->n; i++) {
        size_t n_rings;

        ZM_GO(zm_outline_find(outline, (zm_grid){ a->rows, a->cols, 1, 1 }, ZM_F32, a->T,
                              a->times[i], err));
        zm_outline_rings(outline, &n_rings);
        if (n_rings)
            ZM_GO(add_area(d, i, outline, err));
    }
    zm_text_add(&d->text, "</Folder></Document></kml>\n");
done:
    zm_outline_destroy(outline);
    return st;
}

zm_status zm_geo_isochrones_kml(const char *path, const zm_area_series *a,
                                  OGRSpatialReferenceH system, zm_error *err)
{
    document d = { .path = path, .a = a, .unit = zm_geo_unit(system) };
    OGRSpatialReferenceH globe;
    zm_status st = ZM_OK;

    if (!system || OSRIsLocal(system))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: KML has longitude and latitude only, and the landscape has no "
                       "coordinate system: take .geojson or .gpkg",
                       zm_shown_name(path));
    globe = OSRNewSpatialReference(NULL);
    OSRSetAxisMappingStrategy(globe, OAMS_TRADITIONAL_GIS_ORDER);
    if (OSRImportFromEPSG(globe, 4326) == OGRERR_NONE)
        d.to_globe = OCTNewCoordinateTransformation(system, globe);
    if (!d.to_globe)
        st = zm_gdal_fail(err, ZM_E_FORMAT, path,
                          "the map cannot be brought to longitude and latitude");
    if (st >= 0)
        st = add_all(&d, err);
    if (st >= 0)
        st = zm_text_write(&d.text, path, err);
    zm_text_free(&d.text);
    OCTDestroyCoordinateTransformation(d.to_globe);
    OSRDestroySpatialReference(globe);
    return st;
}
