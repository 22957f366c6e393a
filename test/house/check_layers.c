/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks every #include line of the tree against the table of layers.
 *
 * The table is the architecture: a folder may include only itself and what its row names, and
 * the row must also name what the folder reaches through headers of others.  Change a row only
 * with a decision (docs/decisions/), not to make this check pass.  A second table says which
 * folders may include the header of a library.
 *
 * With --whole, permissions that no file uses are findings too.
 */
#include "layers.h"

/* test/<folder> may include what src/<folder> includes or reaches, and all of its layer. */
static const struct row rows[] = {
    {"src", "server/commands cli io/process io", "server/config cli/frame base"},
    {"src/base", "", ""},

    {"src/core", "core/spec core/policy base", "core/cron core/rrule core/time"},
    {"src/core/time", "core/limits.h base", ""},
    {"src/core/cron", "core/time core/limits.h base", ""},
    {"src/core/rrule", "core/cron core/time core/limits.h base", ""},
    {"src/core/oncalendar", "core/cron core/time core/limits.h base", ""},
    {"src/core/spec", "core/cron core/oncalendar core/rrule core/time base", "core/limits.h"},
    {"src/core/policy", "core/limits.h core/time base", ""},
    {"src/core/describe", "core/spec core/cron core/rrule core/time base", "core/limits.h"},
    {"src/core/explain", "core/describe core/spec core/time base",
     "core/cron core/rrule core/limits.h"},

    {"src/wire", "wire/http1 wire/json base", ""},
    {"src/wire/http1", "base", ""},
    {"src/wire/json", "base", ""},
    {"src/wire/yaml", "wire/json base", ""},
    {"src/wire/grpc", "base", ""},

    {"src/model",
     "core core/cron core/policy core/spec core/time wire wire/grpc wire/json base",
     "core/rrule"},
    {"src/db", "base", ""},
    {"src/store", "db core base", "core/cron core/policy core/rrule core/spec core/time"},
    {"src/store/check", "store db core",
     "base core/cron core/policy core/rrule core/spec core/time"},
    {"src/engine", "engine/count store core core/policy core/spec base",
     "db core/cron core/rrule core/time"},
    {"src/engine/count", "engine store base",
     "db core core/cron core/policy core/rrule core/spec core/time"},

    {"src/io", "base", ""},
    {"src/io/zoneinfo.h", "core/time base",
     "core/limits.h"}, /* creates struct tz: decision 7 */
    {"src/io/zoneinfo.c", "base", "core/time core/limits.h"},
    {"src/io/zone_names.c", "base", "core/time core/limits.h"},
    {"src/io/net", "io wire/ base", ""},
    {"src/io/client", "io io/net/tls_connect.h wire/http1 base", "io/net/tls.h"},
    {"src/io/process", "base", ""},

    {"src/api",
     "api/call api/schedules api/days api/native api/temporal api/conductor api/agents "
     "api/jobs api/openapi api/overview api/session api/timeline api/ui api/what_if",
     "api/events engine store db model core/ wire/ base"},
    {"src/api/call", "api/access engine store db model core/ wire/ base", ""},
    {"src/api/access", "api/call store wire/http1 base", "engine db model core/ wire/"},
    {"src/api/events", "api/call store core/ base", "engine db model wire/"},
    {"src/api/catalogue",
     "api/call api/events api/schedules store db model core wire/json base",
     "engine core/ wire/"},
    {"src/api/schedules", "api/call store model core/ wire/ base", "engine db"},
    {"src/api/days", "api/call api/schedules store core/", "engine db model wire/ base"},
    {"src/api/native",
     "api/call api/access api/catalogue api/events api/schedules store model core/ wire/ base",
     "engine db"},
    {"src/api/overview",
     "api/call api/access api/catalogue api/schedules store core/ wire/json",
     "engine db model wire/ base"},
    {"src/api/session", "api/call api/access", "base engine store db model core/ wire/"},
    {"src/api/what_if", "api/call api/native api/schedules store model core/ wire/ base",
     "engine db"},
    {"src/api/ui", "api/call wire base", "engine store db model core/ wire/"},
    {"src/api/temporal", "api/call api/schedules store model core/ wire/ base", "engine db"},
    {"src/api/conductor", "api/call api/access api/schedules store model core/ wire/ base",
     "engine db"},
    {"src/api/agents", "api/call api/events api/schedules store model core/ base",
     "engine db wire/"},
    {"src/api/jobs", "api/call api/schedules store model core/ wire/ base", "engine db"},
    {"src/api/timeline", "api/call api/catalogue api/schedules store model core/ wire/json",
     "engine db wire/ base"},
    {"src/api/openapi",
     "api/call api/access api/schedules api/timeline store model core/ wire/ base",
     "engine db"},

    {"src/cli", "cli/frame cli/remote base", "io/ core/ wire/json"},
    {"src/cli/frame", "io core/ base", ""},
    {"src/cli/time", "cli/frame io model core/ wire/ base", ""},
    {"src/cli/remote", "cli/frame io/ wire/ base", "core/"},
    {"src/cli/apply", "cli/frame cli/remote model core/ wire/ base", "io/"},
    {"src/cli/import", "cli/frame cli/remote cli/apply io/ model core/ wire/ base", ""},
    {"src/cli/worker", "cli/frame cli/remote io/ model core/ wire/ base", ""},

    {"src/server",
     "server/check server/config server/dispatch server/frontend "
     "api/call api/access api/catalogue api/events api/openapi api/overview api/schedules "
     "engine store db io/ core/ wire/ base",
     "model server/forward"},
    {"src/server/config", "engine io/ core/ wire/ base", "store db"},
    {"src/server/dispatch", "engine store io/ model core/ wire/ base", "db"},
    {"src/server/forward", "api/call server/dispatch io/ model wire/ base",
     "engine store db core/"},
    {"src/server/frontend",
     "server server/config server/dispatch server/forward "
     "api/call api/access api/events api/schedules "
     "cli/apply cli/frame io/ model wire/ base", /* seeds are manifests */
     "engine store db core/"},
    {"src/server/check", "api/schedules engine store store/check db model core/ base",
     "api/call wire/"},
    {"src/server/commands",
     "server server/check server/config cli/frame db io core/ wire/ base", ""},

    {"sim/", "engine store db core/ base", ""},
    /* The judge computes times with the oracle, not with core. */
    {"sim/judge_due.c", "oracle", "core/ base"},
    {"sim/judge_slots.c", "oracle base", "core/"},
    {"sim/judge_slots_parts.h", "oracle", "core/ base"},
    {"sim/judge_slots_read.c", "base", "engine store db core/"},

    {"test", "", ""},
    {"test/io", "io/ wire/ base", "core/"}, /* its helpers are a server and clients */
    {"test/sim", "db base", "engine store core/"},
    {"test/e2e/", "*", ""}, /* the program as a whole */
    {"test/openapi", "api/openapi base", "api/call engine store db core/ wire/"},
    {"test/torture/", "*", ""},
    {"fuzz/", "*", ""},
    {"bench/", "*", ""},
    /* The oracle judges the core, so it shares nothing with it; its subject is the core. */
    {"test/oracle", "", ""},
    {"test/oracle/subject_belfry.c", "*", ""},
    {"test/house", "", ""},
    {"test/mission", "base", ""},
};

#define THREADS "src/io src/server/writer_parts.h src/server/reader.c "

/* Only io, cli, server and code outside src use the headers of the kernel. */
static const struct header_row header_rows[] = {
    /* Values only: allowed everywhere, also in the core. */
    {"limits.h", "*"},
    {"stdalign.h", "*"},
    {"stdarg.h", "*"},
    {"stdbool.h", "*"},
    {"stddef.h", "*"},
    {"stdint.h", "*"},
    {"inttypes.h", "*"},
    {"string.h", "*"},
    {"assert.h", "*"}, /* static_assert */

    {"stdio.h",
     "src/base src/db src/engine src/api src/io src/cli src/server sim test fuzz bench"},
    {"stdlib.h", "src/base src/model src/db src/store src/engine src/api src/io src/cli "
                 "src/server sim test fuzz bench"},
    {"errno.h", "src/db src/io src/cli src/server sim test fuzz bench"},

    /* Files and programs. */
    {"dirent.h", "src/io test bench"},
    {"fcntl.h",
     "src/db/sqlite_file.c src/db/sqlite_lock.c src/io src/cli src/server test bench"},
    {"fnmatch.h", "test/house"},
    {"fts.h", "src/cli test fuzz"},
    {"getopt.h", "test/torture"},
    {"glob.h", "test/e2e"},
    {"grp.h", "src/io/process"},
    {"linux/magic.h", "src/db/sqlite_file.c"}, /* names of network file systems */
    {"pty.h", "test/e2e"},
    {"pwd.h", "src/io/process src/io/user_lookup.c src/cli/import"},
    {"signal.h", "src/io src/cli src/server sim test bench"},
    {"spawn.h", "src/io/process"},
    {"sys/ioctl.h", "src/cli/frame test/e2e"},
    {"sys/mman.h", "src/io/process bench"},
    {"sys/pidfd.h", "src/io/process"},
    {"sys/prctl.h", "src/io test bench"},
    {"sys/random.h", "src/io src/cli src/server"},
    {"sys/resource.h", "src/io src/cli src/server sim test"},
    {"sys/stat.h",
     "src/db/sqlite_file.c src/db/sqlite_lock.c src/io src/cli src/server test fuzz bench"},
    {"sys/syscall.h", "src/io/thread.c test/io/test_thread.c"},
    {"sys/types.h", "src/io test"},
    {"sys/vfs.h", "src/db/sqlite_file.c"},
    {"sys/wait.h", "src/io src/cli sim test bench"},
    {"unistd.h",
     "src/db/deadline.c src/db/sqlite_file.c src/db/sqlite_lock.c src/io src/cli src/server "
     "sim test bench"},

    /* The network, and waiting. */
    {"arpa/inet.h", "src/io src/server test bench"},
    {"net/if.h", "test/e2e/test_network.c"},
    {"netdb.h", "src/io/client/address_lookup.c test/io"},
    {"netinet/in.h", "src/io test"},
    {"netinet/tcp.h", "test/io bench/dialects"},
    {"poll.h", "src/db/deadline.c src/db/postgres.c src/db/postgres_connect.c src/io src/cli "
               "src/server test bench"},
    {"sys/epoll.h", "bench/dialects"},
    {"sys/eventfd.h", "src/io/mailbox.c"},
    {"sys/signalfd.h", "src/io/process"},
    {"sys/socket.h", "src/io test bench"},
    {"sys/timerfd.h", "src/db/deadline.c"},
    {"sys/un.h", "src/io test"},

    {"time.h", "src/io/clock.c test/core/time/test_tz_type.c test/io/test_clock.c bench/time"},
    {"pthread.h", "src/db/sqlite.c src/db/sqlite_lock.c test/io test/db/test_wal_writeback.c "
                  "test/e2e/peers/upstream.h test/e2e/peers/conductor.h "
                  "src/server/postgres_notify.c src/server/checkpointer.c "
                  "src/server/balance_thread.c src/server/catalogue_thread.c "
                  "src/server/frontend/namespace_cache.c " THREADS},
    {"sched.h",
     "src/io/thread.c test/io/test_thread.c test/io/test_host_name.c test/e2e/test_network.c"},
    {"stdatomic.h",
     "src/base/log.c src/db/db_open.c src/server/postgres_notify.c src/server/counters.h "
     "src/server/commit_signal.h "
     "src/server/ticket.h src/server/catalogue_thread.c bench test/db/test_wal_writeback.c "
     "test/server/test_writer.c test/server/frontend/test_read_queue.c " THREADS},

    /* Of the C library and the processor. */
    {"malloc.h", "src/base/thread_cache.c src/server/commands/serve_command.c "
                 "test/engine/test_inflight.c test/server/dispatch/test_followers.c"},
    {"endian.h", "src/base src/wire"},
    {"cpuid.h", "src/base/sha256_x86.c"},
    {"immintrin.h", "src/base/sha256_x86.c"},

    {"jansson.h", "src/wire/json test fuzz bench"},
    {"sqlite3.h", "src/db/sqlite_parts.h sim/vfs.c bench/api/bare.c bench/engine/bare_sqlite.c "
                  "test/db/test_wal_writeback.c test/server/test_writer.c"},
    {"libpq-fe.h", "src/db/postgres.c src/db/postgres_connect.c src/db/postgres_rows.c "
                   "bench/engine/bare_postgres.c"},
    {"curl/*.h", "src/io/client/fetch.c src/io/client/webhook_check.c "
                 "src/io/client/webhook_parts.h src/io/client/webhook_target.c"},
    {"nghttp2/*.h",
     "src/io/net/h2_parts.h src/io/client/http_client_parts.h test/io bench/dialects"},
    {"protobuf-c/*.h", "src/wire/grpc/proto.h"},
    {"openssl/*.h", "src/io/net/tls.c src/io/net/tls_connect.c src/io/net/tls_parts.h "
                    "src/io/client/signature.c test/io test/e2e"},
    {"uv.h", "src/io test/io"},
    {"yaml.h", "src/wire/yaml/yaml.c src/wire/yaml/yaml_line.c"},
    {"zlib.h", "src/wire/gunzip.c src/io/net/gzip.c test/wire test/io"},

    {"cmocka.h", "test"},
    {"setjmp.h", "test"}, /* cmocka.h needs it */
};

int main(int argc, char **argv)
{
    static const struct layer_tables tables = {
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
        .header_rows = header_rows,
        .header_row_count = sizeof header_rows / sizeof header_rows[0],
    };

    return layers_main(&tables, argc, argv);
}
