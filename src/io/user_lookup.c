/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a user, and whether this process may become that user.
 */
#include "io/user_lookup.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RECORD_MAX = 64 * 1024, /* bytes of a user's record; glibc suggests 1024   */
    LINE_MAX_BYTES = 256,   /* of /proc/self/status                            */
    CAPABILITY_SETGID = 6,  /* numbers of the kernel: linux/capability.h       */
    CAPABILITY_SETUID = 7,
};

static bool take_hex(struct str s, uint64_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = 0;
    size_t n = 0;

    for (const char *at; n < s.len && (at = memchr(digits, s.ptr[n], 16)); n++)
        number = number << 4 | (uint64_t)(at - digits);
    *ret = number;
    return n > 0 && n <= 16;
}

/* Root has these capabilities, unless its container or service drops them. */
static bool can_change_user(void)
{
    const uint64_t needed = 1U << CAPABILITY_SETGID | 1U << CAPABILITY_SETUID;
    FILE *file = fopen("/proc/self/status", "re");
    uint64_t set = geteuid() == 0 ? needed : 0, read;
    char line[LINE_MAX_BYTES];

    if (!file)
        return set == needed;
    while (fgets(line, sizeof line, file))
        if (str_starts(str_of(line), STR("CapEff:\t")) &&
            take_hex(str_from(str_of(line), strlen("CapEff:\t")), &read))
            set = read;
    fclose(file);
    return (set & needed) == needed;
}

bool user_lookup(void *arg, const char *user, struct lookup_answer *ret)
{
    char *record = malloc(RECORD_MAX);
    struct passwd found, *is_found = NULL;
    int error = record ? getpwnam_r(user, &found, record, RECORD_MAX, &is_found) : ENOMEM;
    uid_t uid = is_found ? found.pw_uid : 0;
    gid_t gid = is_found ? found.pw_gid : 0;

    (void)arg;
    free(record);
    if (!is_found && error != 0 && error != ENOENT)
        return false;
    if (!is_found)
        snprintf(ret->text, sizeof ret->text, "the user \"%s\" does not exist", user);
    else if ((uid != geteuid() || gid != getegid()) && !can_change_user())
        snprintf(ret->text, sizeof ret->text,
                 "the server may not run programs as the user \"%s\"; that requires root",
                 user);
    return true;
}
