/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the local time zone; formats and reads times in it.
 */
#include "cli/frame/when.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/clock.h"

/* Local times that are instants of the years 1 to 9999 in every zone. */
#define LOCAL_LEAST (DAY_MIN * DAY_SECONDS + TZ_OFFSET_MAX)
#define LOCAL_MOST  (DAY_MAX * DAY_SECONDS - TZ_OFFSET_MAX)

enum { LINK_MAX_BYTES = 1024, DATE_LEN = sizeof "2026-11-16" - 1 };

/* "Europe/Berlin" of "/usr/share/zoneinfo/Europe/Berlin"; "" for a path elsewhere. */
static struct str zone_in_path(const char *path)
{
    const char *at = strstr(path, "zoneinfo/");

    return str_of(at ? at + strlen("zoneinfo/") : "");
}

/* In TZ "UTC-2" is two hours east of UTC; as a zone name it would be two hours west. */
static bool is_reversed(struct str name)
{
    if (str_starts(name, STR("UTC")) || str_starts(name, STR("GMT")))
        name = str_from(name, 3);
    return name.len > 0 && (name.ptr[0] == '+' || name.ptr[0] == '-') &&
           !str_eq(name, STR("+0")) && !str_eq(name, STR("-0"));
}

/* "" when the zone has no name: /etc/localtime is not a link, or TZ holds POSIX rules. */
static struct str local_name(char *link)
{
    const char *set = getenv("TZ");
    struct str name;
    ssize_t n;

    if (set && set[0] != '\0') {
        name = str_of(set[0] == ':' ? set + 1 : set);
        if (name.len > 0 && name.ptr[0] == '/')
            name = zone_in_path(name.ptr);
        return is_reversed(name) ? STR("") : name;
    }
    n = readlink("/etc/localtime", link, LINK_MAX_BYTES - 1);
    if (n < 0)
        return access("/etc/localtime", F_OK) == 0 ? STR("") : STR("UTC");
    link[n] = '\0';
    return zone_in_path(link);
}

void when_open(struct when *ret, bool is_utc, instant now)
{
    char link[LINK_MAX_BYTES];
    struct str name;
    struct err err;

    *ret = (struct when){.now = now, .is_known = is_utc};
    if (is_utc)
        return;
    name = local_name(link);
    ret->zones = zoneinfo_open(NULL, &err);
    if (ret->zones && name.len > 0)
        ret->tz = zoneinfo_find(ret->zones, name, &err);
    ret->is_known = ret->tz != NULL;
    if (ret->tz && (strcmp(ret->tz->name, "UTC") == 0 || strcmp(ret->tz->name, "Etc/UTC") == 0))
        ret->tz = NULL;
}

void when_close(struct when *when)
{
    when->zones = zoneinfo_close(when->zones);
}

void when_time(const struct when *when, instant t, struct buf *out)
{
    int64_t s = instant_seconds(t), ms = (t - instant_of_seconds(s)) / SPAN_MS;
    int32_t offset = when->tz ? tz_offset(when->tz, s) : 0;
    struct civil c = civil_of_local(s + offset);
    int32_t minutes = (offset < 0 ? -offset : offset) / 60;

    buf_printf(out, "%04d-%02d-%02d %02d:%02d:%02d", c.date.year, c.date.month, c.date.day,
               c.hour, c.minute, c.second);
    if (ms > 0)
        buf_printf(out, ".%03d", (int)ms);
    if (!when->tz)
        buf_char(out, 'Z');
    else
        buf_printf(out, " %c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

/* Rounds down to the two largest units: what is "in 5m" happens in 5 minutes or later. */
static void write_span(span d, struct buf *out)
{
    static const struct {
        span length;
        char unit;
    } units[] = {{SPAN_DAY, 'd'}, {SPAN_H, 'h'}, {SPAN_MIN, 'm'}, {SPAN_S, 's'}};
    int i = 0;

    while (i < 3 && d < units[i].length)
        i++;
    buf_printf(out, "%lld%c", (long long)(d / units[i].length), units[i].unit);
    d %= units[i].length;
    if (i < 3 && d >= units[i + 1].length)
        buf_printf(out, "%lld%c", (long long)(d / units[i + 1].length), units[i + 1].unit);
}

void when_distance(instant t, instant now, struct buf *out)
{
    if (t > now - SPAN_S && t < now + SPAN_S) {
        buf_text(out, "now");
    } else if (t > now) {
        buf_text(out, "in ");
        write_span(t - now, out);
    } else {
        write_span(now - t, out);
        buf_text(out, " ago");
    }
}

/* "2026-03-08", "2026-03-08T02:30", "2026-03-08 02:30:15", as if it were UTC. */
static bool read_local_text(struct str text, int64_t *ret)
{
    struct err ignored;
    int64_t day;
    int32_t tod = 0;

    if (text.len < DATE_LEN ||
        date_parse((struct str){text.ptr, DATE_LEN}, &day, &ignored) != RC_OK)
        return false;
    text = str_from(text, DATE_LEN);
    if (text.len > 0 && ((text.ptr[0] != 'T' && text.ptr[0] != ' ') ||
                         time_of_day_parse(str_from(text, 1), &tod, &ignored) != RC_OK))
        return false;
    *ret = day * DAY_SECONDS + tod;
    return true;
}

enum rc moment_parse(struct str text, struct moment *ret, struct err *reterr)
{
    struct moment moment = {.at = 0};
    enum rc rc = RC_OK;

    moment.is_local = read_local_text(text, &moment.local);
    if (moment.is_local && (moment.local < LOCAL_LEAST || moment.local > LOCAL_MOST))
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "too close to the end of the calendar; use an instant such as %s",
                       "9999-12-31T23:59:59Z");
    if (str_eq_nocase(text, STR("now")))
        moment.at = clock_now();
    else if (!moment.is_local)
        rc = instant_parse(text, &moment.at, reterr);
    if (rc == RC_OK)
        *ret = moment;
    return rc;
}

instant moment_instant(const struct moment *moment, const struct tz *tz)
{
    return moment->is_local ? instant_of_seconds(tz_utc_of_local(tz, moment->local))
                            : moment->at;
}

/*
 * "2026-11-16" and "2026-11-16 08:30" in the local zone; and the format of tables, "2026-11-16
 * 08:30:00 +01:00", with a space before the offset.
 */
static bool read_local(const char *text, const struct when *local, instant *ret)
{
    char plain[INSTANT_TEXT_MAX + 1] = "";
    struct buf out = BUF(plain);
    struct moment moment;
    struct err err;

    for (size_t i = 0; text[i] != '\0'; i++)
        if (i <= DATE_LEN || text[i] != ' ' || (text[i + 1] != '+' && text[i + 1] != '-'))
            buf_char(&out, i == DATE_LEN && text[i] == ' ' ? 'T' : text[i]);
    if (out.cut || moment_parse(buf_as_str(&out), &moment, &err) != RC_OK)
        return false;
    if (local->tz)
        *ret = moment_instant(&moment, local->tz);
    else
        *ret = moment.is_local ? instant_of_seconds(moment.local) : moment.at;
    return true;
}

enum rc when_read(const char *text, const struct when *local, instant now,
                  char ret[static INSTANT_TEXT_MAX], struct err *reterr)
{
    struct buf out = {.ptr = ret, .cap = INSTANT_TEXT_MAX};
    instant t = now;
    span away = 0;
    struct err err;
    bool is_time = true;

    if ((text[0] == '-' || text[0] == '+') &&
        duration_parse(str_of(text + 1), &away, &err) == RC_OK)
        t = text[0] == '-' ? now - away : now + away;
    else if (strcmp(text, "now") != 0)
        is_time = instant_parse(str_of(text), &t, &err) == RC_OK ||
                  (local && read_local(text, local, &t));
    if (!is_time || t < INSTANT_MIN || t > INSTANT_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid time \"%.100s\"; use %s2026-11-16T08:30:00Z, now, -2h or +30m",
                       text, local ? "2026-11-16, " : "");
    instant_format_ms(t, &out);
    return RC_OK;
}

enum rc when_read_here(const char *text, bool is_utc, char ret[static INSTANT_TEXT_MAX],
                       struct err *reterr)
{
    struct when local;
    enum rc rc;

    when_open(&local, is_utc, clock_now());
    rc = when_read(text, &local, local.now, ret, reterr);
    when_close(&local);
    return rc;
}
