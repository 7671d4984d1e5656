/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: a tree of any names and files (see fuzz_unpack), as one scene and as a folder of
 * them, is imported, and what was written can be opened, or is refused with a message.  Run: fuzz_sim2real tests/fuzz/corpus_sim2real */
#include "fuzz.h"
#include "maps.h"
#include "zermelo/fire/dataset.h"

static void open_again(const char *folder, const zm_import_report *report)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_scene *scene = NULL;

    if (report->fires) {
        const zm_status st = zm_scene_open(folder, &scene, NULL, &err);

        require(st >= 0 && zm_scene_count(scene) == report->fires);
        zm_scene_close(scene);
    }
}

/* Scenes that were imported, or why they were not. */
static int tell(void *ctx, const char *scene, zm_status st, const zm_import_report *report,
                const zm_error *err)
{
    int *good = ctx;

    require(scene && *scene && report);
    if (st < 0)
        require_message(st, err);
    else
        ++*good;
    return 0;
}

static void import_all(const char *from)
{
    const char *folder = fuzz_empty("many");
    zm_error err = { ZM_OK, 0, "" };
    int good = 0;
    const zm_status st = zm_import_sim2real_scenes(from, folder, tell, &good, &err);

    if (st < 0)
        require_message(st, &err);
    else
        require(good > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_import_report report = ZM_IMPORT_REPORT_INIT;
    zm_error err = { ZM_OK, 0, "" };
    const char *folder, *from;
    zm_status st;

    maps_make();
    folder = fuzz_empty("out");
    from = fuzz_unpack("in", bytes, n);
    st = zm_import_sim2real(from, folder, &report, &err);
    if (st < 0)
        require_message(st, &err);
    else
        open_again(folder, &report);
    import_all(from);
    return 0;
}
