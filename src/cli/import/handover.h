/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which slots of a schedule belong to the server that it leaves, and which to Belfry
 * (docs/decisions/0055-import-from-running-servers.md).
 *
 * The note of the pause at the other server names a bound: slots up to the bound are the other
 * server's.  A later slot is also the other server's if it has started it.  Everything after
 * the last of these is Belfry's.  So the boundary follows from what the other server stores,
 * and a second import finds the same one.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/instant.h"

enum {
    HANDOVER_TIMES = 12,     /* next times that are read: some may pass meanwhile */
    HANDOVER_SHOWN = 10,     /* of them, that are compared and shown */
    HANDOVER_NOTE_MAX = 900, /* bytes of our notes; Belfry's limit for a reason is 1,000 */
    HANDOVER_KEPT_MAX = 500, /* bytes of the former note in them */
};

/*
 * A server has decided about a slot of this age.  Servers start slots within a second, and
 * their clocks agree with ours to a second or two.
 */
#define HANDOVER_QUIET (5 * SPAN_S)
/* A pause needs less than this. */
#define HANDOVER_SOON (2 * SPAN_S)

/* ---- notes ---- */

/* The note of the pause at the other server; `note` is its former note. */
void handover_note_there(instant bound, struct str note, struct buf *out);
/* False: the note is not ours. */
bool handover_read_there(struct str text, instant *ret_bound, struct str *ret_note);

/* The note of a schedule that waits for its take-over; `print` identifies what was imported. */
void handover_note_here(uint64_t print, struct str note, struct buf *out);
bool handover_read_here(struct str text, uint64_t *ret_print, struct str *ret_note);

/* ---- the moment ---- */

/*
 * Whether no slot is so close to now that it would be unclear who runs it; `times` are the next
 * slots, ascending.
 */
bool handover_is_quiet(const instant *times, int count, instant now);

/* Whether a quiet moment will come, as far as is known; `has_more`: after these slots. */
bool handover_can_wait(const instant *times, int count, bool has_more, instant now);

/*
 * The bound for a pause at `now`.  `next` is the next slot by the other server's clock,
 * INSTANT_NEVER if it is unknown.  With `skips`, an open workflow makes the other server skip
 * all slots, so it has decided about those up to now.
 */
instant handover_bound(instant now, instant next, bool skips);

/* ---- the boundary ---- */

struct handover_evidence {
    instant bound;
    span jitter;
    const instant *started; /* slots that the other server has started */
    int started_count;
    /* Slots by the other server around the bound, with jitter, ascending; NULL: unknown, then
       all of `started` are slots, otherwise some may be starts by hand. */
    const instant *times;
    int time_count;
};

/* The last slot of the other server, to the millisecond; all later slots are Belfry's. */
instant handover_last(const struct handover_evidence *evidence);
