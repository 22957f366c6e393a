/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the feed reads: all schedules at first, then those that events name, in batches; and
 * what it does when events are missing.
 */
#include "world.h"

#include "api/catalogue/catalogue_feed.h"
#include "world_store.h"

enum { MANY = FEED_ROWS + 100, LARGE = 60, INPUT = 500 * 1000, STEPS_MAX = 1000 };

struct subject {
    struct catalogue *catalogue;
    struct catalogue_feed feed;
    struct db *db;
};

static void open_subject(struct subject *s)
{
    s->catalogue = catalogue_new(1);
    s->db = world_connect();
    catalogue_feed_open(&s->feed, s->catalogue);
}

static void close_subject(struct subject *s)
{
    catalogue_feed_close(&s->feed);
    catalogue_free(s->catalogue);
    db_close(s->db);
}

static void load(struct subject *s)
{
    struct err err = {.text = ""};

    world_must(catalogue_feed_begin(&s->feed, s->db, &err), &err);
    for (int i = 0; !s->feed.is_loaded; i++) {
        struct catalogue_batch batch;

        assert_true(i < STEPS_MAX);
        world_must(catalogue_feed_load(&s->feed, s->db, &batch, &err), &err);
        catalogue_feed_apply(s->catalogue, &batch);
    }
}

/* Returns false if the feed must load again. */
static bool follow(struct subject *s)
{
    struct err err = {.text = ""};
    bool is_current = false;

    for (int i = 0; s->feed.is_loaded && !is_current; i++) {
        struct catalogue_batch batch;

        assert_true(i < STEPS_MAX);
        world_must(catalogue_feed_follow(&s->feed, s->db, &batch, &is_current, &err), &err);
        catalogue_feed_apply(s->catalogue, &batch);
    }
    return s->feed.is_loaded;
}

static void check(struct subject *s)
{
    struct catalogue_batch batch;
    struct err err = {.text = ""};

    world_must(catalogue_feed_check(&s->feed, s->db, &batch, &err), &err);
    catalogue_feed_apply(s->catalogue, &batch);
    assert_true(follow(s));
}

static int64_t entries(const struct subject *s)
{
    return catalogue_size(s->catalogue).entries;
}

static void make_many(int from, int to)
{
    for (int i = from; i < to; i++)
        assert_int_equal(ask(js("PUT /api/v1/schedules/s%d", i), NULL,
                             js("{'action':{'type':'queue','queue':'q'}}")),
                         201);
}

static void change_database(const char *sql)
{
    struct err err = {.text = ""};

    world_must(db_exec(world.db, str_of(sql), &err), &err);
    reconnect(); /* the engine must not use what it cached */
}

static void more_schedules_than_one_batch_are_loaded_and_followed(void **state)
{
    struct subject s;

    (void)state;
    open_subject(&s);
    make_many(0, MANY);
    load(&s);
    assert_int_equal(entries(&s), MANY);
    make_many(MANY, 2 * MANY);
    assert_int_equal(entries(&s), MANY);
    assert_true(follow(&s));
    assert_int_equal(entries(&s), 2 * MANY);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(ask(js("DELETE /api/v1/schedules/s%d", i), NULL, NULL), 204);
    assert_true(follow(&s));
    assert_int_equal(entries(&s), MANY);
    close_subject(&s);
}

/* More than one result of the database can hold. */
static void large_schedules_are_read_in_smaller_batches(void **state)
{
    struct subject s;
    char *body = malloc(INPUT + 200), *text = malloc(INPUT + 1);

    (void)state;
    assert_non_null(body);
    assert_non_null(text);
    memset(text, 'x', INPUT);
    text[INPUT] = '\0';
    open_subject(&s);
    load(&s);
    snprintf(body, INPUT + 200,
             "{\"action\":{\"type\":\"workflow\",\"name\":\"w\",\"input\":{\"a\":\"%s\"}}}",
             text);
    for (int i = 0; i < LARGE; i++)
        assert_int_equal(ask(js("PUT /api/v1/schedules/s%d", i), NULL, body), 201);
    assert_true(follow(&s));
    assert_int_equal(entries(&s), LARGE);
    load(&s);
    assert_int_equal(entries(&s), LARGE);
    free(text);
    free(body);
    close_subject(&s);
}

static void deleted_events_make_it_load_again(void **state)
{
    struct subject s;

    (void)state;
    open_subject(&s);
    make_many(0, 3);
    load(&s);
    assert_true(follow(&s));
    make_many(3, 5);
    assert_int_equal(ask("DELETE /api/v1/schedules/s0", NULL, NULL), 204);
    change_database("DELETE FROM events WHERE seq < (SELECT max(seq) FROM events)");
    assert_false(follow(&s));
    load(&s);
    assert_true(follow(&s));
    check(&s); /* the load did not meet the deleted one */
    assert_int_equal(entries(&s), 4);
    close_subject(&s);
}

static void an_older_database_makes_it_load_again(void **state)
{
    struct subject s;

    (void)state;
    open_subject(&s);
    make_many(0, 3);
    load(&s);
    assert_true(follow(&s));
    change_database("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)");
    change_database("UPDATE nodes SET event = 0");
    assert_false(follow(&s));
    close_subject(&s);
}

/* As if a change had no event. */
static void checking_finds_what_events_do_not_tell(void **state)
{
    struct subject s;

    (void)state;
    open_subject(&s);
    make_many(0, 3);
    load(&s);
    assert_true(follow(&s));
    change_database("UPDATE cursors SET failures = 7, last_start = 5");
    change_database("UPDATE schedules SET deleted_at = 1 WHERE name = 's1'");
    change_database("DELETE FROM cursors WHERE id = (SELECT id FROM schedules"
                    " WHERE name = 's1')");
    assert_true(follow(&s));
    assert_int_equal(entries(&s), 3);
    for (int i = 0; i < 4; i++)
        check(&s); /* what the load missed, a pass, what the pass missed */
    assert_int_equal(entries(&s), 2);
    for (uint32_t i = 0; i < catalogue_rows(s.catalogue); i++) {
        const struct catalogue_row *row = catalogue_row_at(s.catalogue, i);

        assert_true(row->id == 0 || (row->failures == 7 && row->last_start == 5));
    }
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(more_schedules_than_one_batch_are_loaded_and_followed),
        API_TEST(large_schedules_are_read_in_smaller_batches),
        API_TEST(deleted_events_make_it_load_again),
        API_TEST(an_older_database_makes_it_load_again),
        API_TEST(checking_finds_what_events_do_not_tell),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
