/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and caches time zones.
 */
#include "io/zoneinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/must.h"
#include "io/file.h"
#include "io/zone_names.h"

enum {
    SLOTS = 2 * ZONEINFO_ZONES_MAX, /* half empty, so that a search is short */
    VERSION_MAX = 32,               /* bytes of "2025b" and the zero */
};

static const char *const system_dirs[] = {
    "/usr/share/zoneinfo",
    "/usr/lib/zoneinfo",
    "/etc/zoneinfo",
};

/*
 * Zones are found without a lock: a slot is written once, after the zone that it points to.
 * The members after the lock are accessed only by its holder, except `names`, which never
 * changes once it is set.
 */
struct zoneinfo {
    _Atomic(const struct tz *) slot[SLOTS];
    int fd; /* the directory, -1: none */
    const char *dir;
    char version[VERSION_MAX];

    pthread_mutex_t lock;
    struct arena *arena; /* holds everything here, including this struct */
    int zone_count;
    size_t zone_bytes;
    const struct zone_names *names; /* NULL: not read yet */
    struct tz *scratch;             /* TZ_BYTES_MAX */
    uint8_t *bytes;                 /* TZ_FILE_MAX plus one, to detect a larger file */
    struct tz_now *list;            /* NULL: not read yet; see zoneinfo_now()        */
    int list_count;
    int64_t list_from, list_until; /* seconds at which the list is right */
};

/* Everything in the arena except zones. */
#define OWN_BYTES_MAX                                                              \
    (sizeof(struct zoneinfo) + TZ_BYTES_MAX + TZ_FILE_MAX + ZONE_NAMES_BYTES_MAX + \
     ZONE_NAMES_MAX * sizeof(struct tz_now) + 65536)

static void lock(struct zoneinfo *zones)
{
    must(pthread_mutex_lock(&zones->lock) == 0);
}

static void unlock(struct zoneinfo *zones)
{
    must(pthread_mutex_unlock(&zones->lock) == 0);
}

static int open_dir(const char *dir)
{
    return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_system_dir(const char **ret_dir)
{
    for (size_t i = 0; i < sizeof system_dirs / sizeof system_dirs[0]; i++) {
        int fd = open_dir(system_dirs[i]);

        if (fd >= 0) {
            *ret_dir = system_dirs[i];
            return fd;
        }
    }
    *ret_dir = "";
    return -1;
}

/* The word after `prefix` at the start of a file; false if the file does not begin with it. */
static bool read_version(struct zoneinfo *zones, const char *file, struct str prefix)
{
    char text[64];
    ssize_t n = file_read_at(zones->fd, file, text, sizeof text);
    struct str line = {text, n < 0 ? 0 : (size_t)n}, rest;

    if (!str_starts(line, prefix) || !str_cut(line, '\n', &line, &rest))
        return false;
    line = str_trim(str_from(line, prefix.len));
    if (line.len >= VERSION_MAX || !tz_name_is_safe(line))
        return false;
    memcpy(zones->version, line.ptr, line.len);
    return true;
}

struct zoneinfo *zoneinfo_open(const char *dir, struct err *reterr)
{
    const char *found = dir;
    int fd = dir ? open_dir(dir) : open_system_dir(&found);
    struct arena *arena;
    struct zoneinfo *zones;

    if (dir && fd < 0) {
        (void)err_set(reterr, RC_NOT_FOUND, -1, 0,
                      "time zone directory `%s`: %s; give one that holds TZif files, such "
                      "as %s",
                      dir, strerrordesc_np(errno), system_dirs[0]);
        return NULL;
    }
    arena = arena_new(ZONEINFO_BYTES_MAX + OWN_BYTES_MAX);
    zones = arena_take(arena, sizeof *zones);
    zones->fd = fd;
    zones->dir = arena_str(arena, str_of(found)).ptr;
    must(pthread_mutex_init(&zones->lock, NULL) == 0);
    zones->arena = arena;
    zones->scratch = arena_take(arena, TZ_BYTES_MAX);
    zones->bytes = arena_take(arena, TZ_FILE_MAX + 1);
    if (!read_version(zones, "tzdata.zi", STR("# version ")))
        (void)read_version(zones, "+VERSION", STR(""));
    return zones;
}

struct zoneinfo *zoneinfo_close(struct zoneinfo *zones)
{
    if (zones) {
        if (zones->fd >= 0)
            close(zones->fd);
        must(pthread_mutex_destroy(&zones->lock) == 0);
        arena_free(zones->arena);
    }
    return NULL;
}

static size_t first_slot(struct str name)
{
    uint64_t hash = hash_bytes(name.ptr, name.len, 0);

    return (size_t)(hash ^ hash >> 32) % SLOTS;
}

/* The slot of a name, or the empty slot where it belongs; *ret is its content. */
static size_t find_slot(const struct zoneinfo *zones, struct str name, const struct tz **ret)
{
    size_t i = first_slot(name);

    for (;;) {
        *ret = atomic_load_explicit(&zones->slot[i], memory_order_acquire);
        if (!*ret || str_eq(str_of((*ret)->name), name))
            return i;
        i = (i + 1) % SLOTS;
    }
}

/* Stores a copy of the scratch zone, unless its name is already stored. */
static const struct tz *store_scratch(struct zoneinfo *zones, struct err *reterr)
{
    const struct tz *found;
    size_t slot = find_slot(zones, str_of(zones->scratch->name), &found);
    size_t size = tz_size(zones->scratch);
    struct tz *copy;

    if (found)
        return found;
    if (zones->zone_count == ZONEINFO_ZONES_MAX ||
        size > ZONEINFO_BYTES_MAX - zones->zone_bytes) {
        (void)err_set(reterr, RC_LIMIT, -1, 0, "too many different time zones; %d are in use",
                      zones->zone_count);
        return NULL;
    }
    copy = arena_take(zones->arena, size);
    memcpy(copy, zones->scratch, size);
    zones->zone_count++;
    zones->zone_bytes += size;
    atomic_store_explicit(&zones->slot[slot], copy, memory_order_release);
    return copy;
}

static const struct zone_names *all_names(struct zoneinfo *zones)
{
    const struct zone_names *names;

    lock(zones);
    if (!zones->names)
        zones->names = zone_names_read(zones->fd, zones->arena);
    names = zones->names;
    unlock(zones);
    return names;
}

static bool is_printable(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] < ' ' || s.ptr[i] > '~')
            return false;
    return true;
}

/* The length of a name for an error position: a name may have any length. */
static int error_length(struct str name)
{
    return name.len > ZONE_NAME_MAX ? ZONE_NAME_MAX : (int)name.len;
}

/* Reports what is wrong with a name that has no file. */
static void set_unknown(struct zoneinfo *zones, struct str name, struct err *reterr)
{
    const char *guess, *hint = "; use a name such as Europe/Berlin";
    const struct zone_names *names;
    int len = error_length(name);

    if (zones->fd < 0) {
        (void)err_set(reterr, RC_NOT_FOUND, 0, len,
                      "no time zones found: %s, %s and %s do not exist; install tzdata, give a "
                      "directory of TZif files, or use an offset such as UTC+05:30",
                      system_dirs[0], system_dirs[1], system_dirs[2]);
        return;
    }
    if (name.len == 0 || name.len > ZONE_NAME_MAX || !is_printable(name)) {
        (void)err_set(reterr, RC_NOT_FOUND, 0, len,
                      "a time zone name has 1 to %d letters, digits and _ - + . /%s",
                      ZONE_NAME_MAX, hint);
        return;
    }
    names = all_names(zones);
    guess = zone_names_guess(names, name);
    if (guess)
        (void)err_set(reterr, RC_NOT_FOUND, 0, len,
                      "time zone `%.*s` is not known; did you mean %s?", STR_ARG(name), guess);
    else if (names->count == 0)
        (void)err_set(reterr, RC_NOT_FOUND, 0, len,
                      "time zone `%.*s` is not known: %s contains no time zones", STR_ARG(name),
                      zones->dir);
    else
        (void)err_set(reterr, RC_NOT_FOUND, 0, len, "time zone `%.*s` is not known%s",
                      STR_ARG(name), hint);
}

/* The directory also has files that are not zones. */
static bool starts_as_zone(const uint8_t *bytes, ssize_t len)
{
    static const char magic[] = {'T', 'Z', 'i', 'f'};

    return len >= (ssize_t)sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Reads the file of a name into zones->bytes. */
static enum rc read_bytes(struct zoneinfo *zones, struct str name, size_t *ret_len,
                          struct err *reterr)
{
    char path[ZONE_NAME_MAX + 1] = "";
    ssize_t len;

    memcpy(path, name.ptr, name.len);
    len = file_read_at(zones->fd, path, zones->bytes, TZ_FILE_MAX + 1);
    if (len > 0 && !starts_as_zone(zones->bytes, len))
        return RC_NOT_FOUND; /* such as zone.tab */
    if (len > TZ_FILE_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the file of time zone `%s` has more than %d bytes", path, TZ_FILE_MAX);
    *ret_len = len < 0 ? 0 : (size_t)len;
    if (len >= 0)
        return RC_OK;
    if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR)
        return RC_NOT_FOUND;
    return err_set(reterr, RC_CORRUPT, -1, 0, "the file of time zone `%s` cannot be read: %s",
                   path, strerrordesc_np(errno));
}

/* Reads the file of a name into the scratch zone. */
static enum rc load_file(struct zoneinfo *zones, struct str name, struct err *reterr)
{
    size_t len;
    enum rc rc = read_bytes(zones, name, &len, reterr);

    if (rc != RC_OK)
        return rc;
    return tz_parse(name, zones->bytes, len, zones->scratch, TZ_BYTES_MAX, reterr);
}

/* Loads a zone that is not stored under exactly this text. */
static const struct tz *load_zone(struct zoneinfo *zones, struct str name, struct err *reterr)
{
    const struct tz *ret = NULL;
    struct err why;
    enum rc rc;

    lock(zones);
    rc = tz_fixed(name, zones->scratch, TZ_BYTES_MAX, &why);
    if (rc == RC_INVALID)
        *reterr = why;
    if (rc == RC_NOT_FOUND && zones->fd >= 0 && tz_name_is_safe(name))
        rc = load_file(zones, name, reterr);
    if (rc == RC_OK)
        ret = store_scratch(zones, reterr);
    unlock(zones);
    if (rc == RC_NOT_FOUND)
        set_unknown(zones, name, reterr);
    return ret;
}

const struct tz *zoneinfo_find(struct zoneinfo *zones, struct str name, struct err *reterr)
{
    const struct tz *found;

    (void)find_slot(zones, name, &found);
    if (found)
        return found;
    if (str_starts(name, STR("right/"))) {
        (void)err_set(reterr, RC_INVALID, 0, error_length(name),
                      "time zones below `right/` count leap seconds, so their times are not "
                      "UTC; leave `right/` out");
        return NULL;
    }
    if (str_eq(name, STR("posixrules")) || str_eq(name, STR("localtime"))) {
        (void)err_set(reterr, RC_INVALID, 0, error_length(name),
                      "`%.*s` differs between machines; name the zone itself, such as "
                      "Europe/Berlin",
                      STR_ARG(name));
        return NULL;
    }
    return load_zone(zones, name, reterr);
}

const struct tz *zoneinfo_find_in(void *user, struct str name, struct err *reterr)
{
    struct zoneinfo **zones = user;

    return zoneinfo_find(*zones, name, reterr);
}

const char *zoneinfo_version(const struct zoneinfo *zones)
{
    return zones->version;
}

const char *zoneinfo_dir(const struct zoneinfo *zones)
{
    return zones->dir;
}

void zoneinfo_each(struct zoneinfo *zones, void (*fn)(const char *name, void *arg), void *arg)
{
    const struct zone_names *names = all_names(zones);

    for (int i = 0; i < names->count; i++)
        fn(names->names[i], arg);
}

/* ---- all zones ---- */

static enum rc read_now(struct zoneinfo *zones, struct str name, int64_t s, struct tz_now *ret,
                        struct err *reterr)
{
    int32_t before, after;
    size_t len;
    enum rc rc = read_bytes(zones, name, &len, reterr);

    ret->name = name;
    ret->next = TZ_TIME_MAX;
    if (rc == RC_OK)
        rc = tz_type_at(name, zones->bytes, len, s, &ret->type, reterr);
    if (rc == RC_OK)
        rc = tz_parse(name, zones->bytes, len, zones->scratch, TZ_BYTES_MAX, reterr);
    if (rc == RC_OK && !tz_next_change(zones->scratch, s, &ret->next, &before, &after))
        ret->next = TZ_TIME_MAX;
    return rc;
}

/* The holder of the lock reads all files again. */
static void read_list(struct zoneinfo *zones, const struct zone_names *names, int64_t s)
{
    if (!zones->list)
        zones->list = arena_array(zones->arena, (size_t)names->count, sizeof *zones->list);
    zones->list_count = 0;
    zones->list_from = s;
    zones->list_until = TZ_TIME_MAX;
    for (int i = 0; i < names->count; i++) {
        struct tz_now *zone = &zones->list[zones->list_count];
        struct err err;

        if (read_now(zones, str_of(names->names[i]), s, zone, &err) != RC_OK)
            continue;
        if (zone->next < zones->list_until)
            zones->list_until = zone->next;
        zones->list_count++;
    }
}

const struct tz_now *zoneinfo_now(struct zoneinfo *zones, instant now, struct arena *arena,
                                  int *ret_count)
{
    const struct zone_names *names = all_names(zones);
    int64_t s = instant_seconds(now);
    struct tz_now *copy;

    lock(zones);
    if (!zones->list || s < zones->list_from || s >= zones->list_until)
        read_list(zones, names, s);
    copy = arena_array(arena, (size_t)zones->list_count, sizeof *copy);
    if (zones->list_count > 0)
        memcpy(copy, zones->list, (size_t)zones->list_count * sizeof *copy);
    *ret_count = zones->list_count;
    unlock(zones);
    return copy;
}
