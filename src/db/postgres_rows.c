/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes parameters for libpq and decodes its answers.
 */
#include "db/postgres_rows.h"

#include <libpq-fe.h>
#include <string.h>

#include "base/must.h"

/* From PostgreSQL's catalogue; they never change. */
enum oid {
    OID_BOOL = 16,
    OID_BYTEA = 17,
    OID_NAME = 19,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_TEXT = 25,
    OID_BPCHAR = 1042,
    OID_VARCHAR = 1043,
    OID_VOID = 2278,
};

static void put_number(int64_t number, char *ret)
{
    for (int i = 0; i < 8; i++)
        ret[i] = (char)((uint64_t)number >> (56 - 8 * i) & 0xff);
}

/* Big-endian, 1 to 8 bytes; the first bit is the sign, except in the single byte of a bool. */
static int64_t get_number(const char *bytes, int len)
{
    uint64_t number = len > 1 && (bytes[0] & 0x80) ? UINT64_MAX : 0;

    for (int i = 0; i < len; i++)
        number = number << 8 | (unsigned char)bytes[i];
    return (int64_t)number;
}

void postgres_params(const struct db_entry *entry, struct postgres_params *ret)
{
    const char *letters = entry->cached->stmt->params;

    for (int i = 0; i < entry->cached->count; i++) {
        const struct db_value *value = &entry->params[i];

        ret->types[i] = letters[i] == 'i' ? OID_INT8 : letters[i] == 't' ? OID_TEXT : OID_BYTEA;
        ret->formats[i] = 1; /* binary */
        ret->values[i] = NULL;
        ret->lengths[i] = 0;
        if (value->type == DB_INT) {
            put_number(value->num, ret->numbers[i]);
            ret->values[i] = ret->numbers[i];
            ret->lengths[i] = 8;
        } else if (value->type != DB_NULL) {
            ret->values[i] = value->bytes.ptr;
            ret->lengths[i] = (int)value->bytes.len;
        }
    }
}

static enum rc column_type(const PGresult *answer, int column, enum db_type *ret,
                           struct err *reterr)
{
    Oid oid = PQftype(answer, column);

    switch (oid) {
    case OID_BOOL:
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
        *ret = DB_INT;
        return RC_OK;
    case OID_TEXT:
    case OID_NAME:
    case OID_BPCHAR:
    case OID_VARCHAR:
        *ret = DB_TEXT;
        return RC_OK;
    case OID_BYTEA:
        *ret = DB_BLOB;
        return RC_OK;
    case OID_VOID:
        *ret = DB_NULL;
        return RC_OK;
    default:
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "column `%.60s` of the answer has the type %u; cast it to BIGINT, TEXT or "
            "BYTEA",
            PQfname(answer, column), oid);
    }
}

static enum rc check_size(const struct db *db, const PGresult *answer,
                          const struct arena *arena, size_t *ret_bytes, struct err *reterr)
{
    int rows = PQntuples(answer), columns = PQnfields(answer);
    enum rc rc = db_check_rows(rows, reterr);
    size_t bytes = 0;

    if (rc != RC_OK)
        return rc;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            bytes += (size_t)PQgetlength(answer, row, column) + 1;
    *ret_bytes = bytes;
    return db_check_room(
        db, arena, bytes + (size_t)rows * (size_t)columns * sizeof(struct db_value), reterr);
}

/* Copies the cells of one column; returns where the next bytes go. */
static char *copy_column(const PGresult *answer, int column, enum db_type type,
                         struct db_value *values, char *to)
{
    int rows = PQntuples(answer), columns = PQnfields(answer);

    for (int row = 0; row < rows; row++) {
        struct db_value *value = &values[(ptrdiff_t)row * columns + column];
        const char *bytes = PQgetvalue(answer, row, column);
        int len = PQgetlength(answer, row, column);

        if (type == DB_NULL || PQgetisnull(answer, row, column))
            continue; /* already null */
        if (type == DB_INT) {
            *value = db_int(get_number(bytes, len));
            continue;
        }
        memcpy(to, bytes, (size_t)len); /* the terminating zero is already there */
        *value = (struct db_value){.type = type, .bytes = {to, (size_t)len}};
        to += len + 1;
    }
    return to;
}

enum rc postgres_rows(const struct db *db, const PGresult *answer, struct arena *arena,
                      struct db_result *ret, struct err *reterr)
{
    int rows = PQntuples(answer), columns = PQnfields(answer);
    struct db_value *values;
    size_t bytes = 0;
    char *to;
    enum rc rc = check_size(db, answer, arena, &bytes, reterr);

    if (rc != RC_OK)
        return rc;
    values = arena_array(arena, (size_t)rows * (size_t)columns, sizeof *values);
    to = arena_take(arena, bytes);
    for (int column = 0; column < columns; column++) {
        enum db_type type = DB_NULL;

        rc = column_type(answer, column, &type, reterr);
        if (rc != RC_OK)
            return rc;
        to = copy_column(answer, column, type, values, to);
    }
    ret->rows = rows;
    ret->columns = columns;
    ret->values = values;
    return RC_OK;
}

int64_t postgres_changed(PGresult *answer)
{
    struct str status = str_of(PQcmdStatus(answer)), number = str_of(PQcmdTuples(answer));
    int64_t changed = 0;

    if (str_starts(status, STR("INSERT")) || str_starts(status, STR("UPDATE")) ||
        str_starts(status, STR("DELETE")))
        must(str_take_number(&number, INT64_MAX - 1, &changed) > 0);
    return changed;
}
