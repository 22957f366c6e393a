/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded queue of messages from any number of threads to one.
 *
 * Messages have one fixed size and are copied in and out; what one points to goes over to
 * whoever takes it.  First in, first out.  Nobody waits for room: a push into a full box
 * fails, and who must not fail has reserved its place before.  Nothing is allocated but at
 * the start.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MAILBOX_PLACES_MAX = 1 << 20, /* of one box; 256 turns of the largest size          */
    MAILBOX_MESSAGE_MAX = 4096,   /* bytes of a message; what is larger goes by pointer */
};

struct mailbox; /* opaque */

/*
 * Room for `places` messages of `size` bytes.  `wake` may be NULL; otherwise it is called by
 * the thread that pushes, without any lock held, when a message came that the taker may not
 * know of: once between two calls of mailbox_take().
 */
struct mailbox *mailbox_new(size_t places, size_t size, void (*wake)(void *arg), void *arg);

/* What is still in it is forgotten; no other thread may be using it.  Returns NULL. */
struct mailbox *mailbox_free(struct mailbox *box); /* accepts NULL */

/* Any thread.  False, with nothing taken over, when all places are full or reserved. */
bool mailbox_push(struct mailbox *box, const void *message);

/*
 * Any thread.  Sets `count` places aside, all or none.  Each is used up by one
 * mailbox_push_reserved(), which cannot fail, by any thread, or given back.
 */
bool mailbox_reserve(struct mailbox *box, size_t count);
void mailbox_push_reserved(struct mailbox *box, const void *message);
void mailbox_give_back(struct mailbox *box, size_t count);

/* Any thread: places that are neither full nor reserved, at this moment. */
size_t mailbox_room(struct mailbox *box);

/* The taker: up to `max` messages, the oldest first, into `ret`; returns how many. */
size_t mailbox_take(struct mailbox *box, void *ret, size_t max);

/*
 * The taker: returns when there is a message (true) or when clock_boot_us() has reached
 * `until_us`, INSTANT_NEVER for no such time.  Returns at once when one of them holds.
 */
bool mailbox_wait(struct mailbox *box, int64_t until_us);
