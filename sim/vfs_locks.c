/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks and shared memory of simulated files.
 */
#include "sim/vfs_locks.h"

#include <stdlib.h>

#include "base/must.h"

struct vfs_locks {
    int holders, mappers;
    int readers;                       /* holders of VFS_SHARED and above */
    const struct vfs_holder *reserved; /* who may write next */
    const struct vfs_holder *pending;  /* who waits for readers to end, or is writing */
    int shared[VFS_SLOTS];
    const struct vfs_holder *exclusive[VFS_SLOTS];
    size_t region_size;
    void *regions[VFS_REGIONS_MAX];
};

void vfs_locks_join(struct vfs_holder *holder, const struct vfs_holder *others)
{
    struct vfs_locks *locks = others ? others->locks : calloc(1, sizeof *locks);

    must(locks);
    *holder = (struct vfs_holder){.locks = locks};
    locks->holders++;
}

void vfs_locks_leave(struct vfs_holder *holder)
{
    struct vfs_locks *locks = holder->locks;

    vfs_locks_give(holder, 0, VFS_SLOTS);
    vfs_locks_lower(holder, VFS_UNLOCKED);
    vfs_locks_unmap(holder);
    holder->locks = NULL;
    if (--locks->holders == 0)
        free(locks);
}

/* Levels. */

static bool raise_to_shared(struct vfs_holder *holder)
{
    if (holder->locks->pending)
        return false;
    holder->locks->readers++;
    holder->level = VFS_SHARED;
    return true;
}

static bool raise_to_reserved(struct vfs_holder *holder)
{
    if (holder->locks->reserved)
        return false;
    holder->locks->reserved = holder;
    holder->level = VFS_RESERVED;
    return true;
}

static bool raise_to_exclusive(struct vfs_holder *holder)
{
    struct vfs_locks *locks = holder->locks;

    if (locks->pending && locks->pending != holder)
        return false;
    locks->pending = holder;
    holder->level = locks->readers == 1 ? VFS_EXCLUSIVE : VFS_PENDING;
    return holder->level == VFS_EXCLUSIVE;
}

bool vfs_locks_raise(struct vfs_holder *holder, enum vfs_level level)
{
    if (level <= holder->level)
        return true;
    must(level != VFS_PENDING && (level == VFS_SHARED || holder->level != VFS_UNLOCKED));
    if (level == VFS_SHARED)
        return raise_to_shared(holder);
    return level == VFS_RESERVED ? raise_to_reserved(holder) : raise_to_exclusive(holder);
}

void vfs_locks_lower(struct vfs_holder *holder, enum vfs_level level)
{
    struct vfs_locks *locks = holder->locks;

    must(level <= VFS_SHARED);
    if (level >= holder->level)
        return;
    if (locks->reserved == holder)
        locks->reserved = NULL;
    if (locks->pending == holder)
        locks->pending = NULL;
    if (level == VFS_UNLOCKED)
        locks->readers--;
    holder->level = level;
}

bool vfs_locks_is_reserved(const struct vfs_holder *holder)
{
    return holder->locks->reserved || holder->locks->pending;
}

/* Slots. */

static bool is_free(const struct vfs_holder *holder, int slot, bool exclusive)
{
    const struct vfs_locks *locks = holder->locks;

    if (locks->exclusive[slot])
        return locks->exclusive[slot] == holder;
    return !exclusive || locks->shared[slot] == 0;
}

bool vfs_locks_take(struct vfs_holder *holder, int first, int count, bool exclusive)
{
    struct vfs_locks *locks = holder->locks;

    must(first >= 0 && count > 0 && count <= VFS_SLOTS - first);
    for (int i = first; i < first + count; i++)
        if (!is_free(holder, i, exclusive))
            return false;
    for (int i = first; i < first + count; i++) {
        unsigned bit = 1U << i;

        if (exclusive) {
            locks->exclusive[i] = holder;
            holder->exclusive |= bit;
        } else if (!(holder->shared & bit)) {
            locks->shared[i]++;
            holder->shared |= bit;
        }
    }
    return true;
}

void vfs_locks_give(struct vfs_holder *holder, int first, int count)
{
    struct vfs_locks *locks = holder->locks;

    must(first >= 0 && count > 0 && count <= VFS_SLOTS - first);
    for (int i = first; i < first + count; i++) {
        unsigned bit = 1U << i;

        if (holder->exclusive & bit)
            locks->exclusive[i] = NULL;
        if (holder->shared & bit)
            locks->shared[i]--;
        holder->exclusive &= ~bit;
        holder->shared &= ~bit;
    }
}

/* Memory. */

void *vfs_locks_region(struct vfs_holder *holder, int index, size_t size, bool make)
{
    struct vfs_locks *locks = holder->locks;

    must(index >= 0 && index < VFS_REGIONS_MAX);
    must(locks->region_size == 0 || locks->region_size == size);
    locks->region_size = size;
    if (!holder->maps) {
        holder->maps = true;
        locks->mappers++;
    }
    if (!locks->regions[index] && make) {
        locks->regions[index] = calloc(1, size);
        must(locks->regions[index]);
    }
    return locks->regions[index];
}

void vfs_locks_unmap(struct vfs_holder *holder)
{
    struct vfs_locks *locks = holder->locks;

    if (!holder->maps)
        return;
    holder->maps = false;
    if (--locks->mappers > 0)
        return;
    for (int i = 0; i < VFS_REGIONS_MAX; i++) {
        free(locks->regions[i]);
        locks->regions[i] = NULL;
    }
}
