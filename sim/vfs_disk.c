/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory with pending changes; see sim/vfs_disk.h.
 */
#include "sim/vfs_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"

struct image {
    unsigned char *bytes;
    size_t size, room;
};

/* A write or a truncation that is not durable yet. */
struct change {
    bool cuts;
    size_t at;   /* in the file; for a truncation the new size */
    size_t len;  /* of a write */
    size_t from; /* offset of its bytes in `data` */
};

struct vfs_file {
    struct vfs_file *older;
    struct vfs_disk *disk;
    char name[VFS_PATH_MAX];
    bool named;         /* as programs see it */
    bool named_durably; /* on the disk */
    int holders;
    struct image visible, durable;
    struct change *changes;
    size_t count, room;
    struct image data;
};

struct vfs_disk {
    struct vfs_file *newest;
};

enum fate { KEEP, DROP, GARBLE, TEAR };

/* Growing byte arrays. */

static void reserve(struct image *image, size_t size)
{
    size_t room = image->room > 0 ? image->room : 4096;

    if (size <= image->room)
        return;
    while (room < size)
        room *= 2;
    image->bytes = realloc(image->bytes, room);
    must(image->bytes);
    image->room = room;
}

/* Bytes between the end and `at` read as zeros. */
static void put_bytes(struct image *image, size_t at, const void *bytes, size_t len)
{
    struct image grown = *image;
    size_t end = at + len;

    reserve(&grown, end);
    if (at > grown.size)
        memset(grown.bytes + grown.size, 0, at - grown.size);
    if (len > 0)
        memcpy(grown.bytes + at, bytes, len);
    if (end > grown.size)
        grown.size = end;
    *image = grown;
}

static void cut(struct image *image, size_t size)
{
    if (size < image->size)
        image->size = size;
}

/* Files and their names. */

struct vfs_disk *vfs_disk_new(void)
{
    struct vfs_disk *disk = calloc(1, sizeof *disk);

    must(disk);
    return disk;
}

static void free_file(struct vfs_file *file)
{
    free(file->visible.bytes);
    free(file->durable.bytes);
    free(file->data.bytes);
    free(file->changes);
    free(file);
}

/* Frees unreachable files. */
static void free_unreachable(struct vfs_disk *disk)
{
    struct vfs_file **link = &disk->newest;

    while (*link) {
        struct vfs_file *file = *link;

        if (file->named || file->named_durably || file->holders > 0) {
            link = &file->older;
        } else {
            *link = file->older;
            free_file(file);
        }
    }
}

struct vfs_disk *vfs_disk_free(struct vfs_disk *disk)
{
    if (!disk)
        return NULL;
    for (struct vfs_file *file = disk->newest; file; file = file->older) {
        must(file->holders == 0);
        file->named = file->named_durably = false;
    }
    free_unreachable(disk);
    free(disk);
    return NULL;
}

struct vfs_file *vfs_disk_find(const struct vfs_disk *disk, const char *name)
{
    struct vfs_file *file = disk->newest;

    while (file && !(file->named && strcmp(file->name, name) == 0))
        file = file->older;
    return file;
}

struct vfs_file *vfs_disk_make(struct vfs_disk *disk, const char *name)
{
    struct vfs_file *file = calloc(1, sizeof *file);

    must(file && strlen(name) < sizeof file->name && !vfs_disk_find(disk, name));
    snprintf(file->name, sizeof file->name, "%s", name);
    file->disk = disk;
    file->named = true;
    file->older = disk->newest;
    disk->newest = file;
    return file;
}

void vfs_disk_delete(struct vfs_file *file)
{
    file->named = false;
    free_unreachable(file->disk);
}

void vfs_disk_hold(struct vfs_file *file)
{
    file->holders++;
}

void vfs_disk_let_go(struct vfs_file *file)
{
    must(file->holders > 0);
    file->holders--;
    free_unreachable(file->disk);
}

/* Operations of programs. */

int64_t vfs_disk_size(const struct vfs_file *file)
{
    return (int64_t)file->visible.size;
}

size_t vfs_disk_read(const struct vfs_file *file, int64_t at, void *ret, size_t len)
{
    size_t from = (size_t)at, rest;

    must(at >= 0);
    if (from >= file->visible.size)
        return 0;
    rest = file->visible.size - from;
    if (len > rest)
        len = rest;
    memcpy(ret, file->visible.bytes + from, len);
    return len;
}

static void forget_changes(struct vfs_file *file)
{
    file->count = 0;
    file->data.size = 0;
}

static void make_durable(struct vfs_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct change *change = &file->changes[i];

        if (change->cuts)
            cut(&file->durable, change->at);
        else
            put_bytes(&file->durable, change->at, file->data.bytes + change->from, change->len);
    }
    forget_changes(file);
}

static void add_change(struct vfs_file *file, struct change change)
{
    if (file->count == file->room) {
        file->room = file->room > 0 ? file->room * 2 : 64;
        file->changes = realloc(file->changes, file->room * sizeof file->changes[0]);
        must(file->changes);
    }
    file->changes[file->count++] = change;
}

void vfs_disk_write(struct vfs_file *file, int64_t at, const void *bytes, size_t len)
{
    must(at >= 0 && at <= VFS_FILE_MAX && len <= (size_t)(VFS_FILE_MAX - at));
    put_bytes(&file->visible, (size_t)at, bytes, len);
    add_change(file, (struct change){.at = (size_t)at, .len = len, .from = file->data.size});
    put_bytes(&file->data, file->data.size, bytes, len);
    if (file->data.size > VFS_PENDING_MAX)
        make_durable(file);
}

void vfs_disk_cut(struct vfs_file *file, int64_t size)
{
    must(size >= 0);
    cut(&file->visible, (size_t)size);
    add_change(file, (struct change){.cuts = true, .at = (size_t)size});
}

void vfs_disk_sync_deletions(struct vfs_disk *disk)
{
    for (struct vfs_file *file = disk->newest; file; file = file->older)
        file->named_durably = file->named_durably && file->named;
    free_unreachable(disk);
}

void vfs_disk_sync(struct vfs_file *file)
{
    make_durable(file);
    file->named_durably = file->named;
    vfs_disk_sync_deletions(file->disk);
}

void vfs_disk_fail_sync(struct vfs_file *file)
{
    forget_changes(file);
}

/* Power loss. */

static enum fate draw(struct prng *prng, const struct vfs_odds *odds)
{
    uint64_t all = (uint64_t)odds->keep + odds->drop + odds->garble + odds->tear;
    uint64_t at = prng_below(prng, all);

    if (at < odds->keep)
        return KEEP;
    at -= odds->keep;
    if (at < odds->drop)
        return DROP;
    return at - odds->drop < odds->garble ? GARBLE : TEAR;
}

static void finish_sector(struct image *durable, size_t at, const unsigned char *bytes,
                          size_t len, struct prng *prng, const struct vfs_odds *odds)
{
    unsigned char noise[VFS_SECTOR];

    switch (draw(prng, odds)) {
    case KEEP:
        put_bytes(durable, at, bytes, len);
        break;
    case DROP:
        break;
    case GARBLE:
        for (size_t i = 0; i < len; i++)
            noise[i] = (unsigned char)prng_next(prng);
        put_bytes(durable, at, noise, len);
        break;
    case TEAR:
        put_bytes(durable, at, bytes, (size_t)prng_below(prng, len));
        break;
    }
}

static void finish_write(struct vfs_file *file, const struct change *change, struct prng *prng,
                         const struct vfs_odds *odds)
{
    for (size_t done = 0; done < change->len;) {
        size_t at = change->at + done;
        size_t len = VFS_SECTOR - at % VFS_SECTOR;

        if (len > change->len - done)
            len = change->len - done;
        finish_sector(&file->durable, at, file->data.bytes + change->from + done, len, prng,
                      odds);
        done += len;
    }
}

static void finish_content(struct vfs_file *file, struct prng *prng,
                           const struct vfs_odds *odds)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct change *change = &file->changes[i];

        if (!change->cuts)
            finish_write(file, change, prng, odds);
        else if (draw(prng, odds) != DROP)
            cut(&file->durable, change->at);
    }
    forget_changes(file);
    file->visible.size = 0;
    put_bytes(&file->visible, 0, file->durable.bytes, file->durable.size);
}

/* A name that was used again belongs to the newer file, if that exists. */
static bool is_replaced(const struct vfs_file *file)
{
    const struct vfs_file *other = file->disk->newest;

    while (other != file && !(other->named && strcmp(other->name, file->name) == 0))
        other = other->older;
    return other != file;
}

void vfs_disk_lose_power(struct vfs_disk *disk, struct prng *prng, const struct vfs_odds *odds)
{
    for (struct vfs_file *file = disk->newest; file; file = file->older) {
        must(file->holders == 0);
        if (file->named != file->named_durably && draw(prng, odds) == DROP)
            file->named = file->named_durably;
        file->named = file->named && !is_replaced(file);
        file->named_durably = file->named;
        finish_content(file, prng, odds);
    }
    free_unreachable(disk);
}

uint64_t vfs_disk_digest(const struct vfs_disk *disk)
{
    struct digest digest = {0};

    for (const struct vfs_file *file = disk->newest; file; file = file->older)
        if (file->named) {
            digest_add(&digest, file->name, strlen(file->name));
            digest_add(&digest, file->visible.bytes, file->visible.size);
        }
    return digest.sum;
}
