/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zones of a directory of TZif files, and suggestions for misspelled names.  For
 * io/zoneinfo.c only.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

enum {
    ZONE_NAMES_MAX = 4096, /* tzdata has 600; more are not listed */
};

struct zone_names {
    int count;
    const char *names[ZONE_NAMES_MAX]; /* in byte order */
};

/* Maximum arena bytes of a list. */
#define ZONE_NAMES_BYTES_MAX ((size_t)1024 * 1024)

/* Walks the directory; omits what cannot be read or is not a zone. */
const struct zone_names *zone_names_read(int dir, struct arena *arena);

/*
 * Top-level entries that are not zones: `posix` and `right` hold every zone again (the latter
 * with leap seconds), `posixrules` and `localtime` differ between machines.
 */
bool zone_name_is_special(struct str name);

/* The nearest name, NULL if none is near. */
const char *zone_names_guess(const struct zone_names *list, struct str wrong);
