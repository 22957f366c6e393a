/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zone reader of the oracle.  See oracle_tz.h.
 */
#include "oracle_tz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_civil.h"

enum {
    FILE_MAX = 1 << 20, /* the largest file of tzdata has a few kilobytes */
    HEADER_LENGTH = 44,
    OFFSET_HOURS_MAX = 24, /* POSIX; RFC 9636 keeps this limit for the offsets of the footer */
    RULE_HOURS_MAX = 167,  /* RFC 9636 section 3.3.1                                         */
};

/* When a half of the year begins: "M3.2.0/2", "J60", "59". */
struct rule {
    char form; /* 'M', 'J' or '0' for the zero-based day that counts February 29th */
    int month;
    int week;
    int weekday;
    int day;
    int32_t time; /* seconds after local midnight */
};

/* The TZ string that ends the file. */
struct footer {
    bool present;
    bool has_dst;
    int32_t standard;
    int32_t summer;
    struct rule begin;
    struct rule end;
};

struct oracle_tz {
    size_t count;
    int64_t *at;     /* transitions, ascending                            */
    int32_t *offset; /* offset[i] is in force from at[i] on               */
    int32_t before;  /* time type 0: in force before the first transition */
    struct footer footer;
};

/* The unread bytes; a read past the end clears `ok` and returns zeros. */
struct bytes {
    const unsigned char *at;
    size_t left;
    bool ok;
};

struct header {
    int version;
    size_t isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt;
};

static const unsigned char *read_bytes(struct bytes *in, size_t count)
{
    if (!in->ok || in->left < count) {
        in->ok = false;
        return NULL;
    }
    in->at += count;
    in->left -= count;
    return in->at - count;
}

static int64_t take_int(struct bytes *in, size_t width)
{
    const unsigned char *digits = read_bytes(in, width);
    if (digits == NULL)
        return 0;

    uint64_t value = digits[0] >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | digits[i];
    return (int64_t)value;
}

static size_t take_count(struct bytes *in)
{
    int64_t value = take_int(in, 4);

    if (value < 0 || value > FILE_MAX) {
        in->ok = false;
        return 0;
    }
    return (size_t)value;
}

static struct header take_header(struct bytes *in)
{
    struct header header = {0};
    const unsigned char *start = read_bytes(in, HEADER_LENGTH - 6 * 4);

    if (start == NULL || memcmp(start, "TZif", 4) != 0) {
        in->ok = false;
        return header;
    }
    header.version = start[4] == 0 ? 1 : start[4] - '0';
    header.isutcnt = take_count(in);
    header.isstdcnt = take_count(in);
    header.leapcnt = take_count(in);
    header.timecnt = take_count(in);
    header.typecnt = take_count(in);
    header.charcnt = take_count(in);
    if (header.version < 1 || header.version > 4 || header.typecnt == 0)
        in->ok = false;
    return header;
}

static size_t block_length(const struct header *header, size_t time_width)
{
    return header->timecnt * (time_width + 1) + header->typecnt * 6 + header->charcnt +
           header->leapcnt * (time_width + 4) + header->isstdcnt + header->isutcnt;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    oracle_need(memory != NULL);
    return memory;
}

/* Reads the data block that follows a header into tz. */
static bool take_block(struct bytes *in, const struct header *header, size_t time_width,
                       struct oracle_tz *tz)
{
    if (header->leapcnt > 0 || in->left < block_length(header, time_width))
        return false;

    tz->count = header->timecnt;
    tz->at = allocate(tz->count, sizeof *tz->at);
    tz->offset = allocate(tz->count, sizeof *tz->offset);
    for (size_t i = 0; i < tz->count; i++) {
        tz->at[i] = take_int(in, time_width);
        if (i > 0 && tz->at[i] <= tz->at[i - 1])
            return false;
    }
    const unsigned char *type_of = read_bytes(in, tz->count);
    const unsigned char *types = read_bytes(in, header->typecnt * 6);
    for (size_t i = 0; i <= tz->count; i++) {
        size_t type = i < tz->count ? type_of[i] : 0;
        if (type >= header->typecnt)
            return false;
        struct bytes one = {types + type * 6, 4, true};
        int32_t offset = (int32_t)take_int(&one, 4);
        if (i < tz->count)
            tz->offset[i] = offset;
        else
            tz->before = offset;
    }
    read_bytes(in, header->charcnt + header->isstdcnt + header->isutcnt);
    return in->ok;
}

/* The footer is read from a terminated copy; every reader advances *text. */

static bool read_name(const char **text)
{
    const char *start = *text;

    if (*start == '<') {
        const char *close = strchr(start, '>');
        if (close == NULL)
            return false;
        *text = close + 1;
        return true;
    }
    while ((**text >= 'A' && **text <= 'Z') || (**text >= 'a' && **text <= 'z'))
        ++*text;
    return *text - start >= 3;
}

static bool read_number(const char **text, int max, int *ret)
{
    int value = 0;

    if (**text < '0' || **text > '9')
        return false;
    while (**text >= '0' && **text <= '9' && value <= max)
        value = value * 10 + *(*text)++ - '0';
    *ret = value;
    return value <= max;
}

/* [+-]h[:mm[:ss]] in seconds, with the sign as written. */
static bool read_time(const char **text, int hours_max, int32_t *ret)
{
    int sign = 1;
    int part[3] = {0, 0, 0};

    if (**text == '+' || **text == '-')
        sign = *(*text)++ == '-' ? -1 : 1;
    if (!read_number(text, hours_max, &part[0]))
        return false;
    for (int i = 1; i < 3 && **text == ':'; i++) {
        ++*text;
        if (!read_number(text, 59, &part[i]))
            return false;
    }
    *ret = sign * (part[0] * 3600 + part[1] * 60 + part[2]);
    return true;
}

static bool read_char(const char **text, char wanted)
{
    if (**text != wanted)
        return false;
    ++*text;
    return true;
}

static bool read_rule(const char **text, struct rule *ret)
{
    struct rule rule = {.form = '0', .time = 2 * 3600};

    if (read_char(text, 'M')) {
        rule.form = 'M';
        if (!read_number(text, 12, &rule.month) || !read_char(text, '.') ||
            !read_number(text, 5, &rule.week) || !read_char(text, '.') ||
            !read_number(text, 6, &rule.weekday) || rule.month < 1 || rule.week < 1)
            return false;
    } else {
        if (read_char(text, 'J'))
            rule.form = 'J';
        if (!read_number(text, 365, &rule.day) || (rule.form == 'J' && rule.day < 1))
            return false;
    }
    if (read_char(text, '/') && !read_time(text, RULE_HOURS_MAX, &rule.time))
        return false;
    *ret = rule;
    return true;
}

/* POSIX counts offsets west of Greenwich, this program east. */
static bool read_offset(const char **text, int32_t *ret)
{
    int32_t west;

    if (!read_time(text, OFFSET_HOURS_MAX, &west))
        return false;
    *ret = -west;
    return true;
}

static bool read_footer(const char *text, struct footer *ret)
{
    struct footer footer = {.present = true};

    if (!read_name(&text) || !read_offset(&text, &footer.standard))
        return false;
    if (*text != '\0') {
        footer.has_dst = true;
        footer.summer = footer.standard + 3600;
        if (!read_name(&text) || (*text != ',' && !read_offset(&text, &footer.summer)))
            return false;
        if (!read_char(&text, ',') || !read_rule(&text, &footer.begin) ||
            !read_char(&text, ',') || !read_rule(&text, &footer.end))
            return false;
    }
    *ret = footer;
    return *text == '\0';
}

/* "\n" TZ string "\n"; an empty string means no rule after the last transition. */
static bool take_footer(struct bytes *in, struct footer *ret)
{
    char text[256];
    const unsigned char *first = read_bytes(in, 1);

    if (first == NULL || *first != '\n')
        return false;
    const unsigned char *close = memchr(in->at, '\n', in->left);
    size_t length = close == NULL ? sizeof text : (size_t)(close - in->at);
    if (length >= sizeof text)
        return false;
    memcpy(text, in->at, length);
    text[length] = '\0';
    return length == 0 || read_footer(text, ret);
}

static bool decode(struct bytes *in, struct oracle_tz *tz)
{
    struct header header = take_header(in);

    if (!in->ok)
        return false;
    if (header.version == 1)
        return take_block(in, &header, 4, tz);
    read_bytes(in, block_length(&header, 4));
    header = take_header(in);
    return in->ok && take_block(in, &header, 8, tz) && take_footer(in, &tz->footer);
}

static size_t read_file(const char *path, unsigned char *buffer, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;

    size_t length = fread(buffer, 1, capacity, file);
    fclose(file);
    return length;
}

struct oracle_tz *oracle_tz_load(const char *path)
{
    unsigned char *buffer = allocate(FILE_MAX, 1);
    struct bytes in = {buffer, read_file(path, buffer, FILE_MAX), true};
    struct oracle_tz *tz = allocate(1, sizeof *tz);
    bool ok = decode(&in, tz);

    free(buffer);
    if (ok)
        return tz;
    oracle_tz_free(tz);
    return NULL;
}

struct oracle_tz *oracle_tz_fixed(int32_t offset)
{
    struct oracle_tz *tz = allocate(1, sizeof *tz);

    tz->before = offset;
    return tz;
}

void oracle_tz_free(struct oracle_tz *tz)
{
    if (tz == NULL)
        return;
    free(tz->at);
    free(tz->offset);
    free(tz);
}

static int64_t rule_day(const struct rule *rule, int year)
{
    if (rule->form == '0')
        return oracle_day_number(year, 1, 1) + rule->day;
    if (rule->form == 'J')
        /* J60 is always March 1st: February 29th is never counted. */
        return oracle_day_number(year, 1, 1) + rule->day - 1 +
               (oracle_is_leap(year) && rule->day >= 60);

    int first_weekday = oracle_weekday(oracle_day_number(year, rule->month, 1));
    int day = 1 + (rule->weekday - first_weekday + 7) % 7 + (rule->week - 1) * 7;
    while (day > oracle_month_length(year, rule->month))
        day -= 7;
    return oracle_day_number(year, rule->month, day);
}

/* The local time of a rule is that of the clock before the change. */
static int64_t rule_instant(const struct rule *rule, int year, int32_t offset_before)
{
    return rule_day(rule, year) * ORACLE_DAY_SECONDS + rule->time - offset_before;
}

static int year_of(int64_t instant)
{
    return oracle_date_of(oracle_floor_div(instant, ORACLE_DAY_SECONDS)).year;
}

/*
 * The latest change at or before the instant decides.  A rule can be a week away from its
 * year, so the years before and after are included.  If the end of one summer time coincides
 * with the start of the next (summer time all year), the later year wins.
 */
static int32_t footer_offset(const struct footer *footer, int64_t instant)
{
    if (!footer->has_dst)
        return footer->standard;

    int year = year_of(instant);
    int64_t latest = INT64_MIN;
    int32_t offset = footer->standard;
    for (int y = year - 2; y <= year + 1; y++) {
        int64_t begin = rule_instant(&footer->begin, y, footer->standard);
        int64_t end = rule_instant(&footer->end, y, footer->summer);
        if (begin <= instant && begin >= latest) {
            latest = begin;
            offset = footer->summer;
        }
        if (end <= instant && end >= latest) {
            latest = end;
            offset = footer->standard;
        }
    }
    return offset;
}

int32_t oracle_tz_offset(const struct oracle_tz *tz, int64_t instant)
{
    if (tz->footer.present && (tz->count == 0 || instant >= tz->at[tz->count - 1]))
        return footer_offset(&tz->footer, instant);
    for (size_t i = tz->count; i > 0; i--) {
        if (instant >= tz->at[i - 1])
            return tz->offset[i - 1];
    }
    return tz->before;
}

/* The earlier of two candidates that is a change: after `instant` and to another offset. */
static int64_t earlier_change(const struct oracle_tz *tz, int64_t instant, int64_t one,
                              int64_t other)
{
    int64_t sorted[2] = {one < other ? one : other, one < other ? other : one};

    for (int i = 0; i < 2; i++) {
        if (sorted[i] > instant &&
            oracle_tz_offset(tz, sorted[i]) != oracle_tz_offset(tz, instant))
            return sorted[i];
    }
    return ORACLE_NO_CHANGE;
}

int64_t oracle_tz_change(const struct oracle_tz *tz, int64_t instant)
{
    int32_t offset = oracle_tz_offset(tz, instant);

    for (size_t i = 0; i < tz->count; i++) {
        if (tz->at[i] > instant && oracle_tz_offset(tz, tz->at[i]) != offset)
            return tz->at[i];
    }
    if (!tz->footer.has_dst)
        return ORACLE_NO_CHANGE;

    int64_t last = tz->count > 0 ? tz->at[tz->count - 1] : INT64_MIN;
    int year = year_of(instant > last ? instant : last);
    for (int y = year - 1; y <= year + 2 && y <= ORACLE_YEAR_MAX; y++) {
        int64_t begin = rule_instant(&tz->footer.begin, y, tz->footer.standard);
        int64_t end = rule_instant(&tz->footer.end, y, tz->footer.summer);
        int64_t change = earlier_change(tz, instant > last ? instant : last, begin, end);
        if (change != ORACLE_NO_CHANGE)
            return change;
    }
    return ORACLE_NO_CHANGE;
}
