/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks and the shared memory that the connections to one database file share.
 *
 * The levels are those of SQLite's rollback journal, the slots and regions those of its
 * write-ahead log.  All connections are in one process and one thread, so that nothing here
 * waits: a lock is granted or refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VFS_SLOTS = 8,         /* as SQLite has it */
    VFS_REGIONS_MAX = 128, /* of 32 KiB, each for 4,096 pages: a log of 2 GiB */
};

enum vfs_level { VFS_UNLOCKED, VFS_SHARED, VFS_RESERVED, VFS_PENDING, VFS_EXCLUSIVE };

struct vfs_locks; /* opaque; of one file */

/* One connection's part.  It must not move while it holds anything. */
struct vfs_holder {
    struct vfs_locks *locks;
    enum vfs_level level;
    unsigned shared, exclusive; /* slots, as bits */
    bool maps;                  /* it uses shared memory */
};

/* Joins the connections that hold `others`, or is the first if that is NULL. */
void vfs_locks_join(struct vfs_holder *holder, const struct vfs_holder *others);
/* Releases everything.  Memory is freed with the last holder that mapped it. */
void vfs_locks_leave(struct vfs_holder *holder);

/*
 * From VFS_UNLOCKED only VFS_SHARED can be acquired; VFS_PENDING cannot be requested, but
 * remains if VFS_EXCLUSIVE was refused because of readers: it keeps new readers out.
 */
bool vfs_locks_raise(struct vfs_holder *holder, enum vfs_level level);
void vfs_locks_lower(struct vfs_holder *holder, enum vfs_level level);
bool vfs_locks_is_reserved(const struct vfs_holder *holder);

/* All of the slots first, first + 1 … or none. */
bool vfs_locks_take(struct vfs_holder *holder, int first, int count, bool exclusive);
void vfs_locks_give(struct vfs_holder *holder, int first, int count);

/* Zeros if it is new; NULL if it does not exist and `make` is false. */
void *vfs_locks_region(struct vfs_holder *holder, int index, size_t size, bool make);
void vfs_locks_unmap(struct vfs_holder *holder);
