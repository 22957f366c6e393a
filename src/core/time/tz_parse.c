/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads TZif bytes into a struct tz.
 *
 * Pure.  All checks of the file come before the first write to the result, so that a failure
 * leaves the result unchanged.
 */
#include "base/must.h"
#include "core/time/civil.h"
#include "core/time/tz.h"
#include "core/time/tz_build.h"
#include "core/time/tz_posix.h"
#include "core/time/tz_type.h"

enum {
    HEADER_SIZE = 44, /* magic, version, 15 bytes unused, six counts */
    COUNTS_AT = 20,
    TYPE_SIZE = 6,    /* offset, is_dst, index of the abbreviation                    */
    TYPES_MAX = 256,  /* a type is named by one byte                                  */
    YEARS_BEFORE = 3, /* years whose DST may reach into the first year of the rule    */
    YEARS_AFTER = 2,  /* years of segments after the cycle: a search may pass its end */

    /* Changes that a file may list, so that the segments of its rule fit too. */
    CHANGES_MAX = TZ_SEGMENTS_MAX - 2 * (YEARS_BEFORE + CYCLE_YEARS + YEARS_AFTER + 2),
};

/* The first and last second of the supported years; changes outside need no segment. */
#define CHANGE_MIN (DAY_MIN * DAY_SECONDS)
#define CHANGE_MAX ((DAY_MAX + 1) * DAY_SECONDS - 1)

/* One data block of a file.  The counts are as in the file, not yet checked. */
struct block {
    uint32_t isut_count, isstd_count, leap_count, time_count, type_count, char_count;
    uint32_t time_size; /* bytes of one time: 4 in the first block, 8 in the second */
    const uint8_t *times, *indices, *types;
};

struct file {
    struct str name;
    struct block block;
    struct tz_posix rule;
    bool has_rule;
};

static uint64_t read_big_endian(const uint8_t *p, uint32_t size)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < size; i++)
        value = value << 8 | p[i];
    return value;
}

static int64_t time_at(const struct block *block, uint32_t i)
{
    uint64_t raw = read_big_endian(block->times + (size_t)i * block->time_size,
                                   block->time_size);

    return block->time_size == 4 ? (int32_t)(uint32_t)raw : (int64_t)raw;
}

static int32_t offset_of_type(const struct block *block, uint32_t type)
{
    return (int32_t)(uint32_t)read_big_endian(block->types + (size_t)type * TYPE_SIZE, 4);
}

static int32_t offset_at(const struct block *block, uint32_t i)
{
    return offset_of_type(block, block->indices[i]);
}

static enum rc broken(struct str name, const char *what, struct err *reterr)
{
    return err_set(reterr, RC_CORRUPT, -1, 0,
                   "the file of time zone \"%.*s\" is broken: %s; reinstall tzdata",
                   STR_ARG(name), what);
}

/*
 * Reads a header and finds the parts of the block after it.  *ret_size is the size of both.
 * Returns false if there is no header or the bytes end before the block does.
 */
static bool read_block(const uint8_t *bytes, size_t len, uint32_t time_size, struct block *ret,
                       size_t *ret_size)
{
    uint32_t counts[6];
    uint64_t size;

    if (len < HEADER_SIZE || memcmp(bytes, "TZif", 4) != 0)
        return false;
    for (size_t i = 0; i < 6; i++)
        counts[i] = (uint32_t)read_big_endian(bytes + COUNTS_AT + 4 * i, 4);
    *ret = (struct block){counts[0], counts[1], counts[2], counts[3], counts[4],
                          counts[5], time_size, NULL,      NULL,      NULL};
    /* Six counts below 2^32 with small factors: 64 bits cannot overflow. */
    size = HEADER_SIZE + (uint64_t)ret->time_count * (time_size + 1) +
           (uint64_t)ret->type_count * TYPE_SIZE + ret->char_count +
           (uint64_t)ret->leap_count * (time_size + 4) + ret->isstd_count + ret->isut_count;
    if (size > len)
        return false;
    ret->times = bytes + HEADER_SIZE;
    ret->indices = ret->times + (size_t)ret->time_count * time_size;
    ret->types = ret->indices + ret->time_count;
    *ret_size = (size_t)size;
    return true;
}

static enum rc check_types(const struct file *file, struct err *reterr)
{
    const struct block *block = &file->block;

    if (block->type_count == 0 || block->type_count > TYPES_MAX || block->char_count == 0)
        return broken(file->name, "it has no local time types, or too many", reterr);
    if ((block->isut_count != 0 && block->isut_count != block->type_count) ||
        (block->isstd_count != 0 && block->isstd_count != block->type_count))
        return broken(file->name, "its counts contradict each other", reterr);
    for (uint32_t i = 0; i < block->type_count; i++) {
        int32_t offset = offset_of_type(block, i);

        if (offset < -TZ_OFFSET_MAX || offset > TZ_OFFSET_MAX)
            return broken(file->name, "an offset is larger than 26 hours", reterr);
        if (block->types[i * TYPE_SIZE + 5] >= block->char_count)
            return broken(file->name, "an abbreviation is missing", reterr);
    }
    return RC_OK;
}

static enum rc check_changes(const struct file *file, struct err *reterr)
{
    const struct block *block = &file->block;

    if (block->leap_count > 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the file of time zone \"%.*s\" counts leap seconds, so its times are "
                       "not UTC; use the zone without \"right/\"",
                       STR_ARG(file->name));
    if (block->time_count > CHANGES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the file of time zone \"%.*s\" lists %u clock changes; at most %d are "
                       "supported",
                       STR_ARG(file->name), block->time_count, CHANGES_MAX);
    for (uint32_t i = 0; i < block->time_count; i++) {
        if (i > 0 && time_at(block, i) <= time_at(block, i - 1))
            return broken(file->name, "its times do not ascend", reterr);
        if (block->indices[i] >= block->type_count)
            return broken(file->name, "a local time type is missing", reterr);
    }
    return RC_OK;
}

/* The footer: a rule between two line feeds, or nothing between them. */
static enum rc read_footer(struct file *file, struct str rest, struct err *reterr)
{
    struct str text;
    struct err inner;

    if (rest.len == 0 || rest.ptr[0] != '\n' || !str_cut(str_from(rest, 1), '\n', &text, &rest))
        return broken(file->name, "its last line is missing", reterr);
    file->has_rule = text.len > 0;
    if (file->has_rule && tz_posix_parse(text, &file->rule, &inner) != RC_OK)
        return broken(file->name, inner.text, reterr);
    return RC_OK;
}

static enum rc read_file(const uint8_t *bytes, size_t len, struct file *file,
                         struct err *reterr)
{
    uint8_t version;
    size_t size;
    enum rc rc;

    if (len < 4 || memcmp(bytes, "TZif", 4) != 0)
        return err_set(reterr, RC_CORRUPT, -1, 0,
                       "\"%.*s\" is not a time zone: its file is not of the TZif format",
                       STR_ARG(file->name));
    if (!read_block(bytes, len, 4, &file->block, &size))
        return broken(file->name, "it ends too early", reterr);
    version = bytes[4];
    if (version != 0 && (version < '2' || version > '4'))
        return broken(file->name, "its TZif version is not 1 to 4", reterr);
    if (version != 0) {
        /* The first block is for 32-bit readers, and often empty. */
        bytes += size;
        len -= size;
        if (!read_block(bytes, len, 8, &file->block, &size))
            return broken(file->name, "its 64-bit part is missing or ends too early", reterr);
        rc = read_footer(file, (struct str){(const char *)bytes + size, len - size}, reterr);
        if (rc != RC_OK)
            return rc;
    }
    rc = check_types(file, reterr);
    return rc == RC_OK ? check_changes(file, reterr) : rc;
}

/*
 * Adds the changes of the file and returns when the footer rule takes over: at the last
 * change, or at the beginning of time if there is none.  TZ_TIME_MAX: after the supported
 * years.
 */
static int64_t add_changes(struct tz *tz, const struct block *block)
{
    int64_t last = TZ_TIME_MIN;

    for (uint32_t i = 0; i < block->time_count; i++) {
        int64_t at = time_at(block, i);

        if (at > CHANGE_MAX)
            return TZ_TIME_MAX;
        last = at < CHANGE_MIN ? TZ_TIME_MIN : at;
        tz_add(tz, last, offset_at(block, i));
    }
    return last;
}

/* The DST that begins in `year`; *ret_end is not after *ret_start if there is none. */
static void dst_of_year(const struct tz_posix *rule, int year, int64_t *ret_start,
                        int64_t *ret_end)
{
    int64_t next_start;

    tz_posix_year(rule, year, ret_start, ret_end);
    if (*ret_end <= *ret_start) /* over the new year, as in the south */
        tz_posix_year(rule, year + 1, &next_start, ret_end);
}

/*
 * Adds the changes of the rule from `from` on: the rest of that year, then a whole cycle, then
 * at least YEARS_AFTER years, and more until the next change.
 */
static void add_rule(struct tz *tz, const struct tz_posix *rule, int64_t from)
{
    int first = from == TZ_TIME_MIN ? YEAR_MIN
                                    : date_of_day(floor_div(from, DAY_SECONDS)).year + 1;
    int64_t cycle_from = tz_year_start(first);
    int64_t cycle_until = cycle_from + TZ_CYCLE_SECONDS;
    int64_t start, end, dst_until = TZ_TIME_MIN;
    int year = first - YEARS_BEFORE;

    tz_add(tz, from, rule->std_offset);
    if (!rule->has_dst)
        return;
    for (; year <= first + CYCLE_YEARS + YEARS_AFTER ||
           (year <= first + 2 * CYCLE_YEARS && tz->seg[tz->count - 1].start < cycle_until);
         year++) {
        dst_of_year(rule, year, &start, &end);
        if (end <= start || end <= from)
            continue;
        if (start < from)
            start = from;
        if (start > dst_until) {
            if (dst_until != TZ_TIME_MIN)
                tz_add(tz, dst_until, rule->std_offset);
            tz_add(tz, start, rule->dst_offset);
        }
        if (end > dst_until)
            dst_until = end;
    }
    /* A rule without changes, such as DST all year, needs no cycle. */
    if (tz->seg[tz->count - 1].start >= cycle_until)
        tz->cycle_from = cycle_from;
}

enum rc tz_parse(struct str name, const uint8_t *bytes, size_t len, struct tz *ret, size_t room,
                 struct err *reterr)
{
    struct file file = {.name = name};
    int64_t rule_from;
    enum rc rc;

    must(room >= TZ_BYTES_MAX);
    if (name.len > ZONE_NAME_MAX)
        return err_set(reterr, RC_LIMIT, ZONE_NAME_MAX, (int)name.len - ZONE_NAME_MAX,
                       "the name of a time zone has at most %d bytes", ZONE_NAME_MAX);
    rc = read_file(bytes, len, &file, reterr);
    if (rc != RC_OK)
        return rc;
    must(file.block.types != NULL && file.block.type_count > 0);
    tz_begin(ret, name, offset_of_type(&file.block, 0));
    rule_from = add_changes(ret, &file.block);
    if (file.has_rule && rule_from != TZ_TIME_MAX)
        add_rule(ret, &file.rule, rule_from);
    tz_end(ret);
    return RC_OK;
}

/* ---- one second ---- */

static void set_type(struct tz_type *type, int32_t offset, bool is_dst, struct str abbreviation)
{
    struct str kept = str_head(abbreviation, TZ_ABBREVIATION_MAX);

    *type = (struct tz_type){.offset = offset, .is_dst = is_dst};
    memcpy(type->abbreviation, kept.ptr, kept.len);
}

static void read_type(const struct block *block, uint32_t number, struct tz_type *ret)
{
    const uint8_t *type = block->types + (size_t)number * TYPE_SIZE;
    const char *texts = (const char *)block->types + (size_t)block->type_count * TYPE_SIZE;
    struct str text = {texts + type[5], 0};

    while (text.len < block->char_count - type[5] && text.ptr[text.len] != '\0')
        text.len++;
    set_type(ret, offset_of_type(block, number), type[4] != 0, text);
}

static void apply_rule(const struct tz_posix *rule, int64_t s, struct tz_type *ret)
{
    int year = date_of_day(floor_div(s, DAY_SECONDS)).year;
    bool is_dst = false;

    for (int i = year - YEARS_BEFORE; rule->has_dst && i <= year + 1; i++) {
        int64_t start, end;

        dst_of_year(rule, i, &start, &end);
        is_dst |= s >= start && s < end;
    }
    if (is_dst)
        set_type(ret, rule->dst_offset, true, rule->dst_name);
    else
        set_type(ret, rule->std_offset, false, rule->std_name);
}

enum rc tz_type_at(struct str name, const uint8_t *bytes, size_t len, int64_t s,
                   struct tz_type *ret, struct err *reterr)
{
    struct file file = {.name = name};
    const struct block *block = &file.block;
    enum rc rc = read_file(bytes, len, &file, reterr);
    uint32_t i = 0;

    if (rc != RC_OK)
        return rc;
    while (i < block->time_count && time_at(block, i) <= s)
        i++;
    if (i == block->time_count && file.has_rule)
        apply_rule(&file.rule, s, ret);
    else
        read_type(block, i == 0 ? 0 : block->indices[i - 1], ret);
    return RC_OK;
}
