/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory, on a disk that can lose power.
 *
 * A file has two faces: what programs see, and what the disk holds for certain.  Between
 * them stand the changes since the last sync, in order.  A loss of power decides for every
 * sector of every such write, and for every such truncation, what became of it; then the
 * two faces are one.  Bytes that no pending write touched are safe, as on disks that SQLite
 * calls powersafe (and it takes every disk on Linux for one).
 *
 * Names are simpler than on a real file system, but not kinder: a new file is certain with
 * its own first sync, a deletion with the next sync of any file; until then both may come
 * undone.  Nothing here touches the kernel, and chance is handed in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"

enum {
    VFS_SECTOR = 512,           /* the least that a disk writes as one */
    VFS_PATH_MAX = 128,         /* a name, with what SQLite appends    */
    VFS_FILE_MAX = 1 << 30,     /* then the disk is full               */
    VFS_PENDING_MAX = 64 << 20, /* of a file; a kernel writes back too */
};

/* How often each fate befalls a pending sector, relative to the others; not all may be 0. */
struct vfs_odds {
    unsigned keep;   /* it was written                          */
    unsigned drop;   /* it was not                              */
    unsigned garble; /* it holds noise                          */
    unsigned tear;   /* it was written up to some byte, not on  */
};

struct vfs_disk; /* opaque */
struct vfs_file; /* opaque */

struct vfs_disk *vfs_disk_new(void);
/* No file may be held.  Accepts NULL, returns NULL. */
struct vfs_disk *vfs_disk_free(struct vfs_disk *disk);

/* NULL when there is no such name. */
struct vfs_file *vfs_disk_find(const struct vfs_disk *disk, const char *name);
/* The name must be free.  Not held: see below. */
struct vfs_file *vfs_disk_make(struct vfs_disk *disk, const char *name);
/* Its name is free at once; those who hold it may go on using it. */
void vfs_disk_delete(struct vfs_file *file);

/* What is held lives at least until it is let go. */
void vfs_disk_hold(struct vfs_file *file);
void vfs_disk_let_go(struct vfs_file *file);

int64_t vfs_disk_size(const struct vfs_file *file);
/* Returns the bytes read: fewer than `len` at the end of the file. */
size_t vfs_disk_read(const struct vfs_file *file, int64_t at, void *ret, size_t len);
/* Not beyond VFS_FILE_MAX. */
void vfs_disk_write(struct vfs_file *file, int64_t at, const void *bytes, size_t len);
/* Shortens the file; a size that is larger changes nothing. */
void vfs_disk_cut(struct vfs_file *file, int64_t size);

void vfs_disk_sync(struct vfs_file *file);
void vfs_disk_sync_deletions(struct vfs_disk *disk);
/*
 * A sync that failed, as on Linux: what was pending is no longer so, did not reach the disk,
 * and no later sync will bring it there, while programs still see it.
 */
void vfs_disk_fail_sync(struct vfs_file *file);

/* No file may be held.  Afterwards nothing is pending. */
void vfs_disk_lose_power(struct vfs_disk *disk, struct prng *prng, const struct vfs_odds *odds);

/* Of all names and of all that programs see, to compare two runs. */
uint64_t vfs_disk_digest(const struct vfs_disk *disk);
