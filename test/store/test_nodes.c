/* SPDX-License-Identifier: Apache-2.0 */
/* Table nodes on both databases: who may take a turn, and which nodes are silent. */
#include "rows.h"

#include "store/nodes.h"

static struct node distinct(int64_t id, struct str name)
{
    return (struct node){
        .id = id,
        .name = name,
        .boot = 11,
        .turn = 12,
        .lease_until = DAY_ONE + 13,
        .key_ms = 14,
        .event = 15,
        .started_at = DAY_ONE + 16,
        .state = NODE_UP,
        .stats = 17,
        .turned_at = DAY_ONE + 18,
        .skew = -19,
        .version = STR("1.2.3"),
        .address = STR("h\xC3\xB6st:7227"),
    };
}

static void assert_node(const struct node *got, const struct node *expected)
{
    assert_int_equal(got->id, expected->id);
    assert_str_equal(got->name, expected->name);
    assert_int_equal(got->boot, expected->boot);
    assert_int_equal(got->turn, expected->turn);
    assert_int_equal(got->lease_until, expected->lease_until);
    assert_int_equal(got->key_ms, expected->key_ms);
    assert_int_equal(got->event, expected->event);
    assert_int_equal(got->started_at, expected->started_at);
    assert_int_equal(got->state, expected->state);
    assert_int_equal(got->stats, expected->stats);
    assert_int_equal(got->turned_at, expected->turned_at);
    assert_int_equal(got->skew, expected->skew);
    assert_str_equal(got->version, expected->version);
    assert_str_equal(got->address, expected->address);
}

static int64_t insert(struct fixture *f, const struct node *node)
{
    struct db_result got = {.changed = -1};

    nodes_insert(f->db, node, &got);
    flush(f);
    return got.changed;
}

static int64_t turn(struct fixture *f, const struct node *node)
{
    struct db_result got = {.changed = -1};

    nodes_turn(f->db, node, &got);
    flush(f);
    return got.changed;
}

static int64_t boot(struct fixture *f, const struct node *node)
{
    struct db_result got = {.changed = -1};

    nodes_boot(f->db, node, &got);
    flush(f);
    return got.changed;
}

static struct node read_one(struct fixture *f, struct str name)
{
    struct db_result got;
    struct node node;

    nodes_find(f->db, name, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    nodes_read(&got, 0, &node);
    return node;
}

static void every_field_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct node n = distinct(7, STR("n\xC3\xB6rd")), back;

    n.state = NODE_DOWN;
    assert_int_equal(insert(f, &n), 1);
    assert_int_column(f, "nodes", "id", 7);
    assert_text_column(f, "nodes", "name", n.name);
    assert_int_column(f, "nodes", "boot", 11);
    assert_int_column(f, "nodes", "turn", 12);
    assert_int_column(f, "nodes", "lease_until", DAY_ONE + 13);
    assert_int_column(f, "nodes", "key_ms", 14);
    assert_int_column(f, "nodes", "event", 15);
    assert_int_column(f, "nodes", "started_at", DAY_ONE + 16);
    assert_int_column(f, "nodes", "state", NODE_DOWN);
    assert_int_column(f, "nodes", "stats", 17);
    assert_int_column(f, "nodes", "turned_at", DAY_ONE + 18);
    assert_int_column(f, "nodes", "skew", -19);
    assert_text_column(f, "nodes", "version", n.version);
    assert_text_column(f, "nodes", "address", n.address);
    back = read_one(f, n.name);
    assert_node(&back, &n);
}

static void a_name_and_a_key_are_taken_once(void **state)
{
    struct fixture *f = *state;
    struct node one = distinct(1, STR("one")), same_name = distinct(2, STR("one"));
    struct node same_key = distinct(1, STR("two")), back;
    struct db_result nobody;

    same_name.boot = same_key.boot = 99;
    assert_int_equal(insert(f, &one), 1);
    assert_int_equal(insert(f, &same_name), 0);
    assert_int_equal(insert(f, &same_key), 0);
    back = read_one(f, STR("one"));
    assert_node(&back, &one);
    nodes_find(f->db, STR("two"), &nobody);
    flush(f);
    assert_int_equal(nobody.rows, 0);
}

static void nodes_are_listed_by_key(void **state)
{
    struct fixture *f = *state;
    struct node three = distinct(3, STR("a")), one = distinct(1, STR("b")), back;
    struct db_result got;

    insert(f, &three);
    insert(f, &one);
    nodes_list(f->db, &got);
    flush(f);
    assert_ids(&got, "1 3");
    nodes_read(&got, 1, &back);
    assert_node(&back, &three);
}

static void a_new_boot_follows_the_last_one_and_keeps_the_events(void **state)
{
    struct fixture *f = *state;
    struct node n = distinct(1, STR("one")), other = distinct(2, STR("two")), next = n, back;

    n.state = NODE_DOWN;
    insert(f, &n);
    insert(f, &other);
    next.boot = 12;
    next.turn = 0;
    next.lease_until = 21;
    next.key_ms = 22;
    next.event = 23;
    next.started_at = 24;
    next.stats = 25;
    next.turned_at = 26;
    next.skew = 27;
    next.version = STR("4.5.6");
    next.address = STR("other:1");
    assert_int_equal(boot(f, &next), 1);
    assert_int_equal(boot(f, &next), 0);
    next.event = n.event;
    next.state = NODE_UP;
    back = read_one(f, STR("one"));
    assert_node(&back, &next);
    back = read_one(f, STR("two"));
    assert_node(&back, &other);
}

static void only_the_current_boot_of_a_node_takes_a_turn_and_once(void **state)
{
    struct fixture *f = *state;
    struct node n = distinct(1, STR("one")), other = distinct(2, STR("two")), next = n, back;

    insert(f, &n);
    insert(f, &other);
    next.turn = 13;
    next.lease_until = 31;
    next.key_ms = 32;
    next.event = 33;
    next.turned_at = 35;
    next.skew = 36;
    next.started_at = 34; /* not written by a turn */
    assert_int_equal(turn(f, &next), 1);
    assert_int_equal(turn(f, &next), 0);
    next.started_at = n.started_at;
    back = read_one(f, STR("one"));
    assert_node(&back, &next);
    back = read_one(f, STR("two"));
    assert_node(&back, &other);

    next.turn = 15; /* one was skipped */
    assert_int_equal(turn(f, &next), 0);
    next.turn = 14;
    next.boot = 10;
    assert_int_equal(turn(f, &next), 0);
    next.boot = 12;
    assert_int_equal(turn(f, &next), 0);
    next.boot = 11;
    nodes_declare(f->db, 1, NODE_LOST, next.lease_until);
    assert_int_equal(turn(f, &next), 0);
    nodes_declare(f->db, 1, NODE_DOWN, next.lease_until);
    assert_int_equal(turn(f, &next), 0);
    nodes_declare(f->db, 1, NODE_UP, next.lease_until);
    assert_int_equal(turn(f, &next), 1);
}

static void history_is_counted_once(void **state)
{
    struct fixture *f = *state;
    struct node n = distinct(1, STR("one")), next = n;

    insert(f, &n);
    nodes_count(f->db, &n, 30);
    assert_int_equal(read_one(f, STR("one")).stats, 30);
    nodes_count(f->db, &n, 40); /* `n` has 17, the row has 30 */
    assert_int_equal(read_one(f, STR("one")).stats, 30);
    n.stats = 30;
    n.state = NODE_LOST;
    nodes_count(f->db, &n, 40);
    assert_int_equal(read_one(f, STR("one")).stats, 30);
    nodes_declare(f->db, 1, NODE_LOST, 1);
    nodes_count(f->db, &n, 40);
    assert_int_equal(read_one(f, STR("one")).stats, 40);
    /* A node that boots must know the current value. */
    next.boot = 12;
    next.stats = 30;
    assert_int_equal(boot(f, &next), 0);
    next.stats = 40;
    assert_int_equal(boot(f, &next), 1);
}

static void assert_mark(struct fixture *f, int64_t counted, int64_t until, int64_t after)
{
    struct days_mark mark = read_one(f, STR("one")).days;

    assert_int_equal(mark.counted, counted);
    assert_int_equal(mark.until, until);
    assert_int_equal(mark.after, after);
}

static void days_are_counted_once(void **state)
{
    static const struct days_mark begun = {50, 60, 7}, ended = {60, 60, 0};
    struct fixture *f = *state;
    struct node n = distinct(1, STR("one")), next = n;

    n.days = (struct days_mark){50, 50, 0};
    insert(f, &n);
    nodes_count_days(f->db, &n, &begun);
    assert_mark(f, 50, 60, 7);
    nodes_count_days(f->db, &n, &ended); /* as `n` was before */
    assert_mark(f, 50, 60, 7);
    n.days = begun;
    n.state = NODE_LOST;
    nodes_count_days(f->db, &n, &ended);
    assert_mark(f, 50, 60, 7);
    nodes_declare(f->db, 1, NODE_LOST, 1);
    nodes_count_days(f->db, &n, &ended);
    assert_mark(f, 60, 60, 0);
    next.boot = 12;
    next.days = begun;
    assert_int_equal(boot(f, &next), 0);
    next.days = ended;
    assert_int_equal(boot(f, &next), 1);
    assert_mark(f, 60, 60, 0);
}

/* Up or lost: the runs of a lost node may not all be taken back yet. */
static void silent_nodes_have_an_expired_lease_and_are_not_down(void **state)
{
    static const instant leases[] = {100, 99, 98, 101};
    struct fixture *f = *state;
    struct db_result got;
    struct node back;

    for (int i = 4; i >= 1; i--) {
        char name[] = {(char)('a' + i), '\0'};
        struct node n = distinct(i, str_of(name));

        n.lease_until = leases[i - 1];
        insert(f, &n);
    }
    nodes_silent(f->db, 100, &got);
    flush(f);
    assert_ids(&got, "2 3");
    nodes_read(&got, 0, &back);
    assert_int_equal(back.lease_until, 99);
    nodes_declare(f->db, 2, NODE_LOST, 150);
    back = read_one(f, STR("c"));
    assert_int_equal(back.state, NODE_LOST);
    assert_int_equal(back.lease_until, 150);
    assert_int_equal(read_one(f, STR("d")).state, NODE_UP);
    nodes_declare(f->db, 3, NODE_DOWN, 98);
    nodes_silent(f->db, 100, &got);
    flush(f);
    assert_ids(&got, "");
    nodes_silent(f->db, 151, &got);
    flush(f);
    assert_ids(&got, "1 2 4");
}

static int64_t hold(struct fixture *f, instant since, instant lease_until)
{
    struct db_result got = {0};

    nodes_hold(f->db, 1, since, lease_until, &got);
    flush(f);
    return got.changed;
}

/* Only the node that has declared it lost, and only until it is back. */
static void a_takeover_is_extended_by_one_node(void **state)
{
    struct fixture *f = *state;
    struct node n = distinct(1, STR("one"));

    insert(f, &n);
    nodes_declare(f->db, 1, NODE_LOST, 100);
    assert_int_equal(hold(f, 100, 200), 1);
    assert_int_equal(read_one(f, STR("one")).lease_until, 200);
    assert_int_equal(hold(f, 100, 300), 0); /* another node has extended it since */
    assert_int_equal(read_one(f, STR("one")).lease_until, 200);
    nodes_declare(f->db, 1, NODE_UP, 200);
    assert_int_equal(hold(f, 200, 300), 0);
    nodes_declare(f->db, 1, NODE_DOWN, 200);
    assert_int_equal(hold(f, 200, 300), 0);
    assert_int_equal(read_one(f, STR("one")).lease_until, 200);
}

static void keys_are_reserved_for_one_node(void **state)
{
    struct fixture *f = *state;
    struct db_result rows, changed;
    struct node one, two;

    nodes_insert(f->db, &(struct node){.id = 1, .name = STR("a"), .key_ms = 5}, &changed);
    nodes_insert(f->db, &(struct node){.id = 2, .name = STR("b"), .key_ms = 6}, &changed);
    nodes_reserve(f->db, 2, 700);
    nodes_list(f->db, &rows);
    flush(f);
    nodes_read(&rows, 0, &one);
    nodes_read(&rows, 1, &two);
    assert_int_equal(one.key_ms, 5);
    assert_int_equal(two.key_ms, 700);
}

static void others_are_counted_while_they_are_up(void **state)
{
    struct fixture *f = *state;
    struct db_result changed, alone, two, counted, days, from_four;

    nodes_insert(f->db, &(struct node){.id = 1, .name = STR("a"), .state = NODE_UP}, &changed);
    nodes_insert(f->db, &(struct node){.id = 2, .name = STR("b"), .state = NODE_DOWN},
                 &changed);
    nodes_insert(f->db, &(struct node){.id = 3, .name = STR("c"), .state = NODE_LOST},
                 &changed);
    nodes_others(f->db, 1, &alone);
    nodes_insert(f->db, &(struct node){.id = 4, .name = STR("d"), .state = NODE_UP}, &changed);
    nodes_insert(f->db, &(struct node){.id = 5, .name = STR("e"), .state = NODE_UP}, &changed);
    nodes_others(f->db, 1, &two);
    nodes_count(f->db, &(struct node){.id = 3, .state = NODE_LOST}, 30);
    nodes_count(f->db, &(struct node){.id = 4, .state = NODE_UP}, 20);
    nodes_count(f->db, &(struct node){.id = 5, .state = NODE_UP}, 40);
    nodes_others(f->db, 1, &counted);
    nodes_others(f->db, 4, &from_four);
    for (int id = 3; id <= 5; id++) {
        struct days_mark mark = {id == 5 ? 15 : 40, 40, 0};

        nodes_count_days(
            f->db, &(struct node){.id = id, .state = id == 3 ? NODE_LOST : NODE_UP}, &mark);
    }
    nodes_others(f->db, 1, &days);
    flush(f);
    assert_int_equal(db_int_at(&two, 0, 2), 0);
    assert_int_equal(db_int_at(&counted, 0, 2), 0);
    assert_int_equal(db_int_at(&days, 0, 2), 15);
    assert_int_equal(db_int_at(&from_four, 0, 2), 0); /* node 1 has counted nothing */
    assert_ids(&alone, "0");
    assert_ids(&two, "2");
}

static int64_t sum_of_others(struct fixture *f)
{
    struct db_result row;

    nodes_others(f->db, 1, &row);
    flush(f);
    return db_int_at(&row, 0, 1);
}

static void each_change_by_another_node_raises_the_sum_of_turns_and_boots(void **state)
{
    struct fixture *f = *state;
    struct node other = {.id = 2, .name = STR("b"), .boot = 1, .state = NODE_UP};
    struct db_result changed;
    int64_t before = sum_of_others(f), after;

    assert_int_equal(before, 0);
    nodes_insert(f->db, &other, &changed);
    assert_true((after = sum_of_others(f)) > before);
    before = after;
    other.turn = 1;
    nodes_turn(f->db, &other, &changed);
    assert_true((after = sum_of_others(f)) > before);
    before = after;
    other.boot = 2;
    nodes_boot(f->db, &other, &changed);
    assert_true((after = sum_of_others(f)) > before);
    before = after;
    nodes_declare(f->db, 2, NODE_LOST, 0);
    assert_int_equal(sum_of_others(f), before); /* that was another node */
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/nodes.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_has_its_column),
        STORE_TEST(a_name_and_a_key_are_taken_once),
        STORE_TEST(nodes_are_listed_by_key),
        STORE_TEST(a_new_boot_follows_the_last_one_and_keeps_the_events),
        STORE_TEST(only_the_current_boot_of_a_node_takes_a_turn_and_once),
        STORE_TEST(history_is_counted_once),
        STORE_TEST(days_are_counted_once),
        STORE_TEST(silent_nodes_have_an_expired_lease_and_are_not_down),
        STORE_TEST(a_takeover_is_extended_by_one_node),
        STORE_TEST(keys_are_reserved_for_one_node),
        STORE_TEST(others_are_counted_while_they_are_up),
        STORE_TEST(each_change_by_another_node_raises_the_sum_of_turns_and_boots),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
