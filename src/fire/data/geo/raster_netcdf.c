/* SPDX-License-Identifier: Apache-2.0
 * What the header of a classic netCDF file announces.
 *
 *     header  = "CDF" version, records, dimensions, attributes, variables
 *     list    = tag, count, elements           (0, 0: none)
 *     name    = length, bytes padded to 4
 *     dim     = name, length
 *     att     = name, type, count, values padded to 4
 *     var     = name, count, dimension numbers, attributes, type, size, offset
 *
 * (NetCDF Classic Format Specification, Unidata.)  Numbers are big-endian; counts and sizes have 8
 * bytes in version 5, else 4; offsets 4 in version 1, else 8. */
#include "fire/data/geo/raster_netcdf.h"

#include <stdbool.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"

typedef struct header {
    FILE *file;
    uint64_t left; /* bytes */
    int version;
    bool bad;
} header;

static uint64_t take_number(header *h, int bytes)
{
    uint64_t number = 0;

    if (h->bad || h->left < (uint64_t)bytes) {
        h->bad = true;
        return 0;
    }
    for (int i = 0; i < bytes; i++) {
        const int byte = fgetc(h->file);

        h->bad |= byte == EOF;
        number = number << 8 | (uint64_t)(byte & 0xff);
    }
    h->left -= (uint64_t)bytes;
    return number;
}

static void skip(header *h, uint64_t bytes)
{
    const uint64_t padded = bytes + (4 - bytes % 4) % 4;

    if (h->bad || bytes > h->left || padded > h->left ||
        fseek(h->file, (long)padded, SEEK_CUR) != 0)
        h->bad = true;
    else
        h->left -= padded;
}

/* A count of elements that take at least `least` bytes each. */
static uint64_t take_count(header *h, uint64_t least)
{
    const uint64_t count = take_number(h, h->version == 5 ? 8 : 4);

    h->bad |= count > h->left / least;
    return h->bad ? 0 : count;
}

static uint64_t take_list(header *h, uint64_t wanted_tag, uint64_t least)
{
    const uint64_t tag = take_number(h, 4), count = take_count(h, least);

    h->bad |= tag != wanted_tag && !(tag == 0 && count == 0);
    return h->bad ? 0 : count;
}

static void skip_name(header *h)
{
    skip(h, take_count(h, 1));
}

static void skip_attributes(header *h)
{
    static const uint64_t sizes[12] = { 0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8 };

    for (uint64_t n = take_list(h, 12, 12); n && !h->bad; n--) {
        uint64_t type;

        skip_name(h);
        type = take_number(h, 4);
        h->bad |= type < 1 || type > 11;
        if (!h->bad)
            skip(h, sizes[type] * take_count(h, sizes[type]));
    }
}

static void read_header(header *h)
{
    const int size = h->version == 5 ? 8 : 4;

    take_number(h, size);
    for (uint64_t n = take_list(h, 10, 8); n && !h->bad; n--) {
        skip_name(h);
        take_number(h, size);
    }
    skip_attributes(h);
    for (uint64_t n = take_list(h, 11, 28); n && !h->bad; n--) {
        skip_name(h);
        skip(h, (uint64_t)size * take_count(h, (uint64_t)size));
        skip_attributes(h);
        take_number(h, 4);
        take_number(h, size);
        take_number(h, h->version == 1 ? 4 : 8);
    }
}

zm_status zm_raster_netcdf_check(const char *path, zm_error *err)
{
    header h = { 0 };
    unsigned char magic[4];
    size_t size;

    if (zm_file_open(path, &h.file, &size, NULL) < 0)
        return ZM_OK; /* a folder: whoever opens it says so */
    if (size != ZM_FILE_SIZE_UNKNOWN && size >= sizeof magic &&
        fread(magic, 1, sizeof magic, h.file) == sizeof magic &&
        !memcmp(magic, "CDF", 3) && (magic[3] == 1 || magic[3] == 2 || magic[3] == 5)) {
        h.left = size - sizeof magic;
        h.version = magic[3];
        read_header(&h);
    }
    (void)fclose(h.file); /* was only read */
    return h.bad ? zm_fail(err, ZM_E_FORMAT, -1,
                           "%s: its netCDF header announces more than the file has",
                           zm_shown_name(path))
                 : ZM_OK;
}
