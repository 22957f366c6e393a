/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of the test server: it is up to date whenever it is asked.
 */
#include "api/catalogue/catalogue_feed.h"
#include "api/catalogue/catalogue_query.h"
#include "api/catalogue/catalogue_visit.h"
#include "world.h"
#include "world_store.h"

static struct catalogue *catalogue;
static struct catalogue_feed feed;
static struct db *db;

static void load(void)
{
    struct catalogue_batch batch;
    struct err err = {.text = ""};

    catalogue = catalogue_new(1);
    catalogue_feed_open(&feed, catalogue);
    db = world_connect();
    world_must(catalogue_feed_begin(&feed, db, &err), &err);
    while (!feed.is_loaded) {
        world_must(catalogue_feed_load(&feed, db, &batch, &err), &err);
        catalogue_feed_apply(catalogue, &batch);
    }
}

void world_follow_events(void)
{
    struct catalogue_batch batch;
    struct err err = {.text = ""};
    bool is_current = false;

    if (!catalogue)
        load();
    while (!is_current) {
        world_must(catalogue_feed_follow(&feed, db, &batch, &is_current, &err), &err);
        catalogue_feed_apply(catalogue, &batch);
        assert_true(feed.is_loaded);
    }
}

void world_check_schedules(void)
{
    struct catalogue_batch batch = {.begins_pass = false};
    struct err err = {.text = ""};

    for (int passes = 0; passes < 2; passes += batch.begins_pass) {
        world_must(catalogue_feed_check(&feed, db, &batch, &err), &err);
        catalogue_feed_apply(catalogue, &batch);
        world_follow_events();
    }
}

bool world_query_catalogue(void *arg, const struct catalogue_query *query,
                           struct budget *budget, struct arena *arena,
                           struct catalogue_page *ret)
{
    (void)arg;
    (void)budget;
    *ret = (struct catalogue_page){.loaded = 3};
    if (world.is_catalogue_loading)
        return true;
    world_follow_events();
    catalogue_query(catalogue, query, arena, ret);
    ret->as_of = world.now - world.catalogue_age;
    return true;
}

bool world_visit_catalogue(void *arg, struct catalogue_visit *visit, struct budget *budget)
{
    (void)arg;
    (void)budget;
    visit->is_loaded = !world.is_catalogue_loading;
    visit->loaded = 3;
    if (!visit->is_loaded)
        return true;
    world_follow_events();
    visit->as_of = world.now - world.catalogue_age;
    visit->look(visit->arg, catalogue);
    return true;
}

void world_close_catalogue(void)
{
    if (!catalogue)
        return;
    catalogue_feed_close(&feed);
    catalogue = catalogue_free(catalogue);
    db = db_close(db);
}
