/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long list without events: pages are added at its end; its first page is read again now and
 * then, and new entries are counted until people ask for them.
 */
import { useEffect, useRef, useState } from "../lib/html.js";
import { get } from "../lib/api.js";

const PAGE = 100;
const EVERY_MS = 5000;

/**
 * @typedef {{key: string, entries: any[], cursor: string | null, fresh: number, error: any, loaded:
 *     boolean}} Paged
 */

/** @type {Paged} */
const NOTHING = { key: "", entries: [], cursor: null, fresh: 0, error: undefined, loaded: false };

/**
 * @param {string} key @param {string} path @param {string} member @param {Record<string, any>} values
 * @param {(entry: any) => string} keyOf
 * @returns {Paged & {loadMore: () => void, reload: () => void}}
 */
export function usePaged(key, path, member, values, keyOf) {
    const [list, setList] = useState(NOTHING);
    const act = useRef({ loadMore: () => {}, reload: () => {} });

    useEffect(() => {
        const abort = new AbortController();
        /** @type {string | null} */
        let cursor = null;
        let isReading = false;
        const take = (/** @type {string} */ what, /** @type {any} */ page) => {
            const found = page[member];
            if (what !== "look") cursor = page.cursor;
            setList((old) => {
                if (what === "first" || old.key !== key)
                    return { ...NOTHING, key, entries: found, cursor: page.cursor, loaded: true };
                const known = new Set(old.entries.map(keyOf));
                const others = found.filter((/** @type {any} */ one) => !known.has(keyOf(one)));
                if (what === "look")
                    return old.entries.length === 0
                        ? { ...old, entries: found, cursor: page.cursor, error: undefined }
                        : { ...old, fresh: others.length, error: undefined };
                return {
                    ...old,
                    entries: [...old.entries, ...others],
                    cursor: page.cursor,
                    error: undefined,
                };
            });
        };
        const read = async (/** @type {"first" | "look" | "more"} */ what) => {
            if (isReading) return;
            isReading = true;
            try {
                const after = what === "more" ? cursor : null;
                take(what, await get(path, { limit: PAGE, ...values, cursor: after }, abort.signal));
            } catch (error) {
                if (!abort.signal.aborted)
                    setList((old) => ({ ...(old.key === key ? old : NOTHING), key, error, loaded: true }));
            }
            isReading = false;
        };
        act.current = { loadMore: () => cursor && read("more"), reload: () => read("first") };
        read("first");
        const timer = setInterval(() => !document.hidden && read("look"), EVERY_MS);
        return () => {
            abort.abort();
            clearInterval(timer);
        };
    }, [key]);

    const shown = list.key === key ? list : NOTHING;
    return { ...shown, loadMore: () => act.current.loadMore(), reload: () => act.current.reload() };
}
