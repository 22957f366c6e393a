/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packed form of events: eight numbers of variable length, seven bits per byte.
 */
#include "core/event.h"

enum { FIELDS = 8, SEVEN_BITS = 127, MORE = 128 };

/* Maps numbers near zero, of either sign, to small numbers. */
static uint64_t zigzag(int64_t n)
{
    return (uint64_t)n << 1 ^ (uint64_t)(n >> 63);
}

static int64_t unzigzag(uint64_t n)
{
    return (int64_t)(n >> 1 ^ -(n & 1));
}

void event_pack(const struct event *event, struct buf *out)
{
    const int64_t fields[FIELDS] = {
        event->type,  event->schedule, event->slot,   event->pass,
        event->fence, event->attempt,  event->detail, event->count,
    };
    char packed[EVENT_PACKED_MAX];
    size_t len = 0;

    for (int i = 0; i < FIELDS; i++) {
        uint64_t n = zigzag(fields[i]);

        for (; n > SEVEN_BITS; n >>= 7)
            packed[len++] = (char)(n | MORE);
        packed[len++] = (char)n;
    }
    buf_add(out, packed, len);
}

static bool read_number(struct str *bytes, int64_t *ret)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < 10 && i < bytes->len; i++) {
        uint64_t byte = (unsigned char)bytes->ptr[i];

        if (i == 9 && byte > 1) /* more than 64 bits */
            return false;
        n |= (byte & SEVEN_BITS) << (7 * i);
        if (byte & MORE)
            continue;
        *bytes = str_from(*bytes, i + 1);
        *ret = unzigzag(n);
        return true;
    }
    return false;
}

enum rc event_unpack(struct str *bytes, struct event *ret, bool *ret_any, struct err *reterr)
{
    struct str rest = *bytes;
    int64_t fields[FIELDS];

    if (bytes->len == 0) {
        *ret_any = false;
        return RC_OK;
    }
    for (int i = 0; i < FIELDS; i++)
        if (!read_number(&rest, &fields[i]))
            return err_set(reterr, RC_CORRUPT, -1, 0, "a row of events is damaged");
    *ret = (struct event){
        .type = fields[0],
        .schedule = fields[1],
        .slot = fields[2],
        .pass = fields[3],
        .fence = fields[4],
        .attempt = fields[5],
        .detail = fields[6],
        .count = fields[7],
    };
    *bytes = rest;
    *ret_any = true;
    return RC_OK;
}

const char *event_text(enum event_type type)
{
    static const char *const texts[] = {
        [EVENT_SCHEDULE_CREATED] = "schedule.created",
        [EVENT_SCHEDULE_UPDATED] = "schedule.updated",
        [EVENT_SCHEDULE_PAUSED] = "schedule.paused",
        [EVENT_SCHEDULE_RESUMED] = "schedule.resumed",
        [EVENT_SCHEDULE_DISABLED] = "schedule.disabled",
        [EVENT_SCHEDULE_DELETED] = "schedule.deleted",
        [EVENT_SCHEDULE_CLOSED] = "schedule.closed",
        [EVENT_SCHEDULE_QUARANTINED] = "schedule.quarantined",
        [EVENT_SCHEDULE_RELEASED] = "schedule.released",
        [EVENT_RUN_PLANNED] = "run.planned",
        [EVENT_RUN_READY] = "run.ready",
        [EVENT_RUN_CLAIMED] = "run.claimed",
        [EVENT_RUN_STARTED] = "run.started",
        [EVENT_RUN_RETRYING] = "run.retrying",
        [EVENT_RUN_ENDED] = "run.ended",
        [EVENT_RUN_CANCELLED] = "run.cancelled",
        [EVENT_RUN_LATE] = "run.late",
        [EVENT_RUN_UNPLANNED] = "run.unplanned",
        [EVENT_SLOT_SKIPPED] = "slot.skipped",
        [EVENT_SLOT_MISSED] = "slot.missed",
        [EVENT_SLOT_DROPPED] = "slot.dropped",
        [EVENT_SLOT_CANCELLED] = "slot.cancelled",
        [EVENT_BACKFILL_STARTED] = "backfill.started",
        [EVENT_BACKFILL_STOPPED] = "backfill.stopped",
        [EVENT_BACKFILL_ENDED] = "backfill.ended",
        [EVENT_LEASE_EXPIRED] = "lease.expired",
        [EVENT_LEASE_STALE] = "lease.stale",
        [EVENT_PLAN_MIDNIGHT] = "plan.midnight",
        [EVENT_DAMAGED] = "events.damaged",
        [EVENT_NODE_UP] = "node.up",
        [EVENT_NODE_DOWN] = "node.down",
        [EVENT_CLOCK_JUMP] = "clock.jump",
    };
    bool is_known = type > 0 && (size_t)type < sizeof texts / sizeof *texts && texts[type];

    return is_known ? texts[type] : "unknown";
}
