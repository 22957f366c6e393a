/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads that wait for a reader, fair between namespaces.  For the io thread.
 *
 * Every read begins on a quick reader, which gives it up when it takes more than a few
 * milliseconds.  It then starts again on the slow reader, with the full limits.  So the slow
 * reads of a namespace delay only other slow reads, and there the namespaces take turns.  For
 * some seconds the same operation of the same namespace goes to the slow reader at once.
 */
#pragma once

#include <stdint.h>

#include "server/reader.h"
#include "server/ticket.h"

enum { READ_QUEUE_QUICK_MAX = 8 }; /* quick readers */

struct read_queue; /* opaque */

/* The readers must outlive the queue. */
struct read_queue *read_queue_new(struct reader *const *quick, int quick_count,
                                  struct reader *slow);
struct read_queue *read_queue_free(struct read_queue *queue); /* accepts NULL, returns NULL */

/* Sends a ticket to a reader, at once or when its turn has come. */
void read_queue_add(struct read_queue *queue, struct ticket *t);

/*
 * A reader has returned the ticket.  Returns true if the read is complete; otherwise the ticket
 * waits in the queue again.
 */
bool read_queue_returned(struct read_queue *queue, struct ticket *t);

/* Whether the ticket has waited long for a quick reader: the readers are overloaded. */
bool read_queue_is_late(const struct ticket *t, int64_t boot_us);
