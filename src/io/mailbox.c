/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring under a mutex that is held for a copy, and an eventfd for a sleeping receiver.
 *
 * The eventfd is written only when the receiver has announced that it sleeps, so that a busy
 * receiver costs no system call.
 */
#include "io/mailbox.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/instant.h"
#include "base/must.h"
#include "io/clock.h"

struct mailbox {
    pthread_mutex_t lock; /* of the members after `event`; the others are constant */
    size_t places, size;
    void (*wake)(void *arg);
    void *arg;
    int event; /* readable when a sleeping receiver must wake */

    unsigned char *ring;
    size_t first; /* index of the oldest */
    size_t count;
    bool is_asleep; /* the receiver waits for the event */
    bool is_woken;  /* `wake` was called since the last take */
};

struct mailbox *mailbox_new(size_t places, size_t size, void (*wake)(void *arg), void *arg)
{
    struct mailbox *box = calloc(1, sizeof *box);

    must(places > 0 && places <= MAILBOX_PLACES_MAX);
    must(size > 0 && size <= MAILBOX_MESSAGE_MAX);
    must(box != NULL && pthread_mutex_init(&box->lock, NULL) == 0);
    box->places = places;
    box->size = size;
    box->wake = wake;
    box->arg = arg;
    box->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    box->ring = malloc(places * size);
    must(box->event >= 0 && box->ring != NULL);
    return box;
}

struct mailbox *mailbox_free(struct mailbox *box)
{
    if (box) {
        must(pthread_mutex_destroy(&box->lock) == 0);
        close(box->event);
        free(box->ring);
        free(box);
    }
    return NULL;
}

static void lock(struct mailbox *box)
{
    must(pthread_mutex_lock(&box->lock) == 0);
}

static void unlock(struct mailbox *box)
{
    must(pthread_mutex_unlock(&box->lock) == 0);
}

/* Unlocks, and wakes the receiver if necessary; the box has a message. */
static void unlock_and_wake(struct mailbox *box)
{
    bool must_signal = box->is_asleep;
    bool must_wake = box->wake && !box->is_woken;

    box->is_asleep = false;
    box->is_woken = true;
    unlock(box);
    if (must_signal) {
        const uint64_t one = 1;

        must(write(box->event, &one, sizeof one) == (ssize_t)sizeof one);
    }
    if (must_wake)
        box->wake(box->arg);
}

bool mailbox_push(struct mailbox *box, const void *message)
{
    size_t at;

    lock(box);
    if (box->count == box->places) {
        unlock(box);
        return false;
    }
    at = (box->first + box->count) % box->places;
    memcpy(box->ring + at * box->size, message, box->size);
    box->count++;
    unlock_and_wake(box);
    return true;
}

size_t mailbox_room(struct mailbox *box)
{
    size_t room;

    lock(box);
    room = box->places - box->count;
    unlock(box);
    return room;
}

size_t mailbox_take(struct mailbox *box, void *ret, size_t max)
{
    size_t count, tail;

    lock(box);
    count = box->count < max ? box->count : max;
    tail = box->places - box->first;
    if (tail > count)
        tail = count;
    memcpy(ret, box->ring + box->first * box->size, tail * box->size);
    memcpy((unsigned char *)ret + tail * box->size, box->ring, (count - tail) * box->size);
    box->count -= count;
    /*
     * Restarts at the beginning when it is empty, so that only as much memory is used as was
     * ever queued.
     */
    box->first = box->count > 0 ? (box->first + count) % box->places : 0;
    box->is_woken = false;
    unlock(box);
    return count;
}

/* True if there is a message; otherwise the next push will write the event. */
static bool has_message_or_sleeps(struct mailbox *box)
{
    bool has;

    lock(box);
    has = box->count > 0;
    box->is_asleep = !has;
    unlock(box);
    return has;
}

/* Waits for the event and clears it, or until the span is over. */
static void await_event(struct mailbox *box, span left)
{
    const struct timespec timeout = {.tv_sec = left / SPAN_S, .tv_nsec = left % SPAN_S * 1000};
    struct pollfd fd = {.fd = box->event, .events = POLLIN};
    int n = ppoll(&fd, 1, &timeout, NULL);
    uint64_t count;

    must(n >= 0 || errno == EINTR);
    if (n > 0)
        must(read(box->event, &count, sizeof count) == (ssize_t)sizeof count);
}

bool mailbox_wait(struct mailbox *box, int64_t until_us)
{
    /* An event may belong to a message that is already taken: only the box itself counts. */
    while (!has_message_or_sleeps(box)) {
        int64_t now = clock_boot_us();

        if (now >= until_us)
            return false;
        await_event(box, until_us - now);
    }
    return true;
}
