/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetches the pages of a list and prints them.
 */
#include "cli/remote/list.h"

#include "cli/frame/commands.h"
#include "cli/frame/report.h"

/* Reports a page without the list. */
static int check_page(struct remote *remote, const struct view *view, const json_t *page)
{
    if (json_is_array(json_object_get(page, view->list)))
        return STATUS_OK;
    report_note("response from %s has no %s; is it a Belfry server?", remote_server(remote),
                view->list);
    return STATUS_PROTOCOL;
}

struct whole_list {
    struct remote *remote;
    const struct view *view;
    json_t *items;
};

static int add_page(void *arg, const json_t *page)
{
    const struct whole_list *whole = arg;

    json_array_extend(whole->items, json_object_get(page, whole->view->list));
    return check_page(whole->remote, whole->view, page);
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
    struct whole_list whole = {remote, view, items};
    const char *limit = args->value[LIST_LIMIT] ? args->value[LIST_LIMIT] : "1000";
    int status = remote_pages(remote, path, limit, args->value[LIST_CURSOR], add_page, &whole);
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
    status = remote_page(remote, path, args->value[LIST_LIMIT], args->value[LIST_CURSOR],
                         &page);
    if (status != STATUS_OK)
        return status;
    status = check_page(remote, view, page.json);
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
