/* SPDX-License-Identifier: Apache-2.0
 * A text becomes a file. */
#include "save_text.h"

#include <stdio.h>
#include <string.h>

#include "message.h"

int save_text(zm_text *text, const char *option, const char *path)
{
    zm_error err;
    int code = DONE;

    if (strcmp(path, "-") != 0) {
        if (zm_text_write(text, path, &err) < 0)
            code = failure("cannot write %s%s", option, err.text);
    } else if (text->failed) {
        code = failure("not enough memory for %s-", option);
    } else {
        fwrite(text->bytes, 1, text->n, stdout);
        code = flush_output();
    }
    zm_text_free(text);
    return code;
}
