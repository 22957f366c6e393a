/* SPDX-License-Identifier: Apache-2.0 */
/* Data of the server that a component shows: loaded, kept current by events, never flickering. */
import { useEffect, useRef, useState } from "./html.js";
import { connection } from "./api.js";
import { subscribe } from "./live.js";

/**
 * @template T
 * @typedef {{data: T | undefined, error: Error | undefined, loading: boolean, reload: () => void,
 *     setData: (data: T) => void}} Resource
 */

const SLOW = 4; /* requests that events cause take at most that part of the time */

/**
 * Loads data when `key` changes, when an event passes `refreshOn`, and when the connection comes
 * back.  Old data stays until the new data is there, except if `key` changed and `keep` is false.
 * Events are answered at most once in `pause` milliseconds.
 * @template T
 * @param {string} key what is loaded; "" loads nothing
 * @param {(abort: AbortSignal) => Promise<T>} load
 * @param {{refreshOn?: (event: any) => boolean, pause?: number, every?: number,
 *     keep?: boolean}} [options]
 * @returns {Resource<T>}
 */
export function useResource(key, load, options = {}) {
    const [state, setState] = useState(
        /** @type {{key: string, data: T | undefined, error: Error | undefined, loading: boolean}} */ ({
            key: "",
            data: undefined,
            error: undefined,
            loading: true,
        }),
    );
    const loadRef = useRef(load);
    loadRef.current = load;
    const optionsRef = useRef(options);
    optionsRef.current = options;
    const reloadRef = useRef(() => {});

    useEffect(() => {
        if (!key) return undefined;
        let abort = new AbortController();
        let closed = false;
        let timer = 0;
        let lastAt = 0;
        let took = 0;
        let isBusy = false;
        let isAgain = false;
        const run = async () => {
            clearTimeout(timer);
            timer = 0;
            lastAt = Date.now();
            abort.abort();
            abort = new AbortController();
            const mine = abort;
            isBusy = true;
            isAgain = false;
            setState((old) => ({ ...old, loading: true }));
            try {
                const data = await loadRef.current(mine.signal);
                if (!closed && mine === abort)
                    setState({ key, data, error: undefined, loading: false });
            } catch (error) {
                if (closed || mine !== abort || /** @type {Error} */ (error).name === "AbortError") return;
                setState((old) => ({
                    key,
                    data: old.key === key || optionsRef.current.keep ? old.data : undefined,
                    error: /** @type {Error} */ (error),
                    loading: false,
                }));
            } finally {
                if (mine === abort) {
                    isBusy = false;
                    took = Date.now() - lastAt;
                    if (isAgain) soon();
                }
            }
        };
        /* An answer that takes longer than the pause still arrives, however many events there are,
           and is asked for less often. */
        const soon = () => {
            isAgain = isBusy;
            if (timer || closed || isBusy) return;
            const pause = Math.max(optionsRef.current.pause ?? 1000, SLOW * took);
            timer = setTimeout(run, Math.max(50, lastAt + pause - Date.now()));
        };
        reloadRef.current = run;
        run();
        const leave = subscribe((event) => {
            if (event.type === "resync" || optionsRef.current.refreshOn?.(event)) soon();
        });
        const leaveConnection = connection.subscribe((value) => {
            if (value === "ok" && lastAt && Date.now() - lastAt > 200) soon();
        });
        const every = optionsRef.current.every;
        const interval = every ? setInterval(() => !document.hidden && soon(), every) : 0;
        return () => {
            closed = true;
            abort.abort();
            clearTimeout(timer);
            clearInterval(interval);
            leave();
            leaveConnection();
        };
    }, [key]);

    const isOld = state.key !== key;
    return {
        data: isOld && !options.keep ? undefined : state.data,
        error: isOld ? undefined : state.error,
        loading: state.loading || isOld,
        reload: () => reloadRef.current(),
        setData: (data) => setState((old) => ({ ...old, data })),
    };
}
