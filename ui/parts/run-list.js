/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of runs, newest first, that change in place while people look at them: new runs are
 * counted and inserted only on request, so that nothing moves below the pointer.
 */
import { useEffect, useRef, useState } from "../lib/html.js";
import { connection, get, namespace } from "../lib/api.js";
import { subscribe } from "../lib/live.js";

const PAGE = 100;
const REFRESH_MS = 1500;
const DRAW_MS = 200; /* events of this time are drawn together */
const EMPTY_PAGES_MAX = 20; /* a page may be empty though more follow */

export const RUN_FIELDS = [
    "schedule",
    "kind",
    "slot",
    "due",
    "state",
    "attempt",
    "queue",
    "worker",
    "createdAt",
    "startedAt",
    "endedAt",
    "outcome",
    "reason",
    "error",
    "input",
].join(",");

/** What an event says about a run that is shown. @param {any} run @param {any} event */
function applyEvent(run, event) {
    const { type, at } = event;
    const attempt = event.attempt ?? run.attempt;
    if (type === "run.ready") return { ...run, state: "ready", attempt };
    if (type === "run.claimed") return { ...run, state: "leased", attempt, startedAt: at };
    if (type === "run.started") return { ...run, state: "running", attempt };
    if (type === "run.retrying") return { ...run, state: "backoff", reason: event.reason };
    if (type === "run.ended")
        return {
            ...run,
            state: "ended",
            attempt,
            outcome: event.outcome,
            reason: event.reason,
            endedAt: at,
        };
    return run;
}

/** @param {any[]} runs @param {any[]} events */
function applyEvents(runs, events) {
    const places = new Map(runs.map((run, i) => [run.id, i]));
    const changed = [...runs];
    for (const event of events) {
        const at = places.get(event.run);
        if (at !== undefined) changed[at] = applyEvent(changed[at], event);
    }
    return changed;
}

/**
 * Reads pages until there is a run or the list ends.
 * @param {any} filter
 * @param {string | null} cursor
 * @param {AbortSignal} abort
 */
async function readPage(filter, cursor, abort) {
    let page = { runs: /** @type {any[]} */ ([]), cursor };
    for (let i = 0; i < EMPTY_PAGES_MAX; i++) {
        page = await get(
            "/api/v1/runs",
            { fields: RUN_FIELDS, limit: PAGE, ...filter, cursor: page.cursor },
            abort,
        );
        if (page.runs.length > 0 || !page.cursor) break;
    }
    return page;
}

/** @typedef {{key: string, runs: any[], cursor: string | null, fresh: number, newest: string,
 *     error: any, loaded: boolean}} List */

/** @type {List} */
const NOTHING = { key: "", runs: [], cursor: null, fresh: 0, newest: "", error: undefined, loaded: false };

/** The time by which the server orders runs. @param {any} run @returns {string} */
const timeOf = (run) => run.endedAt ?? run.createdAt ?? "";

/** @param {any} page */
const firstPage = (page) => ({
    runs: page.runs,
    cursor: page.cursor,
    fresh: 0,
    newest: page.runs.reduce(
        (/** @type {string} */ most, /** @type {any} */ run) => (timeOf(run) > most ? timeOf(run) : most),
        "",
    ),
});

/**
 * The list after its first page was read again: known runs change, new ones are counted.
 * @param {List} old
 * @param {any} page
 */
function mergeFirst(old, page) {
    if (old.runs.length === 0) return { ...old, ...firstPage(page), error: undefined };
    const known = new Set(old.runs.map((run) => run.id));
    const isFresh = (/** @type {any} */ run) => !known.has(run.id) && timeOf(run) > old.newest;
    const fresh = page.runs.filter(isFresh).length;
    const now = new Map(page.runs.map((/** @type {any} */ run) => [run.id, run]));
    return { ...old, runs: old.runs.map((run) => now.get(run.id) ?? run), fresh, error: undefined };
}

/**
 * @param {Record<string, any>} filter
 * @returns {List & {loadMore: () => void, reload: () => void}}
 */
export function useRuns(filter) {
    const key = `${namespace()} ${JSON.stringify(filter)}`;
    const [list, setList] = useState(NOTHING);
    const act = useRef({ loadMore: () => {}, reload: () => {} });

    useEffect(() => {
        const abort = new AbortController();
        let timer = 0;
        let lastAt = 0;
        let reading = false;
        let wanted = false; /* the first page, while another one is read */
        /** @type {string | null} */
        let cursor = null;
        const read = async (/** @type {"first" | "refresh" | "more"} */ what) => {
            if (reading) {
                if (what === "first") wanted = true;
                return what === "refresh" ? soon() : undefined;
            }
            reading = true;
            lastAt = Date.now();
            try {
                const page = await readPage(filter, what === "more" ? cursor : null, abort.signal);
                if (what !== "refresh") cursor = page.cursor;
                setList((old) => {
                    if (what === "first" || old.key !== key)
                        return { ...NOTHING, key, ...firstPage(page), loaded: true };
                    if (what === "refresh") return mergeFirst(old, page);
                    const known = new Set(old.runs.map((run) => run.id));
                    const more = page.runs.filter((/** @type {any} */ run) => !known.has(run.id));
                    return { ...old, runs: [...old.runs, ...more], cursor: page.cursor, error: undefined };
                });
            } catch (error) {
                if (!abort.signal.aborted)
                    setList((old) => ({ ...(old.key === key ? old : NOTHING), key, error, loaded: true }));
            }
            reading = false;
            if (!wanted) return undefined;
            wanted = false;
            return read("first");
        };
        const soon = () => {
            if (!timer)
                timer = setTimeout(
                    () => ((timer = 0), read("refresh")),
                    Math.max(50, lastAt + REFRESH_MS - Date.now()),
                );
        };
        /** @type {any[]} */
        let told = [];
        let drawing = 0;
        const applyTold = () => {
            const events = told;
            told = [];
            drawing = 0;
            setList((old) => ({ ...old, runs: applyEvents(old.runs, events) }));
        };
        act.current = { loadMore: () => cursor && read("more"), reload: () => read("first") };
        read("first");
        const leave = subscribe((event) => {
            if (event.run) {
                told.push(event);
                drawing ||= setTimeout(applyTold, DRAW_MS);
            }
            if (event.type === "resync" || event.type.startsWith("run.")) soon();
        });
        const leaveConnection = connection.subscribe((value) => value === "ok" && lastAt && soon());
        return () => {
            abort.abort();
            clearTimeout(timer);
            clearTimeout(drawing);
            leave();
            leaveConnection();
        };
    }, [key]);

    const shown = list.key === key ? list : NOTHING;
    return { ...shown, loadMore: () => act.current.loadMore(), reload: () => act.current.reload() };
}
