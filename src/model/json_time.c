/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints times as JSON strings.
 */
#include "model/json_time.h"

#include "core/time/text.h"

enum { TIME_TEXT_MAX = 64 }; /* bytes that are parsed; the longest valid text has 35 */

enum rc json_take_instant(const json_t *value, instant *ret, struct err *reterr)
{
    struct str s;
    instant t;
    enum rc rc = json_take_str(value, TIME_TEXT_MAX, &s, reterr);

    if (rc == RC_OK)
        rc = instant_parse(s, &t, reterr);
    if (rc == RC_OK)
        *ret = floor_div(t, SPAN_MS) * SPAN_MS;
    return rc;
}

enum rc json_take_duration(const json_t *value, span *ret, struct err *reterr)
{
    struct str s;
    span d;
    enum rc rc;

    if (json_is_number(value))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "a bare number has no unit; write a string such as \"90s\" or \"15m\"");
    rc = json_take_str(value, TIME_TEXT_MAX, &s, reterr);
    if (rc == RC_OK)
        rc = duration_parse(s, &d, reterr);
    if (rc != RC_OK)
        return rc;
    if (d % SPAN_MS != 0)
        return err_set(reterr, RC_INVALID, 0, (int)s.len, "must be whole milliseconds");
    *ret = d;
    return RC_OK;
}

enum rc json_take_time_of_day(const json_t *value, int32_t *ret, struct err *reterr)
{
    struct str s;
    enum rc rc = json_take_str(value, TIME_TEXT_MAX, &s, reterr);

    return rc == RC_OK ? time_of_day_parse(s, ret, reterr) : rc;
}

enum rc json_take_date(const json_t *value, int32_t *ret_day, struct err *reterr)
{
    struct str s;
    int64_t day;
    enum rc rc = json_take_str(value, TIME_TEXT_MAX, &s, reterr);

    if (rc == RC_OK)
        rc = date_parse(s, &day, reterr);
    if (rc == RC_OK)
        *ret_day = (int32_t)day;
    return rc;
}

json_t *json_of_instant(instant t)
{
    char text[TIME_TEXT_MAX];
    struct buf out = BUF(text);

    instant_format_ms(t, &out);
    return json_new_str(buf_as_str(&out));
}

json_t *json_of_duration(span d)
{
    char text[TIME_TEXT_MAX];
    struct buf out = BUF(text);

    duration_format(d, &out);
    return json_new_str(buf_as_str(&out));
}

json_t *json_of_time_of_day(int32_t tod)
{
    char text[TIME_TEXT_MAX];
    struct buf out = BUF(text);

    time_of_day_format(tod, &out);
    return json_new_str(buf_as_str(&out));
}

json_t *json_of_date(int32_t day)
{
    char text[TIME_TEXT_MAX];
    struct buf out = BUF(text);

    date_format(day, &out);
    return json_new_str(buf_as_str(&out));
}
