/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result of a program as JSON.
 */
#include "base/must.h"
#include "model/member.h"
#include "model/run_json.h"
#include "server/dispatch/dispatch_exec_parts.h"
#include "server/dispatch/run_log.h"

static json_t *usage_of(const struct exec_end *end)
{
    json_t *usage = json_new_object();

    json_put(usage, "userMs", json_new_int(end->user / SPAN_MS));
    json_put(usage, "systemMs", json_new_int(end->system / SPAN_MS));
    json_put(usage, "maxRssBytes", json_new_int(end->max_rss));
    return usage;
}

/* Takes ownership of the reference to `output`. */
static json_t *make_result(const struct exec_end *end, json_t *output, bool is_cut)
{
    json_t *result = json_new_object();

    if (end->how == EXEC_EXITED)
        json_put(result, "exitCode", json_new_int(end->code));
    if (end->how == EXEC_SIGNALLED)
        json_put(result, "signal", json_new_int(end->code));
    json_put(result, "usage", usage_of(end));
    json_put(result, "strays", json_new_int(end->strays));
    json_put(result, "output", output);
    json_put(result, "truncated", json_boolean(is_cut));
    return result;
}

static bool print_result(const struct exec_end *end, json_t *output, bool is_cut,
                         struct arena *arena, struct str *ret)
{
    json_auto_t *result = make_result(end, output, is_cut);
    struct err err;

    return json_keep(result, RESULT_MAX, arena, ret, &err) == RC_OK;
}

struct str exec_result_of(const struct exec_end *end, char *output, size_t len, bool is_cut,
                          struct arena *arena)
{
    struct str text = {0};
    struct err err;
    json_t *json;

    if (!is_cut && len > 0 && json_read((struct str){output, len}, &json, &err) == RC_OK &&
        print_result(end, json, false, arena, &text))
        return text;
    if (is_cut)
        len = str_whole((struct str){output, len}).len;
    text_repair(output, len);
    /*
     * A control character takes six bytes in JSON; if the result is too large, try half of the
     * output.
     */
    while (!print_result(end, json_new_str((struct str){output, len}), is_cut, arena, &text)) {
        must(len > 0);
        len = str_whole((struct str){output, len / 2}).len;
        is_cut = true;
    }
    return text;
}
