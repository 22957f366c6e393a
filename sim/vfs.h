/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk for SQLite that fails when told to: in memory, and the same for the same seed.
 *
 * Register one, open databases with db_open("sqlite:NAME.db?vfs=" name), and let things
 * happen to it: a loss of power, the death of the process, errors at a certain operation.
 * Several connections to one file work, in one thread, in write-ahead mode too.  Nothing
 * here asks the kernel: chance is seeded, time is handed in, and to sleep takes no time.
 *
 * After a loss of power or the death of the process everything that was open is dead: all
 * calls fail until it is closed, and nothing can be opened before all of it is closed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/prng.h"
#include "sim/vfs_disk.h"

enum { SIM_VFS_NAME_MAX = 64 }; /* as src/db/sqlite.c takes it */

/* What can be made to fail.  A write has the chance of three of them. */
enum sim_fault {
    SIM_READ_ERROR,
    SIM_WRITE_ERROR, /* half of it was written                                         */
    SIM_FULL,        /* as above, for want of room                                     */
    SIM_SYNC_ERROR,  /* what was to be synced is lost and stays visible; no retry helps */
    /*
     * The world stands still in the midst of the n-th change (a write, truncation, sync, new
     * name or deletion): all calls fail until the caller says what it was, a loss of power
     * or the death of the process.
     */
    SIM_STOP,
    SIM_FAULT_COUNT
};

struct sim_vfs; /* opaque */

/*
 * SQLite's own generator is one for the whole process and is seeded too, so that the bytes
 * on the disk are those of the last time, when one world is made after another.
 */
struct sim_vfs *sim_vfs_new(const char *name, uint64_t seed);
/* All connections must be closed.  Accepts NULL, returns NULL. */
struct sim_vfs *sim_vfs_free(struct sim_vfs *vfs);

void sim_vfs_set_now(struct sim_vfs *vfs, instant now);

/* Each change that was not synced meets a fate by these odds; NULL: those usual for tests. */
void sim_vfs_power_loss(struct sim_vfs *vfs, struct prng *prng, const struct vfs_odds *odds);
/*
 * kill -9: what was written stays, as the kernel has it; locks and shared memory are gone.
 * What was not synced still is not: a transaction that recovery finds then is certain only
 * with the next commit that changes something.
 */
void sim_vfs_process_kill(struct sim_vfs *vfs);

/*
 * The n-th such operation from now (1 is the next) fails, or it and all that follow.  Each
 * fault is armed on its own, and stays so over a loss of power; 0 disarms it.
 */
void sim_vfs_arm(struct sim_vfs *vfs, enum sim_fault fault, uint64_t n, bool forever);
/* How often the fault had the chance to strike, and how often it did. */
uint64_t sim_vfs_count(const struct sim_vfs *vfs, enum sim_fault fault);
uint64_t sim_vfs_struck(const struct sim_vfs *vfs, enum sim_fault fault);

/* A disk that lies: every sync says that it was done, and does nothing. */
void sim_vfs_ignore_sync(struct sim_vfs *vfs, bool ignore);

/* The files themselves, to look at or to damage them. */
struct vfs_disk *sim_vfs_disk(struct sim_vfs *vfs);
