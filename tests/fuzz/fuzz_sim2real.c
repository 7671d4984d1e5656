/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: a tree of any names and files (see fuzz_unpack) is imported, and what was written
 * can be opened, or is refused with a message.  Run: fuzz_sim2real tests/fuzz/corpus_sim2real */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_import_report report = ZM_IMPORT_REPORT_INIT;
    zm_error err = { ZM_OK, 0, "" };
    const char *folder;
    zm_status st;

    maps_make();
    folder = fuzz_empty("out");
    st = zm_import_sim2real(fuzz_unpack("in", bytes, n), folder, &report, &err);
    if (st < 0)
        require_message(st, &err);
    else
        open_again(folder, &report);
    return 0;
}
