/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the forked child and executes the program.
 */
#include "io/process/supervisor_start.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"

enum {
    PROGRAM_UMASK = 022, /* the usual default; a program may set a stricter one */
    NOT_STARTED = 127,   /* as a shell returns; it is not read */
};

static struct supervisor_error make_error(enum supervisor_stage stage, int error)
{
    return (struct supervisor_error){stage, error};
}

struct supervisor_error supervisor_find_user(const struct exec_pack *pack,
                                             struct supervisor_user *ret)
{
    struct supervisor_user identity = {.uid = geteuid(), .gid = getegid()};
    const struct passwd *user;
    const struct group *group;
    const char *home = NULL;

    errno = 0;
    if (pack->user[0] != '\0') {
        user = getpwnam(pack->user);
        if (!user)
            return make_error(SUPERVISOR_USER, errno == ENOENT ? 0 : errno);
        identity = (struct supervisor_user){
            .uid = user->pw_uid, .gid = user->pw_gid, .name = pack->user};
        home = user->pw_dir;
    }
    if (pack->group[0] != '\0') {
        group = getgrnam(pack->group);
        if (!group)
            return make_error(SUPERVISOR_GROUP, errno == ENOENT ? 0 : errno);
        identity.gid = group->gr_gid;
    }
    if (home) {
        identity.home = strdup(home); /* the next getpwnam() overwrites it */
        must(identity.home);
    }
    identity.is_other = identity.uid != geteuid() || identity.gid != getegid();
    *ret = identity;
    return make_error(SUPERVISOR_STARTED, 0);
}

static bool become_user(const struct supervisor_user *identity, const int fds[SUPERVISOR_FDS])
{
    if (!identity->is_other)
        return true;
    /* Lets the program open /dev/stdout; without this right it can still write. */
    if (fchown(fds[SUPERVISOR_STDOUT], identity->uid, identity->gid) == 0)
        (void)!fchown(fds[SUPERVISOR_STDERR], identity->uid, identity->gid);
    return (!identity->name || initgroups(identity->name, identity->gid) == 0) &&
           setresgid(identity->gid, identity->gid, identity->gid) == 0 &&
           setresuid(identity->uid, identity->uid, identity->uid) == 0;
}

/* A limit above the hard limit is already enforced by that. */
static bool set_limit(int resource, int64_t soft, int64_t hard)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)resource, &now) != 0)
        return false;
    if ((rlim_t)hard < now.rlim_max)
        now.rlim_max = (rlim_t)hard;
    now.rlim_cur = (rlim_t)soft < now.rlim_max ? (rlim_t)soft : now.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &now) == 0;
}

static bool set_limits(const struct exec_caps *caps)
{
    int64_t cpu = (caps->cpu + SPAN_S - 1) / SPAN_S;

    return set_limit(RLIMIT_CORE, 0, 0) &&
           (cpu == 0 || set_limit(RLIMIT_CPU, cpu, cpu + EXEC_CPU_GRACE_S)) &&
           (caps->memory == 0 || set_limit(RLIMIT_AS, caps->memory, caps->memory)) &&
           (caps->file_size == 0 ||
            set_limit(RLIMIT_FSIZE, caps->file_size, caps->file_size)) &&
           (caps->open_files == 0 ||
            set_limit(RLIMIT_NOFILE, caps->open_files, caps->open_files)) &&
           (caps->processes == 0 || set_limit(RLIMIT_NPROC, caps->processes, caps->processes));
}

/* Dies with its supervisor, cannot gain rights, receives all signals. */
static bool set_process(pid_t supervisor)
{
    sigset_t none;

    sigemptyset(&none);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == supervisor &&
           sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

static bool set_descriptors(const int fds[SUPERVISOR_FDS])
{
    return dup2(fds[SUPERVISOR_STDIN], STDIN_FILENO) == STDIN_FILENO &&
           dup2(fds[SUPERVISOR_STDOUT], STDOUT_FILENO) == STDOUT_FILENO &&
           dup2(fds[SUPERVISOR_STDERR], STDERR_FILENO) == STDERR_FILENO &&
           close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

/* The program's identity must have access to the directory; lowering a limit needs no right. */
static enum supervisor_stage prepare(const struct exec_pack *pack,
                                     const struct supervisor_user *identity,
                                     const int fds[SUPERVISOR_FDS], pid_t supervisor)
{
    if (setsid() < 0)
        return SUPERVISOR_PROCESS;
    if (!become_user(identity, fds))
        return SUPERVISOR_BECOME;
    if (!set_process(supervisor) || !set_descriptors(fds))
        return SUPERVISOR_PROCESS;
    if (chdir(pack->cwd) != 0)
        return SUPERVISOR_CWD;
    if (!set_limits(&pack->caps))
        return SUPERVISOR_LIMITS;
    umask(PROGRAM_UMASK);
    return SUPERVISOR_EXEC;
}

/* Unless the request has one; there is room for one more variable. */
static void add_home(const struct exec_pack *pack, const char *home)
{
    char **at = pack->env;

    for (; *at; at++)
        if (strncmp(*at, "HOME=", 5) == 0)
            return;
    if (asprintf(at, "HOME=%s", home) < 0)
        *at = NULL;
}

void supervisor_become(const struct exec_pack *pack, const struct supervisor_user *identity,
                       const int fds[SUPERVISOR_FDS], int error_pipe, pid_t supervisor)
{
    enum supervisor_stage stage = prepare(pack, identity, fds, supervisor);
    struct supervisor_error refusal;
    ssize_t written;

    if (stage == SUPERVISOR_EXEC && identity->home)
        add_home(pack, identity->home);
    if (stage == SUPERVISOR_EXEC)
        execve(pack->file, pack->argv, pack->env);
    refusal = make_error(stage, errno);
    written = write(error_pipe, &refusal, sizeof refusal);
    _exit(written == (ssize_t)sizeof refusal ? NOT_STARTED : NOT_STARTED + 1);
}

static enum rc rc_of_errno(int error)
{
    switch (error) {
    case 0:
    case ENOENT:
        return RC_NOT_FOUND;
    case EAGAIN:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ETXTBSY:
        return RC_BUSY;
    default:
        return RC_INVALID;
    }
}

void supervisor_explain(const struct exec_pack *pack, struct supervisor_error refusal,
                        struct err *ret)
{
    const char *why = refusal.error ? strerrordesc_np(refusal.error) : "it does not exist";
    enum rc rc = rc_of_errno(refusal.error);

    why = why ? why : "for an unknown reason";
    switch (refusal.stage) {
    case SUPERVISOR_USER:
        err_set(ret, rc, -1, 0, "cannot run as user `%.64s`: %s", pack->user, why);
        break;
    case SUPERVISOR_GROUP:
        err_set(ret, rc, -1, 0, "cannot run as group `%.64s`: %s", pack->group, why);
        break;
    case SUPERVISOR_BECOME:
        err_set(ret, rc, -1, 0,
                "cannot run as user `%.64s`, group `%.64s`: %s; changing them requires root",
                pack->user, pack->group, why);
        break;
    case SUPERVISOR_LIMITS:
        err_set(ret, rc, -1, 0, "cannot set the limits of the program: %s", why);
        break;
    case SUPERVISOR_CWD:
        err_set(ret, rc, -1, 0, "cannot enter the directory `%.200s`: %s", pack->cwd, why);
        break;
    case SUPERVISOR_EXEC:
        err_set(ret, rc, -1, 0, "cannot run `%.200s`: %s", pack->argv[0], why);
        break;
    case SUPERVISOR_STARTED:
    case SUPERVISOR_PROCESS:
        err_set(ret, rc, -1, 0, "cannot create a process: %s", why);
        break;
    }
}
