/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws random documents of schedules.
 */
#include "forms.h"

#include "core/time/text.h"

enum { NEAR_MS = 8000 }; /* one-off instants are within this */

static bool chance(const struct form *form, uint64_t of)
{
    return prng_below(form->prng, of) == 0;
}

static const char *one_of(const struct form *form, const char *const *words, uint64_t count)
{
    return words[prng_below(form->prng, count)];
}

#define ONE_OF(form, words) one_of((form), (words), sizeof(words) / sizeof(words)[0])

static void draw_instants(const struct form *form, struct buf *out)
{
    int count = (int)prng_between(form->prng, 1, 6);

    buf_text(out, "\"at\":[");
    for (int i = 0; i < count; i++) {
        buf_text(out, i ? ",\"" : "\"");
        instant_format_ms(form->now + prng_between(form->prng, 0, NEAR_MS) * SPAN_MS, out);
        buf_char(out, '"');
    }
    buf_char(out, ']');
}

static void draw_spec(const struct form *form, struct buf *out)
{
    static const char *const crons[] = {"* * * * * *", "*/2 * * * * *", "1-59/3 * * * * *",
                                        "*/5 * * * * *", "0 * * * * *"};
    static const char *const zones[] = {"UTC", "Europe/Berlin", "America/New_York"};
    static const char *const spans[] = {"1s", "2s", "1500ms", "3s"};
    uint64_t kind = prng_below(form->prng, 8);

    buf_text(out, "\"spec\":{");
    if (kind == 0)
        draw_instants(form, out);
    else if (kind < 5)
        buf_printf(out, "\"cron\":[\"%s\"]", ONE_OF(form, crons));
    else
        buf_printf(out, "\"intervals\":[{\"every\":\"%s\",\"phase\":\"%dms\"}]",
                   ONE_OF(form, spans), (int)prng_below(form->prng, 1000));
    buf_printf(out, ",\"timezone\":\"%s\"", ONE_OF(form, zones));
    if (chance(form, 4))
        buf_printf(out, ",\"jitter\":\"%dms\"", (int)prng_between(form->prng, 1, 400));
    buf_char(out, '}');
}

static void draw_action(const struct form *form, struct buf *out)
{
    buf_text(out, ",\"action\":{");
    if (form->is_slow || chance(form, 2))
        buf_printf(out,
                   "\"type\":\"http\",\"method\":\"POST\",\"url\":"
                   "\"http://127.0.0.1:%d/hook\",\"timeout\":\"%ds\"",
                   (int)form->receiver, form->is_slow ? 30 : 2);
    else
        buf_printf(out, "\"type\":\"queue\",\"queue\":\"torture-%d\"",
                   (int)prng_below(form->prng, FORM_QUEUES));
    buf_char(out, '}');
}

static void draw_catchup(const struct form *form, struct buf *out)
{
    static const char *const modes[] = {"all", "latest", "oldest", "none"};

    buf_printf(out, ",\"catchup\":{\"mode\":\"%s\"", ONE_OF(form, modes));
    if (chance(form, 4))
        buf_text(out, ",\"window\":\"3s\"");
    if (chance(form, 4))
        buf_text(out, ",\"whilePaused\":true");
    if (chance(form, 4))
        buf_text(out, ",\"whenFull\":\"drop\"");
    buf_char(out, '}');
}

static void draw_policies(const struct form *form, struct buf *out)
{
    static const char *const overlaps[] = {"skip",        "bufferOne",      "bufferAll",
                                           "cancelOther", "terminateOther", "allowAll"};

    buf_printf(out, ",\"policies\":{\"overlap\":\"%s\"", ONE_OF(form, overlaps));
    draw_catchup(form, out);
    buf_printf(out, ",\"bufferLimit\":%d", (int)prng_between(form->prng, 1, 5));
    buf_printf(out, ",\"retry\":{\"attempts\":%d,\"delay\":\"%dms\",\"max\":\"1s\"}",
               (int)prng_between(form->prng, 1, 3), (int)prng_between(form->prng, 50, 400));
    buf_printf(out, ",\"priority\":%d", (int)prng_between(form->prng, 1, 10));
    buf_text(out, ",\"lease\":{\"for\":\"1s\",\"heartbeat\":\"300ms\",\"grace\":\"200ms\"}");
    if (chance(form, 3))
        buf_text(out, ",\"delivery\":\"atMostOnce\"");
    if (chance(form, 6))
        buf_printf(out, ",\"remainingRuns\":%d", (int)prng_between(form->prng, 1, 20));
    if (chance(form, 4))
        buf_printf(out, ",\"concurrency\":{\"key\":\"gate-%d\",\"limit\":2}",
                   (int)prng_below(form->prng, 3));
    buf_char(out, '}');
}

void form_draw(const struct form *form, struct buf *out)
{
    buf_printf(out, "{\"id\":\"%.*s\",", STR_ARG(form->id));
    draw_spec(form, out);
    draw_action(form, out);
    draw_policies(form, out);
    buf_char(out, '}');
}

void form_rest(const struct form *form, struct buf *out)
{
    buf_printf(out,
               "{\"id\":\"%.*s\",\"spec\":{},"
               "\"action\":{\"type\":\"queue\",\"queue\":\"torture-0\"},"
               "\"policies\":{\"overlap\":\"allowAll\",\"retry\":{\"attempts\":3,"
               "\"delay\":\"50ms\",\"max\":\"1s\"},"
               "\"lease\":{\"for\":\"1s\",\"heartbeat\":\"300ms\",\"grace\":\"200ms\"}}}",
               STR_ARG(form->id));
}

void form_spoil(const struct form *form, struct buf *out)
{
    buf_printf(out,
               "{\"id\":\"%.*s\",\"spec\":{\"cron\":[\"61 * * * *\"]},"
               "\"action\":{\"type\":\"queue\",\"queue\":\"torture-0\"}}",
               STR_ARG(form->id));
}
