/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetches the pages of a list and prints them.
 */
#include "cli/remote/list.h"

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"

enum { PAGES_MAX = 100 * 1000 }; /* of --all: 100 million items; no list is longer */

static int get_page(struct remote *remote, const struct args *args, const char *path,
                    const char *cursor, struct remote_answer *ret)
{
    char full[REMOTE_PATH_MAX];
    struct buf out = BUF(full);
    const char *limit = args->value[LIST_LIMIT];
    struct remote_request request = {.path = full};

    buf_text(&out, path);
    if (!limit && args->value[LIST_ALL])
        limit = "1000";
    path_query(&out, "limit", limit);
    path_query(&out, "cursor", cursor);
    if (out.cut) {
        report_note("request is too long; use fewer or shorter filters");
        return STATUS_USAGE;
    }
    return remote_call(remote, &request, ret);
}

/* Reports a page without the list. */
static int check_page(struct remote *remote, const struct view *view,
                      const struct remote_answer *page)
{
    if (json_is_array(json_object_get(page->json, view->list)))
        return STATUS_OK;
    report_note("response from %s has no %s; is it a Belfry server?", remote_server(remote),
                view->list);
    return STATUS_PROTOCOL;
}

/* Appends the items of all pages from --cursor on; the last page's cursor is null. */
static int fetch_all(struct remote *remote, const struct args *args, const char *path,
                     const struct view *view, json_t *items)
{
    const char *cursor = args->value[LIST_CURSOR];
    struct remote_answer page = {.status = 0};
    int status = STATUS_OK;
    bool more = true;

    for (int i = 0; i < PAGES_MAX && more && status == STATUS_OK; i++) {
        struct remote_answer next;

        status = get_page(remote, args, path, cursor, &next);
        answer_free(&page);
        if (status != STATUS_OK)
            break;
        page = next;
        status = check_page(remote, view, &page);
        json_array_extend(items, json_object_get(page.json, view->list));
        cursor = json_string_value(json_object_get(page.json, "cursor"));
        more = cursor != NULL;
    }
    answer_free(&page);
    return status;
}

static void print_names(const struct view *view, const json_t *items, struct printer *out)
{
    const json_t *item;
    size_t i;

    json_array_foreach(items, i, item)
    {
        printer_safe(out, str_of(member_text(item, view->id)));
        printer_text(out, "\n");
    }
}

static void print_items(struct remote *remote, const struct view *view, const json_t *items,
                        struct printer *out)
{
    if (remote_output(remote) == OUTPUT_NAME)
        print_names(view, items, out);
    else if (json_array_size(items) > 0)
        view_rows(view, items, remote_when(remote), out);
    else
        report_note("no %s found", view->list);
}

static int print_all(struct remote *remote, const struct args *args, const struct view *view,
                     const char *path)
{
    json_auto_t *items = json_new_list();
    int status = fetch_all(remote, args, path, view, items);
    struct printer out;

    if (status != STATUS_OK)
        return status;
    remote_printer(remote, &out);
    if (remote_output(remote) == OUTPUT_JSON)
        print_json(&out, items);
    else
        print_items(remote, view, items, &out);
    return printer_close(&out);
}

int list_print(struct remote *remote, const struct args *args, const struct view *view,
               const char *path)
{
    struct remote_answer page;
    struct printer out;
    const char *cursor;
    int status;

    if (args->value[LIST_ALL])
        return print_all(remote, args, view, path);
    status = get_page(remote, args, path, args->value[LIST_CURSOR], &page);
    if (status != STATUS_OK)
        return status;
    status = check_page(remote, view, &page);
    if (status != STATUS_OK) {
        answer_free(&page);
        return status;
    }
    remote_printer(remote, &out);
    if (remote_output(remote) == OUTPUT_JSON)
        print_json_text(&out, &page);
    else
        print_items(remote, view, json_object_get(page.json, view->list), &out);
    status = printer_close(&out);
    cursor = json_string_value(json_object_get(page.json, "cursor"));
    if (cursor && remote_output(remote) == OUTPUT_TABLE)
        report_note("more %s; use --all, or --cursor %s for the next page", view->list, cursor);
    answer_free(&page);
    return status;
}
