/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every zone of a zoneinfo directory, with its clock, for the comparison.
 */
#pragma once

#include <stddef.h>

#include "oracle_next.h"

struct compare_zone {
    char name[ORACLE_ZONE_MAX];
    struct oracle_tz *tz;
    struct oracle_clock clock;
};

struct compare_zones {
    size_t count;
    size_t capacity;
    struct compare_zone *zone; /* sorted by name */
};

/* Reads all TZif files, including aliases, except posix/ (copies) and right/ (leap seconds). */
void compare_zones_load(struct compare_zones *ret, const char *directory);
void compare_zones_free(struct compare_zones *zones);

/* NULL if there is no zone of that name. */
struct compare_zone *compare_zones_find(const struct compare_zones *zones, const char *name);
