/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time zones by name, out of a directory of TZif files.
 *
 * The one part of io that knows a type of core: it reads the files that core/time/tz.h makes
 * zones of.  Each file is read once, when its name is first asked for.  All functions but
 * open and close may be called by any number of threads at once.  The environment is not
 * looked at, TZDIR and TZ included.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/time/tz.h"

enum {
    ZONEINFO_ZONES_MAX = 8192, /* tzdata has 600 names, and 2,881 offsets exist   */
    ZONEINFO_BYTES_MAX = 512 * 1024 * 1024, /* all zones together; one takes 10 to 50 KB    */
};

struct zoneinfo; /* opaque */

/*
 * `dir` NULL means the system's: the first of /usr/share/zoneinfo, /usr/lib/zoneinfo and
 * /etc/zoneinfo that exists; where none does, the offsets of tz_fixed() still work and
 * every name is refused with the reason.  Returns NULL when a `dir` given is no directory.
 */
MUST_USE struct zoneinfo *zoneinfo_open(const char *dir, struct err *reterr);

/* Zones that were found are gone with it.  Accepts NULL, returns NULL. */
struct zoneinfo *zoneinfo_close(struct zoneinfo *zones);

/*
 * The zone of a name ("Europe/Berlin", case matters) or of an offset ("UTC+05:30", see
 * tz_fixed()); it stays valid until close.  NULL on failure, then reterr->rc says why:
 * RC_NOT_FOUND (with the name that may have been meant), RC_INVALID (an offset out of
 * range; leap seconds; a name that means another zone elsewhere), RC_CORRUPT (the file
 * cannot be read or is broken) or RC_LIMIT.
 */
MUST_USE const struct tz *zoneinfo_find(struct zoneinfo *zones, struct str name,
                                        struct err *reterr);

/* "2025b", or "" when the directory does not say. */
const char *zoneinfo_version(const struct zoneinfo *zones);

/* The directory in use, "" when there is none. */
const char *zoneinfo_dir(const struct zoneinfo *zones);

/* Calls `fn` for each zone name that the directory has, in order of bytes. */
void zoneinfo_each(struct zoneinfo *zones, void (*fn)(const char *name, void *arg), void *arg);
