/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk for SQLite that fails on request: in memory, and deterministic for a seed.
 *
 * Register one, open databases with db_open("sqlite:NAME.db?vfs=" name), and inject faults: a
 * power loss, the death of the process, errors at a certain operation.  Several connections to
 * one file work, in one thread, also in write-ahead mode.  Nothing here asks the kernel:
 * randomness is seeded, time is passed in, and sleeping takes no time.
 *
 * After a power loss or the death of the process everything that was open is dead: all calls
 * fail until it is closed, and nothing can be opened before all of it is closed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/prng.h"
#include "sim/vfs_disk.h"

enum { SIM_VFS_NAME_MAX = 64 }; /* the limit of src/db/sqlite.c */

/* Operations that can be made to fail.  Three of them apply to a write. */
enum sim_fault {
    SIM_READ_ERROR,
    SIM_WRITE_ERROR, /* half of it was written */
    SIM_FULL,        /* likewise, because the disk is full */
    SIM_SYNC_ERROR,  /* unsynced data is lost but stays visible; retrying does not help */
    /*
     * The world stops in the middle of the n-th change (a write, truncation, sync, new name or
     * deletion): all calls fail until the caller decides what it was, a power loss or the death
     * of the process.
     */
    SIM_STOP,
    SIM_FAULT_COUNT
};

struct sim_vfs; /* opaque */

/*
 * SQLite's own generator is global to the process and is seeded too, so that the bytes on the
 * disk are the same when worlds are simulated one after another.
 */
struct sim_vfs *sim_vfs_new(const char *name, uint64_t seed);
/* All connections must be closed.  Accepts NULL, returns NULL. */
struct sim_vfs *sim_vfs_free(struct sim_vfs *vfs);

void sim_vfs_set_now(struct sim_vfs *vfs, instant now);

/* These odds decide about each change that was not synced; NULL: the usual odds of tests. */
void sim_vfs_power_loss(struct sim_vfs *vfs, struct prng *prng, const struct vfs_odds *odds);
/*
 * kill -9: the kernel keeps written data; locks and shared memory are gone.  Data that was not
 * synced is still not durable: if recovery finds such a transaction, the next commit that
 * changes something makes it durable.
 */
void sim_vfs_process_kill(struct sim_vfs *vfs);

/*
 * Makes the n-th such operation from now (1 is the next) fail, or it and all later ones.  Each
 * fault is armed separately, and stays armed over a power loss; 0 disarms it.
 */
void sim_vfs_arm(struct sim_vfs *vfs, enum sim_fault fault, uint64_t n, bool forever);
/* How often the fault could have struck, and how often it did. */
uint64_t sim_vfs_count(const struct sim_vfs *vfs, enum sim_fault fault);
uint64_t sim_vfs_struck(const struct sim_vfs *vfs, enum sim_fault fault);

/* A disk that lies: every sync reports success and does nothing. */
void sim_vfs_ignore_sync(struct sim_vfs *vfs, bool ignore);

/* The files themselves, to inspect or damage them. */
struct vfs_disk *sim_vfs_disk(struct sim_vfs *vfs);
