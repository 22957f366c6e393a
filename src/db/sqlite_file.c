/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a SQLite database: the lock, the checks, the ballast and the name of a backup.
 */
#include "db/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/must.h"
#include "base/str.h"

enum {
    PID_TEXT_MAX = 24,
    SUFFIX_MAX = 16, /* ".lock", ".ballast", and the suffixes of SQLite */
};

/* On these, locks or shared memory do not work across machines. */
static const struct {
    uint32_t magic;
    const char *name;
} network[] = {
    {NFS_SUPER_MAGIC, "NFS"},   {SMB_SUPER_MAGIC, "SMB"}, {SMB2_SUPER_MAGIC, "SMB"},
    {CIFS_SUPER_MAGIC, "CIFS"}, {AFS_SUPER_MAGIC, "AFS"}, {CODA_SUPER_MAGIC, "Coda"},
    {CEPH_SUPER_MAGIC, "Ceph"}, {V9FS_MAGIC, "9P"},       {NCP_SUPER_MAGIC, "NCP"},
};

static enum rc check_filesystem(const char *dir, struct err *reterr)
{
    struct statfs fs;

    if (statfs(dir, &fs) != 0)
        return err_set(reterr, RC_INVALID, -1, 0, "cannot determine the file system of %s: %s",
                       dir, strerror(errno));
    for (size_t i = 0; i < sizeof network / sizeof network[0]; i++)
        if ((uint32_t)fs.f_type == network[i].magic)
            return err_set(reterr, RC_INVALID, -1, 0,
                           "%s is on %s, where SQLite loses data; put the database on a local "
                           "disk, or use PostgreSQL",
                           dir, network[i].name);
    return RC_OK;
}

/* The directory of a path: "." for a bare name. */
static void directory_of(const char *path, char *ret)
{
    const char *slash = strrchr(path, '/');
    int len = !slash ? 0 : slash == path ? 1 : (int)(slash - path);

    snprintf(ret, SQLITE_PATH_MAX, "%.*s", len > 0 ? len : 1, len > 0 ? path : ".");
}

/* The real path of a file that need not exist, in a directory that must. */
static enum rc resolve(const char *path, char *ret, struct err *reterr)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char dir[SQLITE_PATH_MAX], real[PATH_MAX];

    if (strlen(path) >= SQLITE_PATH_MAX - SUFFIX_MAX || name[0] == '\0')
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the name of the database is empty or too long; write sqlite:FILE");
    if (realpath(path, real)) {
        name = "";
    } else if (readlink(path, real, sizeof real) >= 0) {
        /* SQLite would create the file under a name that has another lock. */
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the database %s is a dangling symbolic link; name the file itself",
                       path);
    } else {
        directory_of(path, dir);
        if (!realpath(dir, real))
            return err_set(reterr, RC_NOT_FOUND, -1, 0,
                           "no directory %s for the database (%s); create it first", dir,
                           strerror(errno));
    }
    if (snprintf(ret, SQLITE_PATH_MAX, "%s%s%s", real, name[0] ? "/" : "", name) >=
        SQLITE_PATH_MAX - SUFFIX_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "the path of the database is too long");
    return RC_OK;
}

static enum rc set_in_use(int lock, const char *path, struct err *reterr)
{
    char text[PID_TEXT_MAX] = "";
    ssize_t n = pread(lock, text, sizeof text - 1, 0);
    struct str rest = {text, n > 0 ? (size_t)n : 0};
    int64_t pid = 0;

    if (str_take_number(&rest, INT32_MAX, &pid) == 0)
        return err_set(reterr, RC_BUSY, -1, 0,
                       "%s is in use by another process; stop it, or use another file", path);
    return err_set(reterr, RC_BUSY, -1, 0,
                   "%s is in use by process %d; stop it, or use another file", path, (int)pid);
}

static enum rc lock_file(int fd, const char *path, struct err *reterr)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return RC_OK;
    if (errno == EAGAIN || errno == EACCES)
        return set_in_use(fd, path, reterr);
    return err_set(reterr, RC_INVALID, -1, 0, "cannot lock %s.lock: %s", path, strerror(errno));
}

/* For the error message of a second process.  A full disk is not a reason to fail here. */
static void write_pid(int fd)
{
    char text[PID_TEXT_MAX];
    int len = snprintf(text, sizeof text, "%d\n", (int)getpid());

    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)len, 0) != len)
        return;
}

static enum rc take_lock(const char *path, int *ret, struct err *reterr)
{
    char name[SQLITE_PATH_MAX + SUFFIX_MAX];
    enum rc rc;
    int fd;

    snprintf(name, sizeof name, "%s.lock", path);
    fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set(reterr, RC_INVALID, -1, 0, "cannot open %s: %s%s", name, strerror(errno),
                       errno == EACCES ? "; the user that runs Belfry needs write access" : "");
    rc = lock_file(fd, path, reterr);
    if (rc != RC_OK) {
        close(fd);
        return rc;
    }
    write_pid(fd);
    *ret = fd;
    return RC_OK;
}

/* A new name is only as durable as its directory. */
static void sync_directory(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return; /* it may be searchable but not readable: nothing can be done */
    (void)fsync(fd);
    close(fd);
}

/*
 * Opens only a file that does not exist: closing one that SQLite has open in this process would
 * drop SQLite's locks on it.
 */
static enum rc create_file(const char *path, const char *dir, struct err *reterr)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0 && errno != EEXIST)
        return err_set(reterr, RC_INVALID, -1, 0, "cannot create the database %s: %s", path,
                       strerror(errno));
    if (fd >= 0) {
        close(fd);
        sync_directory(dir);
    }
    return RC_OK;
}

enum rc sqlite_file_take(const char *path, bool any_filesystem, char *ret_path, int *ret_lock,
                         struct err *reterr)
{
    char real[SQLITE_PATH_MAX], dir[SQLITE_PATH_MAX];
    enum rc rc = resolve(path, real, reterr);
    int lock = -1;

    if (rc != RC_OK)
        return rc;
    directory_of(real, dir);
    if (!any_filesystem)
        rc = check_filesystem(dir, reterr);
    if (rc == RC_OK)
        rc = take_lock(real, &lock, reterr);
    if (rc == RC_OK)
        rc = create_file(real, dir, reterr);
    if (rc != RC_OK) {
        sqlite_file_release(lock);
        return rc;
    }
    memcpy(ret_path, real, sizeof real);
    *ret_lock = lock;
    return RC_OK;
}

void sqlite_file_release(int lock)
{
    if (lock >= 0)
        close(lock);
}

enum rc sqlite_file_find(const char *path, char *ret_path, struct err *reterr)
{
    char real[PATH_MAX];

    if (!realpath(path, real))
        return err_set(reterr, RC_NOT_FOUND, -1, 0,
                       "no database at %s (%s); start the server once to create it", path,
                       strerror(errno));
    memcpy(ret_path, real, sizeof real);
    return RC_OK;
}

enum rc sqlite_file_ballast(const char *path, bool keep, struct err *reterr)
{
    char file[SQLITE_PATH_MAX];
    int fd, code;

    snprintf(file, sizeof file, "%s.ballast", path);
    if (!keep) {
        (void)unlink(file); /* does not exist: nothing to release */
        return RC_OK;
    }
    fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    code = fd < 0 ? errno : posix_fallocate(fd, 0, SQLITE_BALLAST);
    if (fd >= 0)
        close(fd);
    if (code == 0)
        return RC_OK;
    (void)unlink(file);
    return err_set(reterr, RC_LIMIT, -1, 0, "cannot reserve %d MiB in %s: %s",
                   SQLITE_BALLAST >> 20, file, strerror(code));
}

static bool is_locked(const char *path)
{
    char name[SQLITE_PATH_MAX];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool is = false;
    int fd;

    snprintf(name, sizeof name, "%s.lock", path);
    fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    is = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    close(fd);
    return is;
}

/* Readers leave an empty file, which does no harm. */
static bool has_wal(const char *path)
{
    char name[SQLITE_PATH_MAX];
    bool has = false;
    int fd;

    snprintf(name, sizeof name, "%s-wal", path);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    has = lseek(fd, 0, SEEK_END) > 0;
    close(fd);
    return has;
}

static enum rc check_target(const char *path, bool replace, struct err *reterr)
{
    if (!replace && access(path, F_OK) == 0)
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "%s already exists; choose another file, or use --force", path);
    if (is_locked(path))
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "%s is the database of a running server; choose another file", path);
    if (has_wal(path))
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "the write-ahead log of another database is next to %s (%s-wal); choose "
                       "another file",
                       path, path);
    return RC_OK;
}

/* Deletes what readers of the replaced file left. */
static void delete_leftovers(const char *path)
{
    static const char *const ends[] = {"-wal", "-shm"};
    char name[SQLITE_PATH_MAX];

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

enum rc sqlite_file_begin_copy(const char *path, bool replace, struct sqlite_copy *ret,
                               struct err *reterr)
{
    struct stat st = {0};
    enum rc rc;
    int fd;

    if (path[0] == '\0' || strlen(path) >= SQLITE_PATH_MAX - SUFFIX_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "the name of the copy is empty or too long");
    rc = check_target(path, replace, reterr);
    if (rc != RC_OK)
        return rc;
    snprintf(ret->part, sizeof ret->part, "%s.part", path);
    (void)unlink(ret->part); /* left over from an unfinished copy */
    fd = open(ret->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &st) != 0)
        rc = err_set(reterr, RC_INVALID, -1, 0, "cannot create %s: %s", ret->part,
                     strerror(errno));
    if (fd >= 0)
        close(fd);
    ret->device = st.st_dev;
    ret->inode = st.st_ino;
    return rc;
}

/* Whether the file with the copy's name is still this copy. */
static bool is_copy(const struct sqlite_copy *copy, const struct stat *st)
{
    return st->st_dev == copy->device && st->st_ino == copy->inode;
}

enum rc sqlite_file_end_copy(const struct sqlite_copy *copy, const char *path,
                             struct err *reterr)
{
    char dir[SQLITE_PATH_MAX];
    struct stat st = {0};
    int fd = open(copy->part, O_RDWR | O_CLOEXEC);
    int code = fd < 0 || fsync(fd) != 0 || fstat(fd, &st) != 0 ? errno : 0;

    if (fd >= 0)
        close(fd);
    if (code == ENOENT || (code == 0 && !is_copy(copy, &st)))
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "another backup is writing %s; wait until it ends", path);
    if (code == 0) {
        delete_leftovers(path);
        code = rename(copy->part, path) != 0 ? errno : 0;
    }
    if (code != 0)
        return err_set(reterr, RC_LIMIT, -1, 0, "cannot write %s: %s", path, strerror(code));
    directory_of(path, dir);
    sync_directory(dir);
    return RC_OK;
}

void sqlite_file_drop_copy(const struct sqlite_copy *copy)
{
    struct stat st;

    if (lstat(copy->part, &st) == 0 && is_copy(copy, &st))
        (void)unlink(copy->part);
}
