/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the timeline: pages of GET /slots, loaded as the page scrolls.  Events only mark
 * schedules; those that can be seen are read again, all in one request.
 */
import { useCallback, useEffect, useRef, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { subscribe } from "../lib/live.js";

const FIRST_PAGE = 100;
const NEXT_PAGE = 500;
/** As many rows as a tab holds; the rest is reached by a filter or page by page. */
export const ROWS_MAX = 5000;
const IDS_MAX = 100; /* that a request names */
const REFRESH_MS = 2000;
const RELOAD_MS = 10_000;
const STALE_MS = 30_000;

/**
 * @typedef {{id: string, timezone: string, queue: string | null, action: string, status: string,
 *     slots?: any[], buckets?: any[], planned?: any[], cut: string | null}} Row
 * @typedef {{key: string, rows: Row[], cursor: string | null, step: string, cut: string | null,
 *     error: any}} Rows
 */

const NOTHING = { key: "", rows: [], cursor: null, step: "15m", cut: null, error: undefined };

/** @param {Record<string, any>} values @param {AbortSignal} abort */
const read = (values, abort) => get("/api/v1/slots", values, abort);

/**
 * @param {Record<string, any> | null} values window and filters of GET /slots; null loads nothing
 * @param {() => string[]} visible the ids of the rows that can be seen
 */
export function useRows(values, visible) {
    const key = values ? `${namespace()} ${JSON.stringify(values)}` : "";
    const [state, setState] = useState(/** @type {Rows} */ (NOTHING));
    const [isMore, setMore] = useState(false);
    const latest = useRef(state);
    latest.current = state;
    const asked = useRef(values);
    asked.current = values;
    const seen = useRef(visible);
    seen.current = visible;
    const marked = useRef(/** @type {Set<string>} */ (new Set()));
    const wake = useRef((/** @type {number} */ _in) => {});

    useEffect(() => {
        if (!key) return undefined;
        const abort = new AbortController();
        let timer = 0;
        let refreshedAt = Date.now();
        let reloadTimer = 0;
        const fail = (/** @type {any} */ error) => {
            if (error.name !== "AbortError") setState((old) => ({ ...old, key, error }));
        };
        const load = (/** @type {number} */ limit) =>
            read({ ...asked.current, limit }, abort.signal).then(
                (page) =>
                    setState({
                        key,
                        rows: page.schedules,
                        cursor: page.cursor,
                        step: page.step,
                        cut: page.cut,
                        error: undefined,
                    }),
                fail,
            );
        const refresh = async () => {
            timer = 0;
            refreshedAt = Date.now();
            const ids = seen
                .current()
                .filter((id) => marked.current.has(id))
                .slice(0, IDS_MAX);
            if (ids.length === 0 || document.hidden) return;
            ids.forEach((id) => marked.current.delete(id));
            try {
                const { from, to, slots, step } = /** @type {any} */ (asked.current);
                const page = await read(
                    { from, to, slots, step, schedule: ids, limit: IDS_MAX },
                    abort.signal,
                );
                const fresh = new Map(page.schedules.map((/** @type {Row} */ row) => [row.id, row]));
                setState((old) => ({
                    ...old,
                    error: undefined,
                    rows: old.rows.map((row) => fresh.get(row.id) ?? row),
                }));
            } catch (error) {
                ids.forEach((id) => marked.current.add(id));
                fail(error);
            }
        };
        const soon = () => {
            if (!timer) timer = setTimeout(refresh, Math.max(50, refreshedAt + REFRESH_MS - Date.now()));
        };
        const reload = () => {
            reloadTimer ||= setTimeout(() => {
                reloadTimer = 0;
                load(Math.min(ROWS_MAX, Math.max(FIRST_PAGE, latest.current.rows.length)));
            }, RELOAD_MS);
        };
        wake.current = soon;
        marked.current.clear();
        load(FIRST_PAGE);
        const leave = subscribe((event) => {
            if (event.type === "resync") latest.current.rows.forEach(({ id }) => marked.current.add(id));
            else if (event.schedule) marked.current.add(event.schedule);
            if (/^schedule\.(created|deleted)$/.test(event.type)) reload();
            soon();
        });
        const interval = setInterval(() => {
            seen.current().forEach((id) => marked.current.add(id));
            soon();
        }, STALE_MS);
        return () => {
            abort.abort();
            clearTimeout(timer);
            clearTimeout(reloadTimer);
            clearInterval(interval);
            leave();
        };
    }, [key]);

    const loadMore = useCallback(async () => {
        const { cursor, rows, key: of } = latest.current;
        if (!cursor || of !== key || rows.length >= ROWS_MAX) return;
        setMore((busy) => {
            if (busy) return busy;
            const limit = Math.min(NEXT_PAGE, ROWS_MAX - rows.length);
            get("/api/v1/slots", { ...asked.current, limit, cursor })
                .then((page) =>
                    setState((old) =>
                        old.key === of && old.cursor === cursor
                            ? {
                                  ...old,
                                  rows: [...old.rows, ...page.schedules],
                                  cursor: page.cursor,
                                  cut: old.cut ?? page.cut,
                              }
                            : old,
                    ),
                )
                .catch((error) => setState((old) => ({ ...old, error })))
                .finally(() => setMore(false));
            return true;
        });
    }, [key]);

    return {
        ...state,
        isOld: state.key !== key,
        isMore,
        loadMore,
        /** Reads marked rows that have come into view. */
        onSeen: () => marked.current.size > 0 && wake.current(0),
    };
}
