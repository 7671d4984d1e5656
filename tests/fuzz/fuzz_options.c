/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any words after any verb are settings, or one line that says what is wrong and the
 * status of a usage error.  Nothing is run.  The first byte chooses the verb, lines are words.
 * Run: fuzz_options -close_fd_mask=2 -dict=tests/fuzz/options.dict tests/fuzz/corpus_options */
#include <string.h>

#include "common/message.h"
#include "common/verb.h"
#include "fire/verbs.h"
#include "fuzz.h"

enum { MOST_WORDS = 100 };

#if defined(ZM_FUZZ_VIEW) /* where what makes its page is there */
extern const verb verb_view;
#endif

static const verb *const verbs[] = {
    &verb_solve,         &verb_gradient,      &verb_tangent,       &verb_path,
    &verb_invert,        &verb_convert,       &verb_info,          &verb_fire_info,
    &verb_fire_import,   &verb_fire_score,    &verb_fire_physics,  &verb_fire_calibrate,
    &verb_fire_ensemble, &verb_fire_simulate, &verb_fire_train,    &verb_fire_predict,
    &verb_fire_evaluate, &verb_fire_compare,  &verb_fire_capacity, &verb_fire_protect,
    &verb_fire_risk,     &verb_fire_forecast, &verb_fire_origin,
#if defined(ZM_FUZZ_VIEW)
    &verb_view,
#endif
};

static void try_verb(const verb *v, int argc, char **argv)
{
    void *settings = malloc(v->settings_size);
    int n = 0, code;

    require(settings != NULL);
    memcpy(settings, v->defaults, v->settings_size);
    code = options_parse(v, argc, argv, settings, &n);
    require(code == DONE || code == USAGE);
    if (code == DONE) {
        require(n >= 0 && n <= argc);
        code = options_check_paths(v, settings);
        require(code == DONE || code == USAGE || code == FAILED);
    }
    if (v->release)
        v->release(settings);
    free(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1), *words[MOST_WORDS + 1] = { NULL };
    int argc = 0;

    require(text != NULL);
    if (n)
        memcpy(text, bytes, n);
    text[n] = '\0';
    for (char *at = n ? text + 1 : text; at < text + n && argc < MOST_WORDS;) {
        const size_t length = strcspn(at, "\n");

        words[argc++] = at;
        at[length] = '\0';
        at += length + 1;
    }
    if (n)
        try_verb(verbs[(unsigned char)text[0] % (sizeof verbs / sizeof *verbs)], argc,
                 words);
    free(text);
    return 0;
}
