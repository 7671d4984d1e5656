/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes are either a model that predicts or an error with a message.
 * Run: fuzz_model tests/fuzz/corpus_model */
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/learn.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_model *model = NULL;
    const zm_status st = zm_model_parse(bytes, n, "input", &model, &err);

    require(st < 0 ? !model && err.code == st && *err.text &&
                         memchr(err.text, '\0', sizeof err.text)
                   : model && zm_model_parameters(model) > 0);
    zm_model_destroy(model);
    return 0;
}
