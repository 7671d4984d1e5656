/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes, named as one of the formats that are read, are a raster that keeps its
 * promises or an error with a message; what is imported from them can be opened.  The first byte
 * chooses the name.  Run: fuzz_raster tests/fuzz/corpus_raster */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/dataset.h"
#include "zermelo/limit.h"

static void check(const zm_raster *r)
{
    const size_t n = (size_t)r->rows * (size_t)r->cols * (size_t)r->bands;
    float sum = 0;

    require(r->rows >= 1 && r->cols >= 1 && r->bands >= 1 && r->where.wkt);
    for (size_t i = 0; i < n; i++) /* the sanitizer looks at every value */
        sum += r->data[i];
    require(sum >= 0 || sum < 0 || sum != sum);
    for (int32_t b = 0; b < r->bands; b++)
        require(r->names[b] && strlen(r->names[b]) < 1 << 20);
}

static void import(const char *path)
{
    const char *folder = fuzz_empty("out");
    zm_error err = { ZM_OK, 0, "" };
    zm_scene *scene = NULL;
    zm_status st = zm_import_landscape(path, folder, NULL, NULL, &err);

    if (st < 0) {
        require_message(st, &err);
        return;
    }
    st = zm_scene_open_landscape(fuzz_path("out/landscape.tif"),
                                 fuzz_path("out/scene.json"), &scene, &err);
    if (st < 0)
        fprintf(stderr, "imported, but: %s\n", err.text);
    require(st >= 0);
    zm_scene_close(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char *const names[] = { "a.tif", "a.lcp", "a.asc", "a.nc",
                                         "a.img", "a.png", "a.jpg", "a.grb" };
    zm_error err = { ZM_OK, 0, "" };
    zm_raster raster;
    char in[16] = "in/";
    zm_status st;

    if (!n)
        return 0;
    strcat(in, names[bytes[0] % 8]);
    fuzz_empty("in");
    fuzz_write(in, bytes + 1, n - 1);
    zm_read_limit_set((size_t)64 << 20);
    st = zm_raster_read(fuzz_path(in), &raster, &err);
    if (st < 0)
        require_message(st, &err);
    else
        check(&raster);
    zm_raster_free(&raster);
    if (st >= 0)
        import(fuzz_path(in));
    return 0;
}
