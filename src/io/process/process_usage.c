/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads /proc/self and the resource limits.
 */
#include "io/process/process_usage.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void read_memory(struct process_usage *ret)
{
    FILE *file = fopen("/proc/self/statm", "re");
    int64_t pages = 0, resident = 0, page = sysconf(_SC_PAGESIZE);

    if (!file)
        return;
    if (fscanf(file, "%" SCNd64 " %" SCNd64, &pages, &resident) == 2) {
        ret->virtual_bytes = pages * page;
        ret->resident = resident * page;
    }
    fclose(file);
}

static int64_t count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int64_t count = 0;

    if (!dir)
        return 0;
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

struct process_usage process_usage(void)
{
    struct process_usage ret = {0};
    struct rusage usage;
    struct rlimit limit;

    read_memory(&ret);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        ret.cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SPAN_S +
                  usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        ret.files_max = (int64_t)limit.rlim_cur;
    ret.files = count_entries("/proc/self/fd") - 1; /* without the one that reads them */
    ret.threads = count_entries("/proc/self/task");
    return ret;
}
