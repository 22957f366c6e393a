/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word from the writer to io that something is there to be read: events, or lines of logs.
 *
 * It is said after the commit, says nothing itself, and there is at most one on its way.  Io
 * asks for it before it reads: what is committed after that reading is always told of.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/turn.h"

struct commit_signal {
    _Atomic bool is_heard;  /* somebody listens at all                                   */
    _Atomic bool is_wanted; /* and no word is on its way                                 */
    _Atomic uint64_t
        touched; /* runs that said something or went on: bits of commit_signal_bit() */
};

/* A run is one of 64: who follows another run is woken in vain now and then. */
uint64_t commit_signal_bit(const struct run_id *run);

/* After a turn.  True: io is to be told. */
bool commit_signal_of_turn(struct commit_signal *signal, const struct turn_in *in,
                           const struct turn_out *out);
/* Other nodes may have written something. */
bool commit_signal_of_others(struct commit_signal *signal);
