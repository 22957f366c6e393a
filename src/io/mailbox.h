/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded queue of messages from any number of threads to one.
 *
 * Messages have one fixed size and are copied in and out; the receiver becomes the owner of
 * what a message points to.  First in, first out.  A push never waits: it fails if the box is
 * full.  Memory is allocated only at the start.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MAILBOX_PLACES_MAX = 1 << 20, /* of one box: 256 times the largest turn */
    MAILBOX_MESSAGE_MAX = 4096,   /* bytes of a message; larger data is passed by pointer */
};

struct mailbox; /* opaque */

/*
 * Room for `places` messages of `size` bytes.  `wake` may be NULL; otherwise the first push,
 * and the first after each mailbox_take(), calls it on the pushing thread without holding a
 * lock.
 */
struct mailbox *mailbox_new(size_t places, size_t size, void (*wake)(void *arg), void *arg);

/* Drops its messages; no other thread may be using it.  Returns NULL. */
struct mailbox *mailbox_free(struct mailbox *box); /* accepts NULL */

/* Any thread.  False, with nothing taken over, if all places are full. */
bool mailbox_push(struct mailbox *box, const void *message);

/* Any thread: the current number of free places. */
size_t mailbox_room(struct mailbox *box);

/* The receiver: moves up to `max` messages, oldest first, into `ret`; returns their number. */
size_t mailbox_take(struct mailbox *box, void *ret, size_t max);

/*
 * The receiver: returns when there is a message (true) or when clock_boot_us() has reached
 * `until_us`, INSTANT_NEVER for no limit.  Returns immediately if one of them holds.
 */
bool mailbox_wait(struct mailbox *box, int64_t until_us);
