/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the time zones of the simulator.
 */
#include "sim/zones.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "core/time/tz.h"

enum {
    NAMES_MAX = 16, /* sim/drafts.c has six */
    PATH_BYTES = 128,
};

struct zones {
    struct tz *list[NAMES_MAX];
    struct str names[NAMES_MAX];
    int count;
};

struct zones *zones_new(void)
{
    struct zones *zones = calloc(1, sizeof *zones);

    must(zones);
    return zones;
}

struct zones *zones_free(struct zones *zones)
{
    for (int i = 0; zones && i < zones->count; i++) {
        free(zones->list[i]);
        free((char *)(uintptr_t)zones->names[i].ptr);
    }
    free(zones);
    return NULL;
}

/* Bytes read, 0 if the file does not exist. */
static size_t read_file(struct str name, uint8_t *bytes)
{
    char path[PATH_BYTES];
    FILE *file;
    size_t len;

    snprintf(path, sizeof path, "/usr/share/zoneinfo/%.*s", STR_ARG(name));
    file = fopen(path, "rb");
    if (!file)
        return 0;
    len = fread(bytes, 1, TZ_FILE_MAX, file);
    fclose(file);
    return len;
}

static enum rc load(struct str name, struct tz *ret, struct err *reterr)
{
    static uint8_t bytes[TZ_FILE_MAX];
    enum rc rc = tz_fixed(name, ret, TZ_BYTES_MAX, reterr);
    size_t len;

    if (rc != RC_NOT_FOUND)
        return rc;
    len = read_file(name, bytes);
    if (len == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "this machine has no zone `%.*s`",
                       STR_ARG(name));
    return tz_parse(name, bytes, len, ret, TZ_BYTES_MAX, reterr);
}

static const struct tz *find(void *user, struct str name, struct err *reterr)
{
    struct zones *zones = user;
    struct tz *tz;
    char *copy;

    for (int i = 0; i < zones->count; i++)
        if (str_eq(zones->names[i], name))
            return zones->list[i];
    must(zones->count < NAMES_MAX);
    tz = calloc(1, TZ_BYTES_MAX);
    copy = strndup(name.ptr, name.len);
    must(tz && copy);
    if (load(name, tz, reterr) != RC_OK) {
        free(tz);
        free(copy);
        return NULL;
    }
    zones->names[zones->count] = (struct str){copy, name.len};
    zones->list[zones->count++] = tz;
    return tz;
}

struct zone_source zones_source(struct zones *zones)
{
    return (struct zone_source){.find = find, .user = zones};
}
