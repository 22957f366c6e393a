/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which zones a directory of TZif files has, and which of them a person may have meant.
 *
 * For io/zoneinfo.c alone.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

enum {
    ZONE_NAMES_MAX = 4096, /* tzdata has 600; what is beyond is not listed */
};

struct zone_names {
    int count;
    const char *names[ZONE_NAMES_MAX]; /* in order of bytes */
};

/* Bytes of arena that a list can take. */
#define ZONE_NAMES_BYTES_MAX ((size_t)1024 * 1024)

/* Walks the directory; what cannot be read, or is no zone, is left out. */
const struct zone_names *zone_names_read(int dir, struct arena *arena);

/*
 * Entries at the top that are not zones of their own: `posix` and `right` hold every zone
 * once more (the latter with leap seconds), `posixrules` and `localtime` are whatever this
 * machine made of them.
 */
bool zone_name_is_special(struct str name);

/* The nearest name, NULL when nothing is near. */
const char *zone_names_guess(const struct zone_names *list, struct str wrong);
