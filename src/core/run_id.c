/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs schedule key and slot into 112 bits, and writes and reads them as base 32.
 */
#include "core/run_id.h"

#include "base/base32.h"
#include "base/instant.h"
#include "base/must.h"

enum { SLOT_BITS = 49, LETTER_BITS = BASE32_BITS, SHORT_LETTERS = 23, PASS_LETTERS = 7 };

#define SLOT_FIRST (INSTANT_MIN / SPAN_MS)
#define SLOT_LAST  (INSTANT_MAX / SPAN_MS)

/* A number of up to 128 bits, as two halves. */
struct wide {
    uint64_t high, low;
};

static void write_letters(char *end, struct wide n, int count)
{
    for (int i = 0; i < count; i++) {
        *--end = base32_letter(n.low);
        n.low = n.low >> LETTER_BITS | n.high << (64 - LETTER_BITS);
        n.high >>= LETTER_BITS;
    }
}

static bool read_letters(struct str text, struct wide *ret)
{
    struct wide n = {0, 0};

    for (size_t i = 0; i < text.len; i++) {
        int letter = base32_value(text.ptr[i]);

        if (letter < 0)
            return false;
        n.high = n.high << LETTER_BITS | n.low >> (64 - LETTER_BITS);
        n.low = n.low << LETTER_BITS | (uint64_t)letter;
    }
    *ret = n;
    return true;
}

void run_id_format(const struct run_id *id, char text[static RUN_ID_TEXT_MAX])
{
    uint64_t slot = (uint64_t)(id->slot_ms - SLOT_FIRST), key = (uint64_t)id->schedule;
    struct wide n = {.high = key >> (64 - SLOT_BITS), .low = key << SLOT_BITS | slot};

    must(id->schedule >= 0 && id->slot_ms >= SLOT_FIRST && id->slot_ms <= SLOT_LAST);
    memcpy(text, "r_", 2);
    write_letters(text + RUN_ID_SHORT, n, SHORT_LETTERS);
    text[RUN_ID_SHORT] = '\0';
    if (id->pass == 0)
        return;
    write_letters(text + RUN_ID_LONG, (struct wide){0, id->pass}, PASS_LETTERS);
    text[RUN_ID_LONG] = '\0';
}

enum rc run_id_parse(struct str text, struct run_id *ret, struct err *reterr)
{
    struct wide n = {0, 0}, pass = {0, 0};
    bool is_long = text.len == RUN_ID_LONG;
    bool ok = (is_long || text.len == RUN_ID_SHORT) && str_starts(text, STR("r_")) &&
              read_letters((struct str){text.ptr + 2, SHORT_LETTERS}, &n);
    uint64_t key = n.high << (64 - SLOT_BITS) | n.low >> SLOT_BITS;
    uint64_t slot = n.low & ((UINT64_C(1) << SLOT_BITS) - 1);

    if (ok && is_long)
        ok = read_letters((struct str){text.ptr + RUN_ID_SHORT, PASS_LETTERS}, &pass) &&
             pass.low > 0 && pass.low <= UINT32_MAX;
    /* 23 letters have three bits more than key and slot need. */
    if (!ok || n.high >> SLOT_BITS != 0 || key > INT64_MAX ||
        slot > (uint64_t)(SLOT_LAST - SLOT_FIRST))
        return err_set(
            reterr, RC_INVALID, 0, (int)text.len,
            "\"%.*s\" is not the id of a run; an id is \"r_\" and %d or %d letters and "
            "digits",
            STR_ARG(text), SHORT_LETTERS, SHORT_LETTERS + PASS_LETTERS);
    *ret = (struct run_id){.schedule = (int64_t)key,
                           .slot_ms = (int64_t)slot + SLOT_FIRST,
                           .pass = (uint32_t)pass.low};
    return RC_OK;
}
