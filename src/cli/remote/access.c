/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry token` and `belfry audit`: access tokens and the audit log.
 */
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/request_commands.h"

/* ---- tokens ---- */

static const struct field token_columns[] = {
    {"ID", "id", SHAPE_TEXT, false, NULL},
    {"NAME", "name", SHAPE_TEXT, true, NULL},
    {"ROLE", "role", SHAPE_TEXT, false, NULL},
    {"NAMESPACE", "namespace", SHAPE_TEXT, true, NULL},
    {"CREATED", "createdAt", SHAPE_TIME, false, NULL},
    {"EXPIRES", "expiresAt", SHAPE_AWAY, false, NULL},
    {"LAST USED", "lastUsedAt", SHAPE_AWAY, false, NULL},
};

static const struct view token_view = {"tokens", "id", FIELDS(token_columns), NULL, 0};

static const struct option token_rows[] = {
    REMOTE_OPTION_ROWS,
    {"role", 'r', "ROLE", AS_TEXT("role"),
     "viewer, operator, editor, admin or worker; or one of the\n"
     "first three with worker, such as operator+worker\n"
     "(required)"},
    {"for", '\0', "NAMESPACE", AS_TEXT("namespace"),
     "namespace that the token is valid for; * means all\n"
     "(default: the namespace of -N)"},
    {"expires-in", '\0', "SPAN", AS_TEXT("expiresIn"),
     "lifetime, such as 90d (default: unlimited)"},
    {"expires-at", '\0', "TIME", AS_TIME("expiresAt"), "expiry time, instead of --expires-in"},
};

static void print_token(const json_t *answer, const char *name, const struct when *when,
                        struct printer *out)
{
    (void)name;
    view_one(&token_view, answer, when, out);
    printer_text(out, "\n");
    printer_safe(out, str_of(member_text(answer, "token")));
    printer_text(out, "\n\nThis token is shown only once.  Store it in ~/.config/belfry/token "
                      "(mode 600) or in BELFRY_TOKEN.\n");
}

static int token_create(struct remote *remote, const struct args *args)
{
    static const struct view name_only = {.id = "token"};
    static const struct request_command desc = {.view = &name_only, .print = print_token};
    json_auto_t *body = body_from_options(args);
    struct remote_request request = {.method = "POST", .path = "/api/v1/tokens", .body = body};

    if (!body)
        return STATUS_USAGE;
    if (!str_is_utf8(str_of(args->operand[0]))) {
        report_note("NAME must be UTF-8");
        return STATUS_USAGE;
    }
    json_put(body, "name", json_new_str(str_of(args->operand[0])));
    return request_command_send(remote, &desc, &request, args->operand[0]);
}

static const struct command token_commands[] = {
    {.name = "token create",
     .usage = "NAME --role ROLE [OPTION]...",
     .summary = "Create a token",
     .about = "The first token must have the role admin, all namespaces and no expiry; from\n"
              "then on every request needs a token.  The server stores only a hash of it.\n"
              "-o name prints only the token.\n",
     .examples = "  belfry token create root --role admin --for '*'\n"
                 "  belfry token create ci --role editor --for billing --expires-in 90d\n"
                 "  (umask 077; belfry token create me --role admin --for '*' -o name \\\n"
                 "      > ~/.config/belfry/token)\n",
     OPTIONS(token_rows),
     ONE_NAME,
     CALLS(token_create)},
    {.name = "token list",
     .usage = "[OPTION]...",
     .summary = "List tokens",
     .examples = "  belfry token list\n",
     LISTER(list_options, .kind = "tokens", .view = &token_view)},
    {.name = "token revoke",
     .usage = "ID... [OPTION]...",
     .summary = "Revoke tokens",
     .examples = "  belfry token revoke 0cm4w425a0201\n",
     REQUEST(plain_options, .method = "DELETE", .kind = "tokens", .done = "revoked")},
};

const struct command_group token_group = {"token", "Create, list and revoke access tokens",
                                          FIELDS(token_commands)};

/* ---- audit log ---- */

static const struct field audit_columns[] = {
    {"TIME", "at", SHAPE_TIME, false, NULL},
    {"BY", "by", SHAPE_TEXT, true, NULL},
    {"FROM", "from", SHAPE_TEXT, false, NULL},
    {"OPERATION", "operation", SHAPE_TEXT, false, NULL},
    {"NAMESPACE", "namespace", SHAPE_TEXT, true, NULL},
    {"OBJECT", "object", SHAPE_TEXT, true, NULL},
    {"RESULT", "result", SHAPE_STATE, false, NULL},
    {"COUNT", "count", SHAPE_NUMBER, false, NULL},
};

static const struct view audit_view = {"entries", "object", FIELDS(audit_columns), NULL, 0};

static const struct option audit_rows[] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    {"by", '\0', "NAME", AS_TEXT("by"), "only entries by this caller"},
    {"operation", '\0', "NAME", AS_TEXT("operation"),
     "only this operation, such as schedule.delete"},
    {"object", '\0', "ID", AS_TEXT("object"), "only entries about this object"},
    {"from", '\0', "TIME", AS_TIME("from"), "only entries at or after TIME, such as -2h"},
    {"to", '\0', "TIME", AS_TIME("to"), "only entries at or before TIME"},
    {"everything", '\0', "[=BOOL]", AS_TEXT("everything"),
     "entries of all namespaces and of the server itself;\n"
     "needs an admin of all namespaces (default false)"},
};

static const struct field verify_columns[] = {
    {"NODE", "node", SHAPE_NUMBER, false, NULL},       {"NAME", "name", SHAPE_TEXT, true, NULL},
    {"ENTRIES", "entries", SHAPE_NUMBER, false, NULL}, {"TO", "to", SHAPE_NUMBER, false, NULL},
    {"BROKEN", "broken", SHAPE_TEXT, true, NULL},      {"HEAD", "head", SHAPE_TEXT, true, NULL},
};

static const struct view verify_view = {"nodes", "head", FIELDS(verify_columns), NULL, 0};

struct verified {
    json_t *nodes;
    bool is_intact;
};

/* Adds to `node` what an earlier page of the same node found. */
static void add_earlier(json_t *node, json_t *earlier)
{
    json_int_t entries = json_integer_value(json_object_get(earlier, "entries")) +
                         json_integer_value(json_object_get(node, "entries"));
    json_t *damaged = json_incref(json_object_get(earlier, "damaged"));

    json_put(node, "entries", json_new_int(entries));
    if (json_array_size(damaged) > 0) {
        json_put(node, "broken", json_incref(json_object_get(earlier, "broken")));
        json_array_extend(damaged, json_object_get(node, "damaged"));
        json_put(node, "damaged", json_incref(damaged));
    }
    json_decref(damaged);
}

/* A node's chain may span several pages; the last page has its head. */
static int merge_nodes(void *arg, const json_t *page)
{
    struct verified *v = arg;
    json_t *nodes = v->nodes, *node;
    size_t count = json_array_size(nodes), i;
    json_t *last = count > 0 ? json_array_get(nodes, count - 1) : NULL;

    v->is_intact = v->is_intact && json_is_true(json_object_get(page, "intact"));
    json_array_foreach(json_object_get(page, "nodes"), i, node)
    {
        if (last && json_equal(json_object_get(last, "node"), json_object_get(node, "node"))) {
            add_earlier(node, last);
            json_array_remove(nodes, json_array_size(nodes) - 1);
        }
        json_add(nodes, json_incref(node));
        last = node;
    }
    return STATUS_OK;
}

static void print_damaged(const json_t *nodes, struct printer *out)
{
    size_t i, j;
    json_t *node, *row;

    json_array_foreach(nodes, i, node)
    {
        json_array_foreach(json_object_get(node, "damaged"), j, row)
        {
            printer_printf(out,
                           "Node %" JSON_INTEGER_FORMAT ", entry %" JSON_INTEGER_FORMAT ": ",
                           json_integer_value(json_object_get(node, "node")),
                           json_integer_value(json_object_get(row, "seq")));
            printer_safe(out, str_of(json_string_value(json_object_get(row, "reason"))));
            printer_text(out, ".\n");
        }
    }
}

static int audit_verify(struct remote *remote, const struct args *args)
{
    json_auto_t *nodes = json_new_list();
    struct printer out;
    struct verified v = {nodes, true};
    int closed,
        status = remote_pages(remote, "/api/v1/audit/verify", NULL, NULL, merge_nodes, &v);

    (void)args;
    if (status != STATUS_OK)
        return status;
    remote_printer(remote, &out);
    if (remote_output(remote) == OUTPUT_JSON) {
        json_auto_t *all = json_new_object();

        json_put(all, "intact", json_boolean(v.is_intact));
        json_put(all, "nodes", json_incref(nodes));
        print_json(&out, all);
    } else {
        view_rows(&verify_view, nodes, remote_when(remote), &out);
        print_damaged(nodes, &out);
        printer_text(
            &out, v.is_intact ? "No entry was changed.\n"
                              : "The audit log is damaged: entries were changed or removed.\n");
    }
    closed = printer_close(&out);
    return v.is_intact ? closed : STATUS_FAILED;
}

static const struct command audit_commands[] = {
    {.name = "audit list",
     .usage = "[OPTION]...",
     .summary = "List changes and who made them, newest first",
     .examples = "  belfry audit list --object nightly\n"
                 "  belfry audit list --by ci --from -7d --all -o json\n",
     LISTER(audit_rows, .kind = "audit", .view = &audit_view)},
    {.name = "audit verify",
     .usage = "[OPTION]...",
     .summary = "Check that no audit entry was changed",
     .about =
         "Exits with status 1 if an entry was changed, or if entries before another one are\n"
         "missing.  Store the printed heads on another machine: only an older head reveals\n"
         "that the newest entries were removed or that the whole chain was rewritten.\n",
     .examples = "  belfry audit verify -o json > heads.json\n",
     PLAIN,
     NO_NAME,
     CALLS(audit_verify)},
};

const struct command_group audit_group = {"audit", "List and verify the audit log",
                                          FIELDS(audit_commands)};
