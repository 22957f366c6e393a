/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory, on a disk that can lose power.
 *
 * A file has two states: what programs see, and what is durable on the disk.  The changes since
 * the last sync are between them, in order.  A power loss decides for every sector of every
 * such write, and for every such truncation, what happened to it; then both states are equal.
 * Bytes that no pending write touched are safe, as on disks that SQLite calls powersafe (and it
 * treats every disk on Linux as one).
 *
 * Names are simpler than on a real file system, but not safer: a new file is durable with its
 * own first sync, a deletion with the next sync of any file; until then both may be undone.
 * Nothing here touches the kernel, and randomness is passed in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"

enum {
    VFS_SECTOR = 512,           /* the smallest unit that a disk writes atomically */
    VFS_PATH_MAX = 128,         /* a name, with the suffixes of SQLite */
    VFS_FILE_MAX = 1 << 30,     /* then the disk is full */
    VFS_PENDING_MAX = 64 << 20, /* of a file; a kernel writes back too */
};

/* The relative probability of each fate of a pending sector; not all may be 0. */
struct vfs_odds {
    unsigned keep;   /* it was written */
    unsigned drop;   /* it was not */
    unsigned garble; /* it contains random bytes */
    unsigned tear;   /* it was written up to some byte */
};

struct vfs_disk; /* opaque */
struct vfs_file; /* opaque */

struct vfs_disk *vfs_disk_new(void);
/* No file may be held.  Accepts NULL, returns NULL. */
struct vfs_disk *vfs_disk_free(struct vfs_disk *disk);

/* NULL if the name does not exist. */
struct vfs_file *vfs_disk_find(const struct vfs_disk *disk, const char *name);
/* The name must be free.  The file is not held: see below. */
struct vfs_file *vfs_disk_make(struct vfs_disk *disk, const char *name);
/* Its name is free at once; holders may continue to use it. */
void vfs_disk_delete(struct vfs_file *file);

/* A held file lives at least until it is released. */
void vfs_disk_hold(struct vfs_file *file);
void vfs_disk_let_go(struct vfs_file *file);

int64_t vfs_disk_size(const struct vfs_file *file);
/* Returns the bytes read: fewer than `len` at the end of the file. */
size_t vfs_disk_read(const struct vfs_file *file, int64_t at, void *ret, size_t len);
/* Not beyond VFS_FILE_MAX. */
void vfs_disk_write(struct vfs_file *file, int64_t at, const void *bytes, size_t len);
/* Shortens the file; a larger size changes nothing. */
void vfs_disk_cut(struct vfs_file *file, int64_t size);

void vfs_disk_sync(struct vfs_file *file);
void vfs_disk_sync_deletions(struct vfs_disk *disk);
/*
 * A failed sync, as on Linux: pending changes are no longer pending, did not reach the disk,
 * and no later sync will write them, while programs still see them.
 */
void vfs_disk_fail_sync(struct vfs_file *file);

/* No file may be held.  Afterwards nothing is pending. */
void vfs_disk_lose_power(struct vfs_disk *disk, struct prng *prng, const struct vfs_odds *odds);

/* A digest of all names and all visible content, to compare two runs. */
uint64_t vfs_disk_digest(const struct vfs_disk *disk);
