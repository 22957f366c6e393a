/* SPDX-License-Identifier: Apache-2.0 */
/* The receiver: records every call before it answers, and does not always answer well. */
#include <inttypes.h>
#include <unistd.h>

#include "actor.h"
#include "base/must.h"
#include "core/time/text.h"
#include "io/clock.h"
#include "io/loop.h"
#include "io/net/listener.h"
#include "journal.h"

enum {
    BODY_MAX = 1 << 20,
    LATE_MS_MAX = 300,
    SLOW_MS_MIN = 1000, /* of a slow receiver: most kills come during calls */
    SLOW_MS_MAX = 6000,
    KINDS = 24,
    KIND_CUT = 3,
    KIND_LATE = 4, /* to 6; of a slow receiver, all others */
};

struct receiver {
    struct actor *actor;
    struct loop *loop;
    struct listener *listener;
};

/* A delayed answer. */
struct late {
    struct exchange *x;
    struct loop_timer *timer;
};

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return BODY_MAX;
}

static struct str header(const struct exchange *x, struct str name)
{
    struct str value = {"", 0};

    (void)http1_find(x->request, name, &value);
    return value;
}

static void record_call(struct receiver *r, const struct exchange *x, const char *how)
{
    instant slot = 0;
    struct err err;
    struct str run = header(x, STR("belfry-run"));

    if (instant_parse(header(x, STR("belfry-scheduled-time")), &slot, &err) != RC_OK)
        slot = 0; /* which no verdict accepts */
    journal_write(r->actor->journal,
                  "sent\t%" PRId64 "\t%.*s\t%.*s\t%.*s\t%.*s\t%" PRId64 "\t%s", clock_now(),
                  STR_ARG(run), STR_ARG(header(x, STR("belfry-attempt"))),
                  STR_ARG(header(x, STR("belfry-fence"))),
                  STR_ARG(header(x, STR("idempotency-key"))), slot / SPAN_MS, how);
}

static void answer_late(void *arg)
{
    struct late *late = arg;
    struct loop_timer *timer = late->timer;

    exchange_answer(late->x, 200, NULL, 0, STR("{\"late\":true}"));
    loop_timer_free(timer);
}

static void answer_later(struct receiver *r, struct exchange *x)
{
    struct late *late = arena_take(exchange_arena(x), sizeof *late);

    late->x = x;
    late->timer = loop_timer_new(r->loop, answer_late, late);
    loop_timer_set(late->timer,
                   prng_between(&r->actor->prng, r->actor->is_slow ? SLOW_MS_MIN : 1,
                                r->actor->is_slow ? SLOW_MS_MAX : LATE_MS_MAX) *
                       SPAN_MS);
}

static void on_request(void *arg, struct exchange *x)
{
    static const struct http1_field soon[] = {{{"Retry-After", 11}, {"1", 1}}};
    struct receiver *r = arg;
    uint64_t kind = prng_below(&r->actor->prng, KINDS);

    if (r->actor->is_slow && kind > KIND_LATE)
        kind = KIND_LATE;
    record_call(r, x, kind == KIND_CUT ? "cut" : "answer");
    switch (kind) {
    case 0:
    case 1:
        exchange_answer(x, 500, NULL, 0, STR("{\"no\":1}"));
        break;
    case 2:
        exchange_answer(x, 503, soon, 1, STR("{}"));
        break;
    case KIND_CUT:
        exchange_cut(x);
        break;
    case KIND_LATE:
    case 5:
    case 6:
        answer_later(r, x);
        break;
    default:
        exchange_answer(x, 200, NULL, 0, STR("{\"ok\":true}"));
        break;
    }
}

int receiver_act(struct actor *actor)
{
    struct receiver r = {.actor = actor, .loop = loop_new(NULL, NULL)};
    struct listener_handler handler = {
        .body_max = body_max, .on_request = on_request, .arg = &r};
    uint16_t port = 0;
    struct err err;

    r.listener = listener_new(loop_uv(r.loop), &listener_limits_default, &handler);
    must(listener_bind(r.listener, "127.0.0.1", 0, &port, &err) == RC_OK);
    must(write(actor->port_fd, &port, sizeof port) == sizeof port);
    loop_run(r.loop); /* until it is killed */
    return 0;
}
