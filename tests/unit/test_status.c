/* SPDX-License-Identifier: Apache-2.0
 * Statuses, messages, memory sources and the version. */
#include <stdio.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/memory.h"
#include "support/refused.h"
#include "zermelo/version.h"

TEST(statuses_have_texts)
{
    CHECK(!strcmp(zm_status_text(ZM_OK), "done"));
    CHECK(strstr(zm_status_text(ZM_E_METRIC), "admissible"));
    CHECK(!strcmp(zm_status_text((zm_status)12345), "unknown status"));
}

TEST(the_version_is_the_same_as_text_and_as_numbers)
{
    char numbers[40];

    snprintf(numbers, sizeof numbers, "%d.%d.%d", ZM_VERSION_MAJOR, ZM_VERSION_MINOR,
             ZM_VERSION_PATCH);
    CHECK(!strcmp(ZM_VERSION, numbers));
    CHECK(!strcmp(zm_version(), numbers));
}

/* Codes and texts come from one list: each has a text of its own, and the sign says whether it
 * is a failure. */
TEST(every_status_has_a_text_of_its_own_and_a_sign)
{
    static const zm_status all[] = {
#define VALUE(name, value, text) name,
        ZM_STATUS_LIST(VALUE)
#undef VALUE
    };
    const size_t n = sizeof all / sizeof *all;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(zm_status_text(all[i]), zm_status_text(all[k])) != 0);
        CHECK((all[i] < 0) == (all[i] != ZM_OK && all[i] != ZM_NOT_CONVERGED));
    }
}

/* A message that is too long is cut, and ends with a zero in any case; a call that succeeds
 * leaves the message alone; no message is wanted where err is NULL. */
TEST(messages_are_terminated_and_written_only_when_needed)
{
    fixture f = fixture_create();
    zm_error err;
    char long_word[500];

    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    memset(&err, 0x5a, sizeof err);
    CHECK(zm_fail(&err, ZM_E_IO, 7, "%s", long_word) == ZM_E_IO);
    CHECK(err.code == ZM_E_IO && err.cell == 7);
    CHECK(memchr(err.text, '\0', sizeof err.text) && strlen(err.text) > 200);
    CHECK(zm_fail(NULL, ZM_E_IO, 7, "%s", long_word) == ZM_E_IO);
    strcpy(err.text, "as it was");
    CHECK(fixture_forward(&f, &err) == ZM_OK && !strcmp(err.text, "as it was"));
    fixture_free(&f);
}

/* A source of memory that checks what it is asked: some bytes, and back only what it gave. */
typedef struct source_of_memory {
    void *given[64];
    int n, wrong;
} source_of_memory;

static void *allocate(void *ctx, size_t bytes)
{
    source_of_memory *m = ctx;

    m->wrong += bytes == 0 || m->n == 64;
    return m->given[m->n++] = malloc(bytes);
}

static void release(void *ctx, void *pointer)
{
    source_of_memory *m = ctx;

    for (int i = 0; i < m->n; i++)
        if (pointer && m->given[i] == pointer) {
            m->given[i] = m->given[--m->n];
            free(pointer);
            return;
        }
    m->wrong++;
}

TEST(memory_goes_back_to_where_it_came_from)
{
    source_of_memory m = { .n = 0 };
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *s;

    o.mem = (zm_alloc){ &m, allocate, release };
    CHECK(zm_solver_create(&s, (zm_grid){ 20, 30, 1, 1 }, ZM_F64, &o, NULL) == ZM_OK);
    CHECK(m.n > 0);
    zm_solver_destroy(s);
    CHECK(m.n == 0 && m.wrong == 0);
    zm_release(&o.mem, NULL);
    CHECK(m.wrong == 0);
    o.mem.release = NULL; /* both functions or neither */
    CHECK(zm_solver_create(&s, (zm_grid){ 20, 30, 1, 1 }, ZM_F64, &o, NULL) == ZM_E_ARG);
}
