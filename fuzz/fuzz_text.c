/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as an instant, a duration, a date and a time of day.
 *
 * A value that can be read prints as text that reads back as the same value; an error has an
 * offset within the text.
 */
#include <stdint.h>

#include "base/must.h"
#include "core/limits.h"
#include "core/time/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_err(const struct err *err, struct str text)
{
    must(err->rc == RC_INVALID && err->text[0] != '\0' && err->field[0] == '\0');
    must(err->at >= 0 && err->len >= 0 && (size_t)(err->at + err->len) <= text.len);
}

static void check_instant(struct str text)
{
    char room[INSTANT_TEXT_MAX];
    struct buf out = BUF(room);
    instant t, again;
    struct err err;

    if (instant_parse(text, &t, &err) != RC_OK) {
        check_err(&err, text);
        return;
    }
    must(t >= INSTANT_MIN && t <= INSTANT_MAX);
    instant_format_ms(t, &out);
    must(!out.cut && instant_parse(buf_as_str(&out), &again, &err) == RC_OK);
    must(again <= t && t - again < SPAN_MS);
}

static void check_duration(struct str text)
{
    char room[DURATION_TEXT_MAX];
    struct buf out = BUF(room);
    span d, again;
    struct err err;

    if (duration_parse(text, &d, &err) != RC_OK) {
        check_err(&err, text);
        return;
    }
    must(d >= 0 && d <= DURATION_DAYS_MAX * SPAN_DAY);
    duration_format(d, &out);
    must(!out.cut && duration_parse(buf_as_str(&out), &again, &err) == RC_OK && again == d);
}

static void check_date(struct str text)
{
    char room[INSTANT_TEXT_MAX];
    struct buf out = BUF(room);
    struct err err;
    int64_t day;

    if (date_parse(text, &day, &err) != RC_OK) {
        check_err(&err, text);
        return;
    }
    date_format(day, &out);
    must(str_eq(buf_as_str(&out), text));
}

static void check_time_of_day(struct str text)
{
    char room[INSTANT_TEXT_MAX];
    struct buf out = BUF(room);
    int32_t tod, again;
    struct err err;

    if (time_of_day_parse(text, &tod, &err) != RC_OK) {
        check_err(&err, text);
        return;
    }
    must(tod >= 0 && tod < DAY_SECONDS);
    time_of_day_format(tod, &out);
    must(time_of_day_parse(buf_as_str(&out), &again, &err) == RC_OK && again == tod);
    must(str_starts(text, buf_as_str(&out)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};

    check_instant(text);
    check_duration(text);
    check_date(text);
    check_time_of_day(text);
    return 0;
}
