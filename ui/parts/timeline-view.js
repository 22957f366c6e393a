/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window of time that the timeline shows.  It is in the address: `from` and `to`, or only a
 * `span`, which then follows the time: a quarter of it is past.
 */
import { useEffect, useRef, useState } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { durationMs, ms, now } from "../lib/time.js";
import { DAY, HOUR, MINUTE, SECOND } from "./timeline-axis.js";

/** From five minutes to a month. @type {Array<[string, number, string]>} */
export const SPANS = [
    ["5m", 5 * MINUTE, "5 min"],
    ["15m", 15 * MINUTE, "15 min"],
    ["1h", HOUR, "1 h"],
    ["3h", 3 * HOUR, "3 h"],
    ["6h", 6 * HOUR, "6 h"],
    ["12h", 12 * HOUR, "12 h"],
    ["1d", DAY, "Day"],
    ["3d", 3 * DAY, "3 days"],
    ["7d", 7 * DAY, "Week"],
    ["14d", 14 * DAY, "2 weeks"],
    ["31d", 31 * DAY, "Month"],
];

const SPAN_DEFAULT = "1d";
const COMMIT_MS = 250; /* after the last movement of a wheel, before the address changes */
const SMALLEST = SPANS[0][1];
const LARGEST = SPANS[SPANS.length - 1][1];

/** @typedef {{from: number, to: number, follows: boolean}} Window */

/** @param {Record<string, string>} values @returns {Window} */
function windowOf(values) {
    const asked = durationMs(values.span ?? SPAN_DEFAULT);
    const span = asked >= SMALLEST / 10 && asked <= 62 * DAY ? asked : DAY;
    const from = ms(values.from ?? "");
    const to = values.to ? ms(values.to) : from + span;
    if (from < to && to - from <= 62 * DAY) return { from, to, follows: false };
    /* Moves in steps, so that it is not loaded every second. */
    const step = Math.max(SECOND, Math.round(span / 96 / SECOND) * SECOND);
    const start = Math.floor(now.value / step) * step - Math.round(span / 4);
    return { from: start, to: start + span, follows: true };
}

/** @param {number} at */
const instant = (at) => new Date(Math.round(at / SECOND) * SECOND).toISOString();

/**
 * The window and what changes it.  `soft` changes come quickly one after the other, as from a
 * wheel; the address gets the last.
 */
export function useView() {
    const [moved, setMoved] = useState(/** @type {Window | null} */ (null));
    const timer = useRef(0);
    const shown = moved ?? windowOf(query.value);
    const latest = useRef(shown);
    latest.current = shown;
    useEffect(() => () => clearTimeout(timer.current), []);

    const commit = () => {
        clearTimeout(timer.current);
        const { from, to } = latest.current;
        setQuery({ from: instant(from), to: instant(to), span: null, cursor: null }, { replace: true });
        setMoved(null);
    };
    const set = (/** @type {number} */ from, /** @type {number} */ to, isSoft = false) => {
        const next = { from, to, follows: false };
        latest.current = next;
        setMoved(next);
        clearTimeout(timer.current);
        if (isSoft) timer.current = setTimeout(commit, COMMIT_MS);
        else commit();
    };
    const zoomBy = (
        /** @type {number} */ factor,
        /** @type {number | undefined} */ anchor,
        isSoft = false,
    ) => {
        const { from, to } = latest.current;
        const at = anchor ?? (from + to) / 2;
        const span = Math.min(LARGEST, Math.max(SMALLEST, (to - from) * factor));
        const start = at - ((at - from) / (to - from)) * span;
        set(start, start + span, isSoft);
    };
    return {
        ...shown,
        /** Exactly this window. */
        set,
        zoomBy,
        /** The next larger (1) or smaller (-1) of the named spans. @param {1 | -1} by */
        zoom(by) {
            const { from, to, follows } = latest.current;
            const span = to - from;
            const next =
                by > 0
                    ? SPANS.find(([, size]) => size > span * 1.01)
                    : SPANS.findLast(([, size]) => size < span * 0.99);
            if (!next) return;
            if (follows) setQuery({ span: next[0] }, { replace: true });
            else zoomBy(next[1] / span, undefined);
        },
        /** @param {string} name */
        choose(name) {
            const { from, to, follows } = latest.current;
            const size = /** @type {[string, number, string]} */ (SPANS.find((one) => one[0] === name))[1];
            if (follows) return setQuery({ span: name, cursor: null });
            const start = (from + to) / 2 - size / 2;
            return setQuery({ from: instant(start), to: instant(start + size), span: null, cursor: null });
        },
        /** By a part of the window. @param {number} part */
        pan(part) {
            const { from, to } = latest.current;
            set(from + (to - from) * part, to + (to - from) * part, true);
        },
        /** Back to following the time. */
        home() {
            const { from, to } = latest.current;
            const name = SPANS.find(([, size]) => size >= (to - from) * 0.99)?.[0] ?? SPAN_DEFAULT;
            clearTimeout(timer.current);
            setMoved(null);
            setQuery({ from: null, to: null, cursor: null, span: name === SPAN_DEFAULT ? null : name });
        },
    };
}
