/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones for the tests of core, which may not use io: read once from the zoneinfo of the system.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "core/spec/spec.h"
#include "core/time/tz.h"

enum { TEST_ZONES_MAX = 700 };

static inline const struct tz *zone_load(struct str name)
{
    struct tz *tz = malloc(TZ_BYTES_MAX);
    static uint8_t bytes[TZ_FILE_MAX];
    char path[300];
    struct err err;
    size_t len;
    FILE *file;

    if (tz_fixed(name, tz, TZ_BYTES_MAX, &err) == RC_OK)
        return tz;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%.*s", (int)name.len, name.ptr);
    file = fopen(path, "rb");
    if (!file) {
        free(tz);
        return NULL;
    }
    len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (tz_parse(name, bytes, len, tz, TZ_BYTES_MAX, &err) != RC_OK) {
        free(tz);
        return NULL;
    }
    return tz;
}

/* For struct zone_source; zones stay loaded until the program ends. */
static inline const struct tz *zone_find(void *arg, struct str name, struct err *reterr)
{
    static const struct tz *loaded[TEST_ZONES_MAX];
    static int count;

    (void)arg;
    for (int i = 0; i < count; i++)
        if (str_eq(str_of(loaded[i]->name), name))
            return loaded[i];
    if (count < TEST_ZONES_MAX)
        loaded[count] = zone_load(name);
    if (count >= TEST_ZONES_MAX || !loaded[count]) {
        err_set(reterr, RC_NOT_FOUND, -1, 0, "time zone \"%.*s\" is not known", STR_ARG(name));
        return NULL;
    }
    return loaded[count++];
}
