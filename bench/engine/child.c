/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts this program again as a child process, which measures and prints one number.
 */
#include "child.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/clock.h"
#include "rig.h"

enum { NUMBER_BYTES = 24, LINE_BYTES = 256 };

static int64_t resident_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[LINE_BYTES];
    long long kb = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %lld", &kb) == 1)
            break;
    if (!file || kb == 0)
        DIE("no VmRSS in /proc/self/status");
    fclose(file);
    return kb;
}

static int64_t first_call(struct rig *rig, instant now, int64_t begun)
{
    struct turn_in in = rig_due(now, BATCH);
    struct turn_out out;

    rig_turn(rig, &in, &out);
    if (out.dispatch_count == 0)
        DIE("the first turn has no dispatch");
    return clock_boot_us() - begun;
}

static int64_t idle_turn(struct rig *rig, instant now)
{
    struct turn_in in = rig_due(now, BATCH);
    struct turn_out out;

    rig_turn(rig, &in, &out);
    if (out.dispatch_count > 0)
        DIE("the idle turn found due schedules");
    return resident_kb();
}

/* PROGRAM --child WHAT URL NOW BEGUN */
int child_main(char **arguments)
{
    bool is_first = strcmp(arguments[2], "first") == 0;
    instant now = strtoll(arguments[4], NULL, 10);
    struct rig rig;

    rig_open(&rig, arguments[3], now);
    printf("%lld\n",
           (long long)(is_first ? first_call(&rig, now, strtoll(arguments[5], NULL, 10))
                                : idle_turn(&rig, now)));
    rig_close(&rig);
    return EXIT_SUCCESS;
}

static void become_child(const char *what, const char *url, instant now, int out)
{
    char at[NUMBER_BYTES], begun[NUMBER_BYTES];

    snprintf(at, sizeof at, "%lld", (long long)now);
    snprintf(begun, sizeof begun, "%lld", (long long)clock_boot_us());
    dup2(out, STDOUT_FILENO);
    execl("/proc/self/exe", "bench-engine", "--child", what, url, at, begun, (char *)NULL);
    _exit(EXIT_FAILURE);
}

static int64_t ask(const char *what, const char *url, instant now)
{
    int ends[2], status = 0;
    long long answer = 0;
    FILE *in;
    pid_t pid;

    if (pipe(ends) != 0 || (pid = fork()) < 0)
        DIE("cannot start a process");
    if (pid == 0)
        become_child(what, url, now, ends[1]);
    close(ends[1]);
    in = fdopen(ends[0], "r");
    if (!in || fscanf(in, "%lld", &answer) != 1)
        DIE("the child printed nothing");
    fclose(in);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        DIE("the child failed");
    return answer;
}

int64_t child_idle(const char *url, instant now)
{
    return ask("idle", url, now);
}

int64_t child_first(const char *url, instant now)
{
    return ask("first", url, now);
}
