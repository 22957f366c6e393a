/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints dates.
 */
#include "api/days/day_date.h"

#include "core/time/civil.h"

enum { DATE_BYTES = 16, YEAR_DIGITS = 4, PART_DIGITS = 2, YEAR_MOST = 9999, DAY_MOST = 31 };

/* Reads a number of exactly `digits` digits and the hyphen after it, if it is not the last. */
static bool take_part(struct str *rest, size_t digits, int64_t max, int64_t *ret)
{
    if (str_take_number(rest, max, ret) != digits)
        return false;
    if (rest->len == 0)
        return true;
    if (rest->ptr[0] != '-')
        return false;
    rest->ptr++;
    rest->len--;
    return true;
}

enum rc day_date_query(const struct call *call, const char *name, int64_t *ret,
                       struct err *reterr)
{
    struct str text = request_query(call, name), rest = text;
    int64_t year = 0, month = 0, day = 0;

    if (text.len == 0)
        return RC_OK;
    if (text.len != STR("2026-11-18").len || !take_part(&rest, YEAR_DIGITS, YEAR_MOST, &year) ||
        !take_part(&rest, PART_DIGITS, MONTHS, &month) ||
        !take_part(&rest, PART_DIGITS, DAY_MOST, &day) ||
        !date_is_valid((int)year, (int)month, (int)day))
        return err_field(reterr, name, "must be a date, such as 2026-11-18");
    *ret = day_of_date((int)year, (int)month, (int)day);
    return RC_OK;
}

void day_date_print(struct answer *out, const char *name, int64_t day)
{
    struct date date = date_of_day(day);
    char text[DATE_BYTES];
    struct buf room = BUF(text);

    buf_printf(&room, "%04d-%02d-%02d", date.year, date.month, date.day);
    answer_put_text(out, name, buf_as_str(&room));
}
