/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the timeline: pages of GET /slots, loaded as the page scrolls.  Events and changes
 * of the window only mark rows; those that can be seen are read again, all in one request.
 */
import { useEffect, useRef, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { subscribe } from "../lib/live.js";

const FIRST_PAGE = 100;
const NEXT_PAGE = 500;
/** As many rows as a tab holds; the rest is reached by a filter or page by page. */
export const ROWS_MAX = 5000;
const IDS_MAX = 100; /* that a request names */
const IDS_LENGTH = 6000; /* characters of all of them together */
const REFRESH_MS = 2000;
const RELOAD_MS = 10_000;
const RELOAD_ROWS = 500; /* longer lists are not read again when a schedule is created */
const STALE_MS = 30_000;

/**
 * @typedef {{id: string, timezone: string | null, queue: string | null, action: string, status: string,
 *     slots?: any[], buckets?: any[], planned?: any[], cut: string | null, step: string}} Row
 * @typedef {{key: string, rows: Row[], cursor: string | null, step: string, cut: string | null,
 *     error: any}} Rows
 */

/** @type {Rows} */
const NOTHING = { key: "", rows: [], cursor: null, step: "15m", cut: null, error: undefined };

/** Each row keeps the width of its buckets. @param {any} page @returns {Row[]} */
const rowsOf = (page) => page.schedules.map((/** @type {any} */ row) => ({ ...row, step: page.step }));

/** As many as a request can name; names with a comma cannot be in a list. @param {string[]} ids */
function nameable(ids) {
    let length = 0;
    return ids
        .filter((id) => !id.includes(",") && (length += id.length + 1) <= IDS_LENGTH)
        .slice(0, IDS_MAX);
}

/** Loads the rows of one list and keeps those that can be seen current. */
class Feed {
    /** @param {(state: Rows) => void} show */
    constructor(show) {
        this.show = show;
        this.state = NOTHING;
        this.list = "";
        this.key = "";
        /** @type {Record<string, any>} */
        this.values = {};
        this.visible = () => /** @type {string[]} */ ([]);
        /** @type {Set<string>} */
        this.marked = new Set();
        this.abort = new AbortController();
        this.refreshedAt = 0;
        this.timer = 0;
        this.reloadTimer = 0;
        this.isLoadingMore = false;
    }

    /** @param {Partial<Rows>} values */
    set(values) {
        this.state = { ...this.state, ...values };
        this.show(this.state);
    }

    /** @param {Record<string, any>} values */
    read(values) {
        return get("/api/v1/slots", values, this.abort.signal);
    }

    /** @param {any} error */
    fail(error) {
        if (error.name !== "AbortError") this.set({ key: this.key, error });
    }

    /**
     * Begins a list, or the same list with another window: then rows that have been loaded stay.
     * @param {string} key @param {string} list @param {Record<string, any>} values
     */
    begin(key, list, values) {
        const isSameList = list === this.list && this.state.rows.length > FIRST_PAGE;
        this.stop();
        this.abort = new AbortController();
        Object.assign(this, { key, list, values, isLoadingMore: false });
        this.marked.clear();
        if (!isSameList) return this.load(FIRST_PAGE);
        this.markAll();
        return this.refresh();
    }

    stop() {
        this.abort.abort();
        clearTimeout(this.timer);
        clearTimeout(this.reloadTimer);
        this.timer = 0;
        this.reloadTimer = 0;
    }

    /** @param {number} limit */
    async load(limit) {
        const { key } = this;
        try {
            const page = await this.read({ ...this.values, limit });
            const { cursor, step, cut } = page;
            this.set({ key, rows: rowsOf(page), cursor, step, cut, error: undefined });
        } catch (error) {
            this.fail(error);
        }
    }

    async more() {
        const { cursor, rows } = this.state;
        if (!cursor || this.isLoadingMore || this.state.key !== this.key || rows.length >= ROWS_MAX) return;
        this.isLoadingMore = true;
        try {
            const limit = Math.min(NEXT_PAGE, ROWS_MAX - rows.length);
            const page = await this.read({ ...this.values, limit, cursor });
            if (this.state.cursor === cursor)
                this.set({
                    rows: [...this.state.rows, ...rowsOf(page)],
                    cursor: page.cursor,
                    cut: this.state.cut ?? page.cut,
                    error: undefined,
                });
        } catch (error) {
            this.fail(error);
        }
        this.isLoadingMore = false;
    }

    markAll() {
        for (const { id } of this.state.rows) this.marked.add(id);
    }

    /** Reads the marked rows that can be seen; those that no longer exist go. */
    async refresh() {
        this.timer = 0;
        this.refreshedAt = Date.now();
        const ids = nameable(this.visible().filter((id) => this.marked.has(id)));
        if (ids.length === 0 || document.hidden) return;
        const { key, values } = this;
        const { from, to } = values;
        for (const id of ids) this.marked.delete(id);
        try {
            const page = await this.read({ from, to, schedule: ids, limit: IDS_MAX });
            const fresh = new Map(rowsOf(page).map((row) => [row.id, row]));
            const gone = new Set(page.cursor ? [] : ids.filter((id) => !fresh.has(id)));
            const rows = this.state.rows
                .filter(({ id }) => !gone.has(id))
                .map((row) => fresh.get(row.id) ?? row);
            /* A page may have fewer rows than were asked for. */
            for (const id of ids) if (!fresh.has(id) && !gone.has(id)) this.marked.add(id);
            this.set({ key, rows, step: page.step, error: undefined });
            if (this.marked.size > 0) this.soon();
        } catch (error) {
            for (const id of ids) this.marked.add(id);
            this.fail(error);
        }
    }

    soon() {
        this.timer ||= setTimeout(
            () => this.refresh(),
            Math.max(50, this.refreshedAt + REFRESH_MS - Date.now()),
        );
    }

    /** @param {any} event */
    hear(event) {
        if (event.type === "resync" && this.state.rows.length === 0) this.load(FIRST_PAGE);
        else if (event.type === "resync") this.markAll();
        else if (event.schedule) this.marked.add(event.schedule);
        if (event.type === "schedule.created" && this.state.rows.length <= RELOAD_ROWS)
            this.reloadTimer ||= setTimeout(() => {
                this.reloadTimer = 0;
                this.load(Math.max(FIRST_PAGE, this.state.rows.length));
            }, RELOAD_MS);
        this.soon();
    }
}

/**
 * @param {Record<string, any> | null} values window and filters of GET /slots; null loads nothing
 * @param {() => string[]} visible the ids of the rows that can be seen
 */
export function useRows(values, visible) {
    const { from, to, ...filters } = values ?? {};
    const list = `${namespace()} ${JSON.stringify(filters)}`;
    const key = values ? `${list} ${from} ${to}` : "";
    const [state, setState] = useState(NOTHING);
    const [feed] = useState(() => new Feed(setState));
    const seen = useRef(visible);
    seen.current = visible;

    useEffect(() => {
        if (!values) return undefined;
        feed.visible = () => seen.current();
        feed.begin(key, list, values);
        const leave = subscribe((event) => feed.hear(event));
        const interval = setInterval(() => {
            for (const id of seen.current()) feed.marked.add(id);
            feed.soon();
        }, STALE_MS);
        return () => {
            feed.stop();
            clearInterval(interval);
            leave();
        };
    }, [key]);

    return {
        ...state,
        isOld: state.key !== key,
        loadMore: () => feed.more(),
        /** Reads marked rows that have come into view. */
        onSeen: () => {
            if (feed.marked.size > 0) feed.soon();
        },
    };
}
