/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The newest events and, on request, older ones.  The API lists events from the oldest to the
 * newest, so older ones are found by walking forward from an earlier position.
 */
import { useEffect, useRef, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { subscribe } from "../lib/live.js";

const KEEP_MAX = 5000; /* events in memory; the oldest are dropped, and the page says so */
const FIRST = 200;
const PAGES_MAX = 60; /* requests of one walk */
const FLUSH_MS = 400;

/** @typedef {{types: string, schedule: string, run: string}} EventFilter */

/**
 * Whether an event of the stream passes the filter; the server applies it to pages.
 * @param {any} event
 * @param {EventFilter} filter
 */
export function passes(event, filter) {
    if (filter.schedule && event.schedule !== filter.schedule) return false;
    if (filter.run && event.run !== filter.run) return false;
    if (!filter.types || event.type === "events.damaged") return true;
    return filter.types
        .split(",")
        .some((one) => (one.endsWith("*") ? event.type.startsWith(one.slice(0, -1)) : event.type === one));
}

/**
 * A position some events before another, for each node ("1.205_3.17").  The server checks it:
 * where the events before it are gone, the walk begins with the oldest.
 * @param {string} position @param {number} distance
 */
export function earlier(position, distance) {
    const parts = position.split("_").map((part) => part.split(".").map(Number));
    if (parts.some((part) => part.length !== 2 || part.some(Number.isNaN))) return "oldest";
    const left = parts.filter(([, number]) => number > distance);
    return left.length === 0
        ? "oldest"
        : left.map(([node, number]) => `${node}.${number - distance}`).join("_");
}

/** What tells events apart; their ids differ between walks if there are several nodes. @param {any} event */
export const keyOf = (event) =>
    [event.at, event.type, event.schedule, event.run, event.attempt, event.slot, event.node].join(" ");

/** @param {EventFilter} filter @param {string} after @param {AbortSignal} abort */
async function readPage(filter, after, abort) {
    const values = { type: filter.types, schedule: filter.schedule, run: filter.run, limit: 1000 };
    try {
        return {
            page: await get("/api/v1/events", { ...values, after }, abort),
            isOldest: after === "oldest",
        };
    } catch (error) {
        const status = /** @type {any} */ (error).status;
        if (after === "oldest" || (status !== 410 && status !== 400)) throw error;
        return { page: await get("/api/v1/events", { ...values, after: "oldest" }, abort), isOldest: true };
    }
}

/**
 * All events from a position until a time.
 * @param {EventFilter} filter
 * @param {string} after
 * @param {string} until
 * @param {AbortSignal} abort
 */
async function walk(filter, after, until, abort) {
    const first = await readPage(filter, after, abort);
    const events = [...first.page.events];
    let { page } = first;
    for (let i = 0; i < PAGES_MAX && page.more; i++) {
        const last = page.events.at(-1);
        if (until && last && last.at > until) break;
        page = (await readPage(filter, page.cursor, abort)).page;
        events.push(...page.events);
    }
    return { events: events.filter((event) => !until || event.at <= until), isOldest: first.isOldest };
}

/**
 * @typedef {{key: string, events: any[], from: string, distance: number, isOldest: boolean,
 *     dropped: boolean, error: any, loaded: boolean, loading: boolean}} EventList
 * Newest first.
 */

/** @type {EventList} */
const NOTHING = {
    key: "",
    events: [],
    from: "oldest",
    distance: FIRST,
    isOldest: false,
    dropped: false,
    error: undefined,
    loaded: false,
    loading: false,
};

/** Newest first, each once. @param {any[]} older @param {any[]} newer */
function join(older, newer) {
    const known = new Set(newer.map(keyOf));
    return [...newer, ...older.filter((event) => !known.has(keyOf(event))).reverse()];
}

/**
 * Goes back until something is found, further with each step.
 * @param {EventList} old
 * @param {EventFilter} filter
 * @param {AbortSignal} abort
 */
async function findOlder(old, filter, abort) {
    let { from, distance } = old;
    const until = old.events.at(-1)?.at ?? "";
    for (;;) {
        from = earlier(from, distance);
        const { events, isOldest } = await walk(filter, from, until, abort);
        const joined = join(events, old.events);
        if (isOldest || joined.length > old.events.length)
            return { events: joined, from, distance, isOldest };
        distance *= 4;
    }
}

/** Events that came while older ones were read. @param {EventList} list @param {{events: any[]}} found */
function newerThan(list, found) {
    const at = found.events[0]?.at ?? "";
    return list.events.filter((event) => event.at > at);
}

/** @param {EventFilter} filter */
export function useEvents(filter) {
    const key = `${namespace()} ${JSON.stringify(filter)}`;
    const [list, setList] = useState(NOTHING);
    const [waiting, setWaiting] = useState(0);
    const isHeld = useRef(false);
    const buffer = useRef(/** @type {any[]} */ ([]));
    const act = useRef({ older: () => {}, reload: () => {} });

    const listRef = useRef(list);
    listRef.current = list;

    const flush = () => {
        const fresh = buffer.current.splice(0).reverse();
        setWaiting(0);
        if (fresh.length === 0) return;
        setList((old) => {
            const all = join([...old.events].reverse(), fresh);
            const events = all.slice(0, KEEP_MAX);
            return { ...old, events, dropped: old.dropped || all.length > KEEP_MAX };
        });
    };

    useEffect(() => {
        const abort = new AbortController();
        let timer = 0;
        const run = async (/** @type {() => Promise<any>} */ load) => {
            setList((old) => ({ ...old, loading: true }));
            try {
                const found = await load();
                setList((old) => ({
                    ...old,
                    ...found,
                    key,
                    error: undefined,
                    loaded: true,
                    loading: false,
                }));
            } catch (error) {
                if (abort.signal.aborted) return;
                setList((old) => ({ ...old, key, error, loaded: true, loading: false }));
            }
        };
        const remember = (/** @type {EventList} */ from) => findOlder(from, filter, abort.signal);
        const reload = () =>
            run(async () => {
                const { cursor } = await get("/api/v1/events", { after: "now", limit: 1 }, abort.signal);
                buffer.current = [];
                setWaiting(0);
                return { ...(await remember({ ...NOTHING, from: cursor })), dropped: false };
            });
        act.current = {
            reload,
            older: () =>
                run(async () => {
                    const found = await remember(listRef.current);
                    return {
                        ...found,
                        events: join([...found.events].reverse(), newerThan(listRef.current, found)),
                    };
                }),
        };
        reload();
        const leave = subscribe((event) => {
            if (event.type === "resync") reload();
            else if (passes(event, filter)) {
                buffer.current.push(event);
                if (buffer.current.length > KEEP_MAX) buffer.current.shift();
                timer ||= setTimeout(() => {
                    timer = 0;
                    if (isHeld.current) setWaiting(buffer.current.length);
                    else flush();
                }, FLUSH_MS);
            }
        });
        return () => {
            abort.abort();
            clearTimeout(timer);
            leave();
            buffer.current = [];
        };
    }, [key]);

    return {
        ...(list.key === key ? list : NOTHING),
        waiting,
        flush,
        hold: (/** @type {boolean} */ on) => (isHeld.current = on),
        older: () => act.current.older(),
        reload: () => act.current.reload(),
    };
}
