/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time zones by name, from a directory of TZif files.
 *
 * The only part of io that uses a type of core: it reads the files that core/time/tz.h turns
 * into zones.  Each file is read once, at the first request for its name.  All functions except
 * open and close are thread-safe.  The environment, including TZDIR and TZ, is ignored.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/time/tz.h"
#include "core/time/tz_type.h"

enum {
    ZONEINFO_ZONES_MAX = 8192,              /* tzdata has 600 names, and 2,881 offsets exist */
    ZONEINFO_BYTES_MAX = 512 * 1024 * 1024, /* all zones together; one takes 10 to 50 KB */
};

struct zoneinfo; /* opaque */

/*
 * `dir` NULL means the system's: the first of /usr/share/zoneinfo, /usr/lib/zoneinfo and
 * /etc/zoneinfo that exists; if none does, the offsets of tz_fixed() still work and every name
 * is rejected with the reason.  Returns NULL if a given `dir` is not a directory.
 */
MUST_USE struct zoneinfo *zoneinfo_open(const char *dir, struct err *reterr);

/* Also frees all zones that were found.  Accepts NULL, returns NULL. */
struct zoneinfo *zoneinfo_close(struct zoneinfo *zones);

/*
 * The zone of a name ("Europe/Berlin", case-sensitive) or of an offset ("UTC+05:30", see
 * tz_fixed()); it is valid until close.  NULL on failure, with the reason in reterr->rc:
 * RC_NOT_FOUND (with a suggestion), RC_INVALID (an offset out of range; leap seconds; a name
 * that differs between machines), RC_CORRUPT (the file cannot be read or is damaged) or
 * RC_LIMIT.
 */
MUST_USE const struct tz *zoneinfo_find(struct zoneinfo *zones, struct str name,
                                        struct err *reterr);

/* The same in *user, a struct zoneinfo * that may be replaced later; for struct zone_source. */
MUST_USE const struct tz *zoneinfo_find_in(void *user, struct str name, struct err *reterr);

/* "2025b", or "" if the directory does not say. */
const char *zoneinfo_version(const struct zoneinfo *zones);

/* The directory in use, "" if there is none. */
const char *zoneinfo_dir(const struct zoneinfo *zones);

/*
 * All zones of the directory at `now`, in byte order; damaged ones are left out.  The names are
 * valid until close; the list is in `arena`.  Reading the files takes some tens of
 * milliseconds; the result is kept until the next clock change of any zone.
 */
const struct tz_now *zoneinfo_now(struct zoneinfo *zones, instant now, struct arena *arena,
                                  int *ret_count);

/* Calls `fn` for each zone name in the directory, in byte order. */
void zoneinfo_each(struct zoneinfo *zones, void (*fn)(const char *name, void *arg), void *arg);
