/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the zones of a directory and finds the nearest name.
 */
#include "io/zone_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/file.h"
#include "io/zoneinfo.h"

enum {
    FOLDERS_MAX = 256,   /* tzdata has 20; links may form circles */
    ENTRIES_MAX = 65536, /* visited in all */
    GUESS_MIN = 5,       /* bytes; shorter names are near too many others */
};

struct walk {
    int dir;
    struct arena *arena;
    struct zone_names *list;
    int entries;
    int folder_count;
    const char *folders[FOLDERS_MAX]; /* found so far, each followed by a `/`; "" is the top */
};

bool zone_name_is_special(struct str name)
{
    static const char *const special[] = {"posix", "right", "posixrules", "localtime"};
    struct str head = name, tail;

    (void)str_cut(name, '/', &head, &tail);
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (str_eq(head, str_of(special[i])))
            return true;
    return false;
}

static bool is_zone_file(int dir, const char *name)
{
    char magic[4];

    return file_read_at(dir, name, magic, sizeof magic) == (ssize_t)sizeof magic &&
           memcmp(magic, "TZif", sizeof magic) == 0;
}

static void add_entry(struct walk *walk, const char *folder, const char *entry)
{
    char text[ZONE_NAME_MAX + 2]; /* a folder is followed by a `/` */
    struct buf buf = BUF(text);
    struct stat st;

    buf_text(&buf, folder);
    buf_text(&buf, entry);
    if (buf.cut || !tz_name_is_safe(buf_as_str(&buf)) ||
        zone_name_is_special(buf_as_str(&buf)) || fstatat(walk->dir, text, &st, 0) != 0)
        return;
    if (S_ISDIR(st.st_mode) && walk->folder_count < FOLDERS_MAX) {
        buf_char(&buf, '/');
        walk->folders[walk->folder_count++] = arena_str(walk->arena, buf_as_str(&buf)).ptr;
    } else if (S_ISREG(st.st_mode) && walk->list->count < ZONE_NAMES_MAX &&
               is_zone_file(walk->dir, text)) {
        walk->list->names[walk->list->count++] = arena_str(walk->arena, buf_as_str(&buf)).ptr;
    }
}

static void add_folder(struct walk *walk, const char *folder)
{
    int fd = openat(walk->dir, folder[0] ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!stream) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (walk->entries < ENTRIES_MAX && (entry = readdir(stream)) != NULL) {
        walk->entries++;
        add_entry(walk, folder, entry->d_name);
    }
    closedir(stream);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const struct zone_names *zone_names_read(int dir, struct arena *arena)
{
    struct walk walk = {.dir = dir, .arena = arena, .folder_count = 1, .folders = {""}};

    walk.list = arena_take(arena, sizeof *walk.list);
    for (int i = 0; dir >= 0 && i < walk.folder_count; i++)
        add_folder(&walk, walk.folders[i]);
    qsort(walk.list->names, (size_t)walk.list->count, sizeof walk.list->names[0],
          compare_names);
    return walk.list;
}

/* The part after the last `/`: the place itself. */
static struct str last_part(struct str name)
{
    struct str head, tail;

    while (str_cut(name, '/', &head, &tail))
        name = tail;
    return name;
}

/* "America" is not a misspelling of Jamaica. */
static bool is_folder(const struct zone_names *list, struct str name)
{
    for (int i = 0; i < list->count; i++) {
        struct str other = str_of(list->names[i]);

        if (str_starts(other, name) && other.len > name.len && other.ptr[name.len] == '/')
            return true;
    }
    return false;
}

const char *zone_names_guess(const struct zone_names *list, struct str wrong)
{
    int nearest;

    for (int i = 0; i < list->count; i++)
        if (str_eq_nocase(str_of(list->names[i]), wrong))
            return list->names[i];
    if (wrong.len < GUESS_MIN)
        return NULL;
    for (int i = 0; i < list->count; i++)
        if (str_eq_nocase(last_part(str_of(list->names[i])), wrong))
            return list->names[i];
    if (is_folder(list, wrong))
        return NULL;
    nearest = str_nearest(wrong, list->names, list->count);
    return nearest < 0 ? NULL : list->names[nearest];
}
