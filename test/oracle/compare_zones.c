/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every zone of a zoneinfo directory.  See compare_zones.h.
 */
#include "compare_zones.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_civil.h"

enum { PATH_LENGTH = 512 };

static void add_zone(struct compare_zones *zones, const char *name, struct oracle_tz *tz)
{
    if (zones->count == zones->capacity) {
        zones->capacity = zones->capacity * 2 + 64;
        zones->zone = realloc(zones->zone, zones->capacity * sizeof *zones->zone);
        oracle_need(zones->zone != NULL);
    }
    struct compare_zone *zone = &zones->zone[zones->count++];
    size_t length = strlen(name);
    oracle_need(length < sizeof zone->name);
    memset(zone, 0, sizeof *zone);
    memcpy(zone->name, name, length);
    zone->tz = tz;
    zone->clock.tz = tz;
}

/* localtime and posixrules are settings of this machine, not names of zones. */
static bool is_skipped(const char *name)
{
    static const char *const skipped[] = {"posix", "right", "localtime", "posixrules"};

    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++) {
        if (strcmp(name, skipped[i]) == 0)
            return true;
    }
    return *name == '.';
}

/* Adds the files of directory/prefix; prefix is "" or ends with a slash. */
static void add_directory(struct compare_zones *zones, const char *directory,
                          const char *prefix)
{
    char path[PATH_LENGTH];
    char name[PATH_LENGTH];

    snprintf(path, sizeof path, "%s/%s", directory, prefix);
    DIR *stream = opendir(path);
    if (stream == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (is_skipped(entry->d_name))
            continue;
        snprintf(name, sizeof name, "%s%s", prefix, entry->d_name);
        int length = snprintf(path, sizeof path, "%s/%s", directory, name);
        oracle_need(length > 0 && (size_t)length < sizeof path);
        struct oracle_tz *tz = oracle_tz_load(path);
        if (tz != NULL) {
            add_zone(zones, name, tz);
        } else {
            length = snprintf(path, sizeof path, "%s/", name);
            oracle_need(length > 0 && (size_t)length < sizeof path);
            add_directory(zones, directory, path);
        }
    }
    closedir(stream);
}

static int by_name(const void *one, const void *other)
{
    const struct compare_zone *a = one;
    const struct compare_zone *b = other;

    return strcmp(a->name, b->name);
}

void compare_zones_load(struct compare_zones *ret, const char *directory)
{
    memset(ret, 0, sizeof *ret);
    add_directory(ret, directory, "");
    if (ret->count > 0)
        qsort(ret->zone, ret->count, sizeof *ret->zone, by_name);
}

void compare_zones_free(struct compare_zones *zones)
{
    for (size_t i = 0; i < zones->count; i++) {
        oracle_clock_free(&zones->zone[i].clock);
        oracle_tz_free(zones->zone[i].tz);
    }
    free(zones->zone);
}

struct compare_zone *compare_zones_find(const struct compare_zones *zones, const char *name)
{
    for (size_t i = 0; i < zones->count; i++) {
        if (strcmp(zones->zone[i].name, name) == 0)
            return &zones->zone[i];
    }
    return NULL;
}
