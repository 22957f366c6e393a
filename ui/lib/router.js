/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address of a view: #/schedules/report?tab=runs.  It is the fragment, which browsers do not
 * send to servers, so the server needs no routes for it.  Views keep their state (filters, sort
 * order, range, tab) in its query, so that Back and links work.
 */
import { signal } from "./html.js";

/** @param {string} hash */
function parse(hash) {
    const text = hash.replace(/^#\/?/, "");
    const at = text.indexOf("?");
    const path = at < 0 ? text : text.slice(0, at);
    const search = new URLSearchParams(at < 0 ? "" : text.slice(at + 1));
    return { path: path.split("/").filter(Boolean).map(decode), query: Object.fromEntries(search) };
}

/** @param {string} text */
function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

const first = parse(location.hash);

/** @type {import("../vendor/signals.js").Signal<string[]>} */
export const path = signal(first.path);
/** @type {import("../vendor/signals.js").Signal<Record<string, string>>} */
export const query = signal(first.query);

/** These are kept by links from view to view. */
const KEPT = ["namespace", "tz"];

/** @type {((leave: () => void) => void) | null} */
let guard = null;
let shown = location.hash;

/**
 * Has `ask` decide whether another view may open, for a form with unsaved changes: it gets a
 * function that opens the other view.  Null removes the guard.
 * @param {((leave: () => void) => void) | null} ask
 */
export function guardLeaving(ask) {
    guard = ask;
}

function read() {
    const now = parse(location.hash);
    if (guard && now.path.join("\n") !== path.value.join("\n")) {
        const to = location.hash;
        history.pushState(null, "", shown);
        guard(() => {
            guard = null;
            location.hash = to;
        });
        return;
    }
    shown = location.hash;
    if (now.path.join("\n") !== path.value.join("\n")) path.value = now.path;
    if (JSON.stringify(now.query) !== JSON.stringify(query.value)) query.value = now.query;
}
addEventListener("hashchange", read);
addEventListener("popstate", read);

/**
 * The address of a view: href(["runs"], {state: "running"}).
 * @param {string[]} segments @param {Record<string, any>} [values]
 */
export function href(segments, values = {}) {
    const search = new URLSearchParams();
    for (const name of KEPT) if (query.value[name]) search.set(name, query.value[name]);
    for (const [name, value] of Object.entries(values)) {
        if (value === null || value === undefined || value === "") search.delete(name);
        else search.set(name, String(value));
    }
    const text = search.toString();
    return "#/" + segments.map(encodeURIComponent).join("/") + (text ? `?${text}` : "");
}

/** Opens a view. @param {string[]} segments @param {Record<string, any>} [values] */
export function go(segments, values) {
    location.hash = href(segments, values);
}

/**
 * Changes parts of the query of the current view; null removes one.  With `replace`, Back skips
 * the change: for typing and dragging.
 * @param {Record<string, any>} values @param {{replace?: boolean}} [options]
 */
export function setQuery(values, options = {}) {
    const to = href(path.value, { ...query.value, ...values });
    if (to === location.hash) return;
    if (options.replace) {
        history.replaceState(null, "", to);
        read();
    } else {
        location.hash = to;
    }
}
