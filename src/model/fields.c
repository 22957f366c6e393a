/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the list of members that a request selects.
 */
#include "model/fields.h"

enum { NAME_MAX_BYTES = 64 }; /* of a requested name; the longest valid one has 14 */

static enum rc set_unknown_field(struct str name, const struct field_names *names,
                                 struct err *reterr)
{
    int near = str_nearest(name, names->names, names->count);
    char text[ERR_TEXT_MAX];
    struct buf list = BUF(text);

    if (near >= 0)
        buf_printf(&list, "did you mean %s? ", names->names[near]);
    buf_text(&list, "valid fields: ");
    for (int i = 0; i < names->count; i++)
        buf_printf(&list, "%s%s", i > 0 ? ", " : "", names->names[i]);
    return err_set(reterr, RC_INVALID, 0, (int)name.len, "is not a field; %s", text);
}

static enum rc add_field(struct str name, const struct field_names *names, field_set *fields,
                         struct err *reterr)
{
    for (int i = 0; i < names->count; i++)
        if (str_eq(name, str_of(names->names[i]))) {
            *fields |= FIELD(i);
            return RC_OK;
        }
    return set_unknown_field(name, names, reterr);
}

struct name_reading {
    const struct field_names *names;
    field_set fields;
};

static enum rc read_name(const json_t *item, int i, void *to, struct err *reterr)
{
    struct name_reading *reading = to;
    struct str name;
    enum rc rc = json_take_str(item, NAME_MAX_BYTES, &name, reterr);

    (void)i;
    return rc == RC_OK ? add_field(name, reading->names, &reading->fields, reterr) : rc;
}

enum rc fields_from_json(const json_t *value, const struct field_names *names, field_set *ret,
                         struct err *reterr)
{
    struct name_reading reading = {names, names->always};
    int count;
    enum rc rc = json_take_count(value, FIELDS_ASKED_MAX, &count, reterr);

    if (rc == RC_OK && count == 0)
        rc = err_set(reterr, RC_INVALID, -1, 0, "is empty; name a field, or leave it out");
    if (rc == RC_OK)
        rc = json_take_items(value, read_name, &reading, reterr);
    if (rc == RC_OK)
        *ret = reading.fields;
    return rc;
}

enum rc fields_from_text(struct str text, const struct field_names *names, field_set *ret,
                         struct err *reterr)
{
    field_set fields = names->always;
    struct str rest = text, name;
    bool has_more = true;
    size_t at;

    for (int count = 0; has_more; count++) {
        if (count == FIELDS_ASKED_MAX)
            return err_set(reterr, RC_LIMIT, -1, 0, "has more than %d names", FIELDS_ASKED_MAX);
        at = text.len - rest.len;
        has_more = str_cut(rest, ',', &name, &rest);
        if (!has_more)
            name = rest;
        if (add_field(name, names, &fields, reterr) != RC_OK) {
            reterr->at = (int)at;
            return reterr->rc;
        }
    }
    *ret = fields;
    return RC_OK;
}
