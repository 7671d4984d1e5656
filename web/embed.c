/* SPDX-License-Identifier: Apache-2.0
 * A program of the build: puts the page and its modules, deflated, into a C file that defines
 * what embedded.h declares.
 *
 *   embed OUT.c page.html page.css page.js grid.wasm fire.wasm */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct text {
    char *bytes;
    size_t n;
} text;

static void stop(const char *what, const char *name)
{
    fprintf(stderr, "embed: %s %s\n", what, name);
    exit(EXIT_FAILURE);
}

static text read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    text t = { NULL, 0 };

    if (!file)
        stop("cannot read", name);
    for (size_t room = 1 << 16, got = 1; got; room *= 2) {
        t.bytes = realloc(t.bytes, room + 1);
        if (!t.bytes)
            stop("no memory for", name);
        t.n += got = fread(t.bytes + t.n, 1, room - t.n, file);
    }
    if (ferror(file) || fclose(file))
        stop("cannot read", name);
    t.bytes[t.n] = '\0';
    return t;
}

/* The page with `part` in place of `mark`, which must be there once. */
static text put(text page, const char *mark, text part)
{
    const char *at = strstr(page.bytes, mark);
    const size_t before = at ? (size_t)(at - page.bytes) : 0, after = before + strlen(mark);
    text whole = { NULL, page.n - strlen(mark) + part.n };

    if (!at || strstr(at + 1, mark))
        stop("the page needs once the mark", mark);
    if (!(whole.bytes = malloc(whole.n + 1)))
        stop("no memory for", mark);
    memcpy(whole.bytes, page.bytes, before);
    memcpy(whole.bytes + before, part.bytes, part.n);
    memcpy(whole.bytes + before + part.n, page.bytes + after, page.n - after + 1);
    free(page.bytes);
    free(part.bytes);
    return whole;
}

static void write_stream(FILE *out, const char *name, text t)
{
    uLongf n = compressBound(t.n);
    unsigned char *stream = malloc(n);

    if (!stream || compress2(stream, &n, (const Bytef *)t.bytes, t.n, 9) != Z_OK)
        stop("cannot deflate", name);
    fprintf(out, "\nstatic const unsigned char %s[] = {", name);
    for (uLongf i = 0; i < n; i++)
        fprintf(out, "%s%u,", i % 20 ? "" : "\n", stream[i]);
    fprintf(out, "\n};\nconst zm_embedded zm_embedded_%s = { %s, sizeof %s, %zu };\n", name, name,
            name, t.n);
    free(stream);
    free(t.bytes);
}

int main(int argc, char **argv)
{
    FILE *out;
    text page;

    if (argc != 7)
        stop("six arguments are needed:", "OUT.c page.html page.css page.js grid.wasm fire.wasm");
    page = put(read_file(argv[2]), "/*zermelo:css*/", read_file(argv[3]));
    page = put(page, "/*zermelo:js*/", read_file(argv[4]));
    if (!(out = fopen(argv[1], "wb")))
        stop("cannot write", argv[1]);
    fprintf(out, "#include \"embedded.h\"\n");
    write_stream(out, "page", page);
    write_stream(out, "grid_wasm", read_file(argv[5]));
    write_stream(out, "fire_wasm", read_file(argv[6]));
    if (ferror(out) || fclose(out))
        stop("cannot write", argv[1]);
    return EXIT_SUCCESS;
}
