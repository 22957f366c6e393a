/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones from a directory: test/data/zoneinfo, one created here with links, pipes and damaged
 * files, and the system's.
 */
#include <fcntl.h>
#include <fts.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "io/zoneinfo.h"

#define DATA "test/data/zoneinfo"

enum { H = 3600, PATH_ROOM = 256 };

/* 2024-03-10T07:00:00Z, when New York's clocks went forward. */
#define SPRING_2024 INT64_C(1710054000)

static char temp[PATH_ROOM]; /* an empty directory of each test */

static const char *below(const char *name)
{
    static char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s", temp, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
    FILE *file = fopen(below(name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static size_t read_zone(const char *name, uint8_t *bytes, size_t room)
{
    char path[PATH_ROOM];
    FILE *file;
    size_t len;

    snprintf(path, sizeof path, DATA "/%s", name);
    file = fopen(path, "rb");
    assert_non_null(file);
    len = fread(bytes, 1, room, file);
    fclose(file);
    return len;
}

static void copy_zone(const char *from, const char *to)
{
    uint8_t bytes[8192];

    write_file(to, bytes, read_zone(from, bytes, sizeof bytes));
}

static struct zoneinfo *open_zones(const char *dir)
{
    struct err err = {0};
    struct zoneinfo *zones = zoneinfo_open(dir, &err);

    if (!zones)
        fail_msg("%s", err.text);
    return zones;
}

static const struct tz *find(struct zoneinfo *zones, const char *name)
{
    struct err err = {0};
    const struct tz *tz = zoneinfo_find(zones, str_of(name), &err);

    if (!tz)
        fail_msg("%s", err.text);
    return tz;
}

static void refuse(struct zoneinfo *zones, struct str name, enum rc rc, const char *why)
{
    struct err err = {0};

    assert_null(zoneinfo_find(zones, name, &err));
    if (err.rc != rc || !strstr(err.text, why))
        fail_msg("%.*s: %s: `%s` does not say `%s`", STR_ARG(name), rc_name(err.rc), err.text,
                 why);
}

static void a_zone_is_found_and_stays_where_it_is(void **state)
{
    struct zoneinfo *zones = open_zones(DATA);
    const struct tz *tz = find(zones, "America/New_York");

    (void)state;
    assert_string_equal(tz->name, "America/New_York");
    assert_int_equal(tz_offset(tz, SPRING_2024 - 1), -5 * H);
    assert_int_equal(tz_offset(tz, SPRING_2024), -4 * H);
    (void)find(zones, "Europe/Dublin");
    assert_ptr_equal(find(zones, "America/New_York"), tz);
    zoneinfo_close(zones);
}

static void an_offset_is_a_zone_however_it_is_written(void **state)
{
    struct zoneinfo *zones = open_zones(temp);
    const struct tz *tz = find(zones, "UTC+05:00");

    (void)state;
    assert_int_equal(tz_offset(tz, 0), 5 * H);
    assert_ptr_equal(find(zones, "UTC+5"), tz);
    assert_ptr_equal(find(zones, "+0500"), tz);
    assert_ptr_equal(find(zones, "Z"), find(zones, "UTC"));
    refuse(zones, STR("UTC+25"), RC_INVALID, "at most 24 hours");
    zoneinfo_close(zones);
}

static void an_alias_is_a_zone_with_its_own_name(void **state)
{
    struct zoneinfo *zones = open_zones(temp);

    (void)state;
    copy_zone("Europe/Dublin", "Dublin");
    assert_int_equal(symlink("Dublin", below("Eire")), 0);
    assert_string_equal(find(zones, "Eire")->name, "Eire");
    assert_int_equal(tz_offset(find(zones, "Eire"), 0), H);
    zoneinfo_close(zones);
}

static void an_invalid_directory_is_refused(void **state)
{
    struct err err;

    (void)state;
    assert_null(zoneinfo_open(below("absent"), &err));
    assert_int_equal(err.rc, RC_NOT_FOUND);
    assert_non_null(strstr(err.text, "/absent`: No such file or directory"));
    assert_null(zoneinfo_open(DATA "/README", &err));
    assert_int_equal(err.rc, RC_NOT_FOUND);
    assert_non_null(strstr(err.text, "Not a directory"));
    assert_null(zoneinfo_close(NULL));
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
    static const char *const cases[][2] = {
        {"America/NewYork", "`America/NewYork` is not known; did you mean America/New_York?"},
        {"America/New York", "did you mean America/New_York?"},
        {"america/new_york", "did you mean America/New_York?"},
        {"New_York", "did you mean America/New_York?"},
        {"dublin", "did you mean Europe/Dublin?"},
        {"Asia/Kolkatta", "did you mean Asia/Kolkata?"},
        {"Mars/X", "`Mars/X` is not known; use a name such as"},
        {"PST", "`PST` is not known; use a name such as"},
        {"America", "`America` is not known; use a name such as"},
        {"zone.tab", "`zone.tab` is not known"},
        {"tzdata.zi", "`tzdata.zi` is not known"},
        {"../zoneinfo/Europe/Dublin", "is not known"},
        {"Europe/Dublin/", "is not known"},
        {"Europe/Dublin/x", "is not known"},
        {"", "1 to 64 letters"},
        {"Europe/\x1b[31m", "1 to 64 letters"},
        {"Europe/K\xc3\xb6ln", "1 to 64 letters"},
        {"12345678901234567890123456789012345678901234567890123456789012345",
         "1 to 64 letters"},
    };
    struct zoneinfo *zones = open_zones(DATA);
    size_t huge = (size_t)10 << 20;
    char *text = test_malloc(huge);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refuse(zones, str_of(cases[i][0]), RC_NOT_FOUND, cases[i][1]);
    refuse(zones, (struct str){"Europe/Dublin\0x", 15}, RC_NOT_FOUND, "1 to 64 letters");
    memset(text, 'x', huge);
    refuse(zones, (struct str){text, huge}, RC_NOT_FOUND, "1 to 64 letters");
    test_free(text);
    zoneinfo_close(zones);
}

static void a_folder_is_not_suggested(void **state)
{
    struct zoneinfo *zones = open_zones(temp);

    (void)state;
    assert_int_equal(mkdir(below("America"), 0755), 0);
    copy_zone("America/New_York", "America/New_York");
    copy_zone("Africa/Monrovia", "Jamaica");
    refuse(zones, STR("Amaica"), RC_NOT_FOUND, "did you mean Jamaica?");
    refuse(zones, STR("America"), RC_NOT_FOUND, "`America` is not known; use a name such as");
    zoneinfo_close(zones);
}

static void names_whose_meaning_depends_on_the_system_are_refused(void **state)
{
    struct zoneinfo *zones = open_zones(temp);

    (void)state;
    assert_int_equal(mkdir(below("right"), 0755), 0);
    copy_zone("Europe/Dublin", "right/Dublin");
    copy_zone("Europe/Dublin", "posixrules");
    copy_zone("Europe/Dublin", "localtime");
    refuse(zones, STR("right/Dublin"), RC_INVALID, "leave `right/` out");
    refuse(zones, STR("posixrules"), RC_INVALID, "name the zone itself");
    refuse(zones, STR("localtime"), RC_INVALID, "name the zone itself");
    zoneinfo_close(zones);
}

static void files_that_are_not_zones_are_refused_without_blocking(void **state)
{
    struct zoneinfo *zones = open_zones(temp);
    uint8_t bytes[8192];
    size_t len = read_zone("Europe/Dublin", bytes, sizeof bytes);

    (void)state;
    write_file("Empty", "", 0);
    refuse(zones, STR("Empty"), RC_CORRUPT, "\"Empty\" is not a time zone");
    write_file("Text", "no zone at all\n", 15);
    refuse(zones, STR("Text"), RC_NOT_FOUND, "is not known");
    write_file("Half", bytes, len / 2);
    refuse(zones, STR("Half"), RC_CORRUPT, "the file of time zone \"Half\" is broken");
    write_file("Large", bytes, len);
    assert_int_equal(truncate(below("Large"), TZ_FILE_MAX + 1), 0);
    refuse(zones, STR("Large"), RC_LIMIT, "more than 131072 bytes");
    assert_int_equal(mkdir(below("Folder"), 0755), 0);
    refuse(zones, STR("Folder"), RC_NOT_FOUND, "is not known");
    assert_int_equal(mkfifo(below("Pipe"), 0644), 0);
    refuse(zones, STR("Pipe"), RC_NOT_FOUND, "is not known");
    assert_int_equal(symlink("nowhere", below("Dangling")), 0);
    refuse(zones, STR("Dangling"), RC_NOT_FOUND, "is not known");
    assert_int_equal(symlink("Circle", below("Circle")), 0);
    refuse(zones, STR("Circle"), RC_CORRUPT, "cannot be read: Too many levels of symbolic");
    /* A failure is not cached: the file may be repaired. */
    write_file("Half", bytes, len);
    assert_int_equal(tz_offset(find(zones, "Half"), 0), H);
    zoneinfo_close(zones);
}

static void a_directory_without_zones_says_so(void **state)
{
    struct zoneinfo *zones = open_zones(temp);

    (void)state;
    refuse(zones, STR("Europe/Berlin"), RC_NOT_FOUND, "contains no time zones");
    zoneinfo_close(zones);
}

/* Names in one line, separated by blanks. */
static void join_name(const char *name, void *arg)
{
    char *text = arg;
    size_t len = strlen(text);

    snprintf(text + len, 1024 - len, "%s ", name);
}

static void the_list_has_every_zone_and_nothing_else(void **state)
{
    struct zoneinfo *zones = open_zones(DATA);
    char text[1024] = "";

    (void)state;
    zoneinfo_each(zones, join_name, text);
    assert_string_equal(text, "Africa/Casablanca Africa/Monrovia America/New_York America/Nuuk "
                              "America/St_Johns Antarctica/Troll Asia/Gaza Asia/Kolkata "
                              "Asia/Pyongyang Australia/Lord_Howe Europe/Dublin Europe/Moscow "
                              "Pacific/Apia Pacific/Chatham Pacific/Honolulu "
                              "Pacific/Kwajalein ");
    zoneinfo_close(zones);
}

/* New York is the third zone; its next change after the one in March is at 1730613600. */
static void the_list_shows_what_clocks_show(void **state)
{
    struct zoneinfo *zones = open_zones(DATA);
    struct arena *arena = arena_new(1 << 20);
    const struct tz_now *list;
    int count;

    (void)state;
    for (int i = 0; i < 4; i++) { /* also back in time */
        bool is_summer = i % 2 == 1;

        list = zoneinfo_now(zones, instant_of_seconds(SPRING_2024) - !is_summer, arena, &count);
        assert_int_equal(count, 16);
        assert_true(str_eq(list[2].name, STR("America/New_York")));
        assert_int_equal(list[2].type.offset, is_summer ? -4 * H : -5 * H);
        assert_string_equal(list[2].type.abbreviation, is_summer ? "EDT" : "EST");
        assert_int_equal(list[2].type.is_dst, is_summer);
        assert_int_equal(list[2].next, is_summer ? 1730613600 : SPRING_2024);
        assert_int_equal(list[7].type.offset, 11 * H / 2); /* Kolkata */
        assert_true(list[7].next == TZ_TIME_MAX);
    }
    arena_free(arena);
    zoneinfo_close(zones);
}

/* Files are read again only after the next change of a zone. */
static void the_list_omits_damaged_files_and_is_kept(void **state)
{
    struct zoneinfo *zones = open_zones(temp);
    struct arena *arena = arena_new(1 << 20);
    int count;

    (void)state;
    copy_zone("America/New_York", "Here");
    write_file("Damaged", "TZif2", 5);
    (void)zoneinfo_now(zones, instant_of_seconds(SPRING_2024) - 1, arena, &count);
    assert_int_equal(count, 1);
    assert_int_equal(unlink(below("Here")), 0);
    (void)zoneinfo_now(zones, instant_of_seconds(SPRING_2024) - 1, arena, &count);
    assert_int_equal(count, 1);
    (void)zoneinfo_now(zones, instant_of_seconds(SPRING_2024), arena, &count);
    assert_int_equal(count, 0);
    arena_free(arena);
    zoneinfo_close(zones);
}

static void the_list_omits_duplicates_and_survives_link_cycles(void **state)
{
    struct zoneinfo *zones = open_zones(temp);
    char text[1024] = "";

    (void)state;
    assert_int_equal(mkdir(below("posix"), 0755), 0);
    assert_int_equal(mkdir(below("right"), 0755), 0);
    assert_int_equal(mkdir(below(".git"), 0755), 0);
    assert_int_equal(mkdir(below("B"), 0755), 0);
    copy_zone("Europe/Dublin", "posix/Dublin");
    copy_zone("Europe/Dublin", "right/Dublin");
    copy_zone("Europe/Dublin", ".git/Dublin");
    copy_zone("Europe/Dublin", "posixrules");
    copy_zone("Europe/Dublin", "localtime");
    copy_zone("Europe/Dublin", "B/Dublin");
    copy_zone("Europe/Dublin", "B-Dublin");
    copy_zone("Europe/Dublin", "A");
    write_file("zone.tab", "IE Dublin\n", 10);
    assert_int_equal(mkfifo(below("Pipe"), 0644), 0);
    assert_int_equal(symlink("nowhere", below("Dangling")), 0);
    zoneinfo_each(zones, join_name, text);
    assert_string_equal(text, "A B-Dublin B/Dublin ");
    zoneinfo_close(zones);

    assert_int_equal(symlink("..", below("B/x")), 0);
    assert_int_equal(symlink("..", below("B/y")), 0);
    zones = open_zones(temp);
    text[0] = '\0';
    zoneinfo_each(zones, join_name, text);
    assert_non_null(strstr(text, "A B-Dublin B/Dublin B/x/A "));
    zoneinfo_close(zones);
}

static void check_version(const char *version)
{
    struct zoneinfo *zones = open_zones(temp);

    assert_string_equal(zoneinfo_version(zones), version);
    assert_string_equal(zoneinfo_dir(zones), temp);
    zoneinfo_close(zones);
}

static void the_version_is_what_the_directory_says(void **state)
{
    (void)state;
    check_version("");
    write_file("+VERSION", "2024a\n", 6);
    check_version("2024a");
    write_file("tzdata.zi", "# something else\n", 17);
    check_version("2024a");
    write_file("tzdata.zi", "# version 2025b\nR d 1916 o\n", 27);
    check_version("2025b");
    write_file("tzdata.zi", "# version \x1b[31m\n", 16);
    check_version("2024a");
    write_file("+VERSION", "2024a-and-a-text-that-is-too-long-for-it\n", 41);
    check_version("");
}

struct tally {
    struct zoneinfo *zones;
    int count;
};

static void count_name(const char *name, void *arg)
{
    struct tally *tally = arg;
    const struct tz *tz = find(tally->zones, name);

    /* GMT, GMT+0 and GMT-0 are offsets too, which are named UTC. */
    if (!str_starts(str_of(name), STR("GMT")))
        assert_string_equal(tz->name, name);
    tally->count++;
}

static void every_zone_of_the_system_loads_in_any_environment(void **state)
{
    struct tally tally = {0};

    (void)state;
    if (access("/usr/share/zoneinfo/America/New_York", R_OK) != 0)
        skip(); /* a machine without tzdata */
    setenv("TZDIR", "/nowhere", 1);
    tally.zones = open_zones(NULL);
    unsetenv("TZDIR");
    zoneinfo_each(tally.zones, count_name, &tally);
    assert_true(tally.count > 300);
    assert_int_equal(tz_offset(find(tally.zones, "America/New_York"), SPRING_2024), -4 * H);
    zoneinfo_close(tally.zones);
}

/* Our own rules, so that the output of zic is known in advance. */
static const char zic_source[] = "Rule North 1990 max - Mar lastSun 1:00u 1:00 S\n"
                                 "Rule North 1990 max - Oct lastSun 1:00u 0 -\n"
                                 "Rule South 1980 2010 - Oct Sun>=1 2:00s 0:30 S\n"
                                 "Rule South 1980 2010 - Apr Sun>=1 2:00s 0 -\n"
                                 "Rule South 2011 max - Sep lastSun 2:00s 0:30 S\n"
                                 "Rule South 2011 max - Apr Sun>=1 2:00s 0 -\n"
                                 "Zone Test/North 0:53:28 - LMT 1893 Apr\n"
                                 "  1:00 - CET 1990\n"
                                 "  1:00 North CE%sT\n"
                                 "Zone Test/South 10:36 - LMT 1895 Feb\n"
                                 "  10:30 South %z\n"
                                 "Zone Test/Still -3:30 - %z\n";

static void slim_and_fat_files_say_the_same(void **state)
{
    static const char *const names[] = {"Test/North", "Test/South", "Test/Still"};
    struct zoneinfo *slim, *fat;
    char command[4 * PATH_ROOM];

    (void)state;
    write_file("source", zic_source, sizeof zic_source - 1);
    snprintf(command, sizeof command,
             "PATH=$PATH:/usr/sbin; cd '%s' && command -v zic >command.txt && "
             "zic -b slim -d slim source && zic -b fat -d fat source",
             temp);
    if (system(command) != 0)
        skip(); /* no zic, or one without -b */
    slim = open_zones(below("slim"));
    fat = open_zones(below("fat"));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct tz *a = find(slim, names[i]), *b = find(fat, names[i]);

        /* Steps of 17 hours meet each day of the year; the end is in 9990. */
        for (int64_t s = INT64_C(-3000000000); s < INT64_C(253000000000); s += 17 * H)
            must(tz_offset(a, s) == tz_offset(b, s));
    }
    /* 2050-03-27 and 2050-10-30 are the last Sundays. */
    assert_int_equal(tz_offset(find(slim, "Test/North"), INT64_C(2531955600) - 1), H);
    assert_int_equal(tz_offset(find(slim, "Test/North"), INT64_C(2531955600)), 2 * H);
    assert_int_equal(tz_offset(find(slim, "Test/Still"), 0), -3 * H - H / 2);
    zoneinfo_close(slim);
    zoneinfo_close(fat);
}

enum { THREADS = 8, ROUNDS = 50, NAMES = 16 };

static const char *const shared_names[NAMES] = {
    "America/New_York", "UTC+1",         "Europe/Dublin",   "Africa/Monrovia",
    "Asia/Gaza",        "Asia/Kolkata",  "Asia/Pyongyang",  "UTC",
    "Pacific/Apia",     "Europe/Moscow", "Pacific/Chatham", "Pacific/Honolulu",
    "America/Nuuk",     "GMT-3",         "Mars/X",          "Europe/Dublln",
};

struct worker {
    pthread_t thread;
    struct zoneinfo *zones;
    int first; /* where this one begins among the names */
    const struct tz *found[NAMES];
};

static void *find_all(void *arg)
{
    struct worker *worker = arg;
    struct err err;

    for (int i = 0; i < ROUNDS * NAMES; i++) {
        int n = (worker->first + i) % NAMES;
        const struct tz *tz = zoneinfo_find(worker->zones, str_of(shared_names[n]), &err);

        must(i < NAMES || tz == worker->found[n]);
        must(!tz || tz_offset(tz, SPRING_2024) == tz->seg[tz_find(tz, SPRING_2024)].offset);
        worker->found[n] = tz;
    }
    return NULL;
}

static void threads_find_the_same_zones(void **state)
{
    struct zoneinfo *zones = open_zones(DATA);
    struct worker workers[THREADS] = {0};

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        workers[i].zones = zones;
        workers[i].first = 2 * i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, find_all, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (int n = 0; n < NAMES; n++) {
        assert_int_equal(workers[0].found[n] != NULL, n < NAMES - 2);
        for (int i = 1; i < THREADS; i++)
            assert_ptr_equal(workers[i].found[n], workers[0].found[n]);
    }
    zoneinfo_close(zones);
}

/* Folders a and b link back to themselves, so that number `n` is a name: b/a/b/…/Z. */
static void name_of_number(int n, char *text)
{
    for (int bit = 0; bit < 14; bit++) {
        *text++ = n >> bit & 1 ? 'b' : 'a';
        *text++ = '/';
    }
    *text++ = 'Z';
    *text = '\0';
}

static void zones_are_limited_to_thousands(void **state)
{
    struct zoneinfo *zones = open_zones(temp);
    const struct tz *first;
    char name[32];

    (void)state;
    copy_zone("Africa/Monrovia", "Z");
    assert_int_equal(symlink(".", below("a")), 0);
    assert_int_equal(symlink(".", below("b")), 0);
    name_of_number(0, name);
    first = find(zones, name);
    for (int i = 1; i < ZONEINFO_ZONES_MAX; i++) {
        name_of_number(i, name);
        assert_string_equal(find(zones, name)->name, name);
    }
    name_of_number(ZONEINFO_ZONES_MAX, name);
    refuse(zones, str_of(name), RC_LIMIT, "8192 are in use");
    refuse(zones, STR("UTC+1"), RC_LIMIT, "8192 are in use");
    name_of_number(0, name);
    assert_ptr_equal(find(zones, name), first);
    zoneinfo_close(zones);
}

static int make_temp(void **state)
{
    (void)state;
    snprintf(temp, sizeof temp, "/tmp/belfry-zoneinfo-XXXXXX");
    return mkdtemp(temp) ? 0 : -1;
}

static int remove_temp(void **state)
{
    char *const roots[] = {temp, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    (void)state;
    if (!walk)
        return -1;
    for (FTSENT *entry = fts_read(walk); entry; entry = fts_read(walk))
        if (entry->fts_info != FTS_D && remove(entry->fts_path) != 0)
            return -1;
    return fts_close(walk);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_temp, remove_temp)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_zone_is_found_and_stays_where_it_is),
        TEST(an_offset_is_a_zone_however_it_is_written),
        TEST(an_alias_is_a_zone_with_its_own_name),
        TEST(an_invalid_directory_is_refused),
        TEST(an_unknown_name_is_refused_with_the_nearest),
        TEST(a_folder_is_not_suggested),
        TEST(names_whose_meaning_depends_on_the_system_are_refused),
        TEST(files_that_are_not_zones_are_refused_without_blocking),
        TEST(a_directory_without_zones_says_so),
        TEST(the_list_has_every_zone_and_nothing_else),
        TEST(the_list_shows_what_clocks_show),
        TEST(the_list_omits_damaged_files_and_is_kept),
        TEST(the_list_omits_duplicates_and_survives_link_cycles),
        TEST(the_version_is_what_the_directory_says),
        TEST(every_zone_of_the_system_loads_in_any_environment),
        TEST(slim_and_fat_files_say_the_same),
        TEST(threads_find_the_same_zones),
        TEST(zones_are_limited_to_thousands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
