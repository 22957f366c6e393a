/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetches the pages of a list and prints them.
 */
#include "cli/remote/list.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/frame/commands.h"
#include "cli/frame/report.h"

enum {
    PAGE_MAX = 1000,    /* items of a page: the server's limit               */
    PAGES_MAX = 100000, /* of one list, should a server always send a cursor */
    LIMIT_TEXT_MAX = 24,
};

/* Writes how many of `wanted` items to ask for at once. */
static void write_count(int64_t wanted, char ret[LIMIT_TEXT_MAX])
{
    snprintf(ret, LIMIT_TEXT_MAX, "%" PRId64, wanted < PAGE_MAX ? wanted : PAGE_MAX);
}

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

/* Prints the value of the first of `names`, which are separated by spaces; returns the rest. */
static struct str print_name(struct str names, const json_t *item, struct printer *out)
{
    struct str name = names, rest = {NULL, 0};
    const json_t *value;

    (void)str_cut(names, ' ', &name, &rest);
    value = json_object_getn(item, name.ptr, name.len);
    if (json_is_integer(value))
        printer_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        printer_safe(out, str_of(json_is_string(value) ? json_string_value(value) : ""));
    printer_text(out, rest.len > 0 ? " " : "\n");
    return rest;
}

static void print_names(const struct view *view, const json_t *items, struct printer *out)
{
    const json_t *item;
    size_t i;

    json_array_foreach(items, i, item)
    {
        struct str names = str_of(view->id);

        do {
            names = print_name(names, item, out);
        } while (names.len > 0);
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

/*
 * Fetches further pages until the list has `limit` items: the server limits the items of a page
 * and the rows that it reads for a page.  Adds the items to `page`, which also gets the cursor
 * of the last page.  *ret_is_whole becomes false if there was a further page: then the text of
 * the first answer is not the whole list.
 */
static int fetch_rest(struct remote *remote, const struct view *view, const char *path,
                      int64_t limit, json_t *page, bool *ret_is_whole)
{
    json_t *items = json_object_get(page, view->list);
    int status = STATUS_OK;

    for (int i = 0; i < PAGES_MAX && status == STATUS_OK; i++) {
        struct remote_answer next;
        char count[LIMIT_TEXT_MAX];

        if ((int64_t)json_array_size(items) >= limit ||
            !json_is_string(json_object_get(page, "cursor")))
            break;
        *ret_is_whole = false;
        write_count(limit - (int64_t)json_array_size(items), count);
        status = remote_page(remote, path, count, member_text(page, "cursor"), &next);
        if (status != STATUS_OK)
            return status;
        status = check_page(remote, view, next.json);
        json_array_extend(items, json_object_get(next.json, view->list));
        json_put(page, "cursor", json_incref(json_object_get(next.json, "cursor")));
        answer_free(&next);
    }
    return status;
}

static int print_page(struct remote *remote, const struct view *view,
                      const struct remote_answer *page, bool is_whole)
{
    const char *cursor = json_string_value(json_object_get(page->json, "cursor"));
    struct printer out;
    int status;

    remote_printer(remote, &out);
    if (remote_output(remote) != OUTPUT_JSON)
        print_items(remote, view, json_object_get(page->json, view->list), &out);
    else if (is_whole)
        print_json_text(&out, page);
    else
        print_json(&out, page->json);
    status = printer_close(&out);
    if (cursor && remote_output(remote) == OUTPUT_TABLE)
        report_note("more %s; use --all, or --cursor %s for the next page", view->list, cursor);
    return status;
}

int list_print(struct remote *remote, const struct args *args, const struct view *view,
               const char *path)
{
    const char *typed = args->value[LIST_LIMIT];
    struct str rest = str_of(typed ? typed : "100");
    char count[LIMIT_TEXT_MAX];
    struct remote_answer page;
    int64_t limit = 0;
    bool is_whole = true;
    int status;

    if (args->value[LIST_ALL])
        return print_all(remote, args, view, path);
    if (str_take_number(&rest, INT32_MAX, &limit) == 0 || rest.len > 0)
        limit = 0; /* the server rejects it, and names the valid range */
    write_count(limit, count);
    status = remote_page(remote, path, typed && limit > 0 ? count : typed,
                         args->value[LIST_CURSOR], &page);
    if (status != STATUS_OK)
        return status;
    status = check_page(remote, view, page.json);
    if (status == STATUS_OK)
        status = fetch_rest(remote, view, path, limit, page.json, &is_whole);
    if (status == STATUS_OK)
        status = print_page(remote, view, &page, is_whole);
    answer_free(&page);
    return status;
}
