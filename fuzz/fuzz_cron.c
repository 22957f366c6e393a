/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a cron expression: the first byte chooses the dialect, the second gives the length
 * of the seed, which follows; the rest is the text.
 */
#include <stdint.h>

#include "check_cron.h"
#include "core/cron/cron_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { SEED_MASK = 15 };

/* Empty, or a part of the text. */
static void check_part(struct str part, struct str text)
{
    must(part.len == 0 || (part.ptr >= text.ptr && part.ptr + part.len <= text.ptr + text.len));
}

static void check_text(const struct cron_text *cron, struct str text)
{
    check_part(cron->zone, text);
    check_part(cron->comment, text);
    must(cron->zone.len <= ZONE_NAME_MAX);
    must(cron->comment.len <= SPEC_COMMENT_MAX);
    if (!cron->is_every) {
        check_cron(&cron->cron);
        return;
    }
    must(cron->every >= SPAN_S && cron->every % SPAN_S == 0);
    must(cron->phase >= 0 && cron->phase < cron->every && cron->phase % SPAN_S == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str rest = {(const char *)bytes, len}, seed;
    enum dialect dialect;
    struct cron_text cron;
    struct err err;
    enum rc rc;

    if (len < 2)
        return 0;
    dialect = (enum dialect)(bytes[0] % DIALECT_SYSTEMD); /* the cron dialects come first */
    seed = (struct str){rest.ptr + 2, bytes[1] & SEED_MASK};
    if (seed.len > len - 2)
        return 0;
    rest = str_from(rest, 2 + seed.len);
    rc = cron_parse(rest, dialect, seed, &cron, &err);
    if (rc == RC_OK)
        check_text(&cron, rest);
    else
        check_error(rc, &err, rest.len);
    return 0;
}
