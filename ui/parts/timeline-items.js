/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of the timeline consists of, in the order of time, and how it reads. */
import { durationMs, fullTime, ms, now, span } from "../lib/time.js";
import { look, number, plural, reasonText } from "../lib/words.js";

export const LATE_MS = 60_000; /* later than this, a start is shown as late, as by the server */

/**
 * @typedef {"run" | "sign" | "range" | "bucket"} ItemKind
 * run: a bar; sign: one slot without a run; range: slots with the same outcome; bucket: counts
 * @typedef {{kind: ItemKind, at: number, end: number, name: string, tone: string, start?: number,
 *     isOpen?: boolean, isLate?: boolean, entry?: any, bucket?: any}} Item
 * @typedef {{first: number, step: number, count: number, isHeld: boolean}} Series
 * @typedef {{items: Item[], series: Series[], most: number}} Prepared
 */

/** @param {any} entry @returns {Item} */
function entryItem(entry) {
    const at = ms(entry.slot);
    if (!entry.run) {
        const name = entry.outcome ?? (entry.reason ? "withheld" : "planned");
        const last = entry.last ? ms(entry.last) : at;
        const tone = name === "started" || name === "withheld" ? "off" : look(name).tone;
        return { kind: last > at ? "range" : "sign", at, end: last, name, tone, entry };
    }
    const { run } = entry;
    const name = run.outcome ?? run.state;
    const due = ms(entry.due ?? entry.slot);
    const isOpen = run.state !== "ended";
    const start = run.startedAt ? ms(run.startedAt) : undefined;
    const end = run.endedAt ? ms(run.endedAt) : now.value;
    const isLate = entry.kind !== "backfill" && (start ?? (isOpen ? now.value : due)) - due > LATE_MS;
    return {
        kind: "run",
        at,
        end: Math.max(at, end),
        start,
        name,
        tone: look(name).tone,
        isOpen,
        isLate,
        entry,
    };
}

/** Worst first. */
const COUNTS = /** @type {const} */ ([
    ["failed", "failed"],
    ["timedOut", "timed out"],
    ["missed", "missed"],
    ["dropped", "dropped"],
    ["skipped", "skipped"],
    ["cancelled", "cancelled"],
    ["open", "open"],
    ["succeeded", "succeeded"],
    ["started", "started"],
    ["planned", "planned"],
]);

const COUNT_TONES = {
    failed: "bad",
    timedOut: "bad",
    missed: "miss",
    dropped: "miss",
    skipped: "skip",
    cancelled: "off",
    open: "run",
    succeeded: "ok",
    started: "ok",
    planned: "planned",
};

/**
 * The counts of a bucket that are not 0, worst first.
 * @param {any} bucket @returns {Array<[string, string, number]>}
 */
export function bucketParts(bucket) {
    return COUNTS.filter(([name]) => bucket[name] > 0).map(([name]) => [
        name,
        COUNT_TONES[name],
        bucket[name],
    ]);
}

/** @param {any} bucket */
const bucketTotal = (bucket) => bucketParts(bucket).reduce((sum, [, , count]) => sum + count, 0);

/** @param {any} row @param {number} step @returns {Prepared} */
function prepare(row, step) {
    const series = (row.planned ?? []).map((/** @type {any} */ one) => ({
        first: ms(one.first),
        step: durationMs(one.step) || step,
        count: one.count,
        isHeld: Boolean(one.reason),
    }));
    /** @type {Item[]} */
    const items = (row.slots ?? []).map(entryItem);
    for (const bucket of row.buckets ?? []) {
        /* The ticks of the series say more than their counts. */
        const shown = series.length > 0 ? { ...bucket, planned: 0 } : bucket;
        const [worst] = bucketParts(shown);
        if (!worst) continue;
        const at = ms(bucket.at);
        items.push({ kind: "bucket", at, end: at + step, name: worst[0], tone: worst[1], bucket: shown });
    }
    items.sort((a, b) => a.at - b.at);
    const most = items.reduce((max, { bucket }) => (bucket ? Math.max(max, bucketTotal(bucket)) : max), 1);
    return { items, series, most };
}

/** @type {WeakMap<object, {step: number, made: number, prepared: Prepared}>} */
const known = new WeakMap();

/**
 * Rows do not change, except that open runs grow.
 * @param {any} row @param {string} step @returns {Prepared}
 */
export function itemsOf(row, step) {
    const size = durationMs(row.step ?? step);
    const found = known.get(row);
    if (
        found &&
        found.step === size &&
        (now.value - found.made < 1000 || !found.prepared.items.some(({ isOpen }) => isOpen))
    )
        return found.prepared;
    const prepared = prepare(row, size);
    known.set(row, { step: size, made: now.value, prepared });
    return prepared;
}

/** The moment of a series nearest to an instant, or null. @param {Series[]} series @param {number} at */
export function nearestOfSeries(series, at) {
    let best = null;
    for (const { first, step, count } of series) {
        const i = Math.max(0, Math.min(count - 1, Math.round((at - first) / step)));
        const found = first + i * step;
        if (best === null || Math.abs(found - at) < Math.abs(best - at)) best = found;
    }
    return best;
}

/** "08:00–08:15: 12 succeeded, 1 failed". @param {any} bucket */
export function bucketText(bucket) {
    const parts = COUNTS.filter(([name]) => bucket[name] > 0).map(
        ([name, word]) => `${number(bucket[name])} ${word}`,
    );
    if (bucket.late > 0) parts.push(`${number(bucket.late)} late`);
    if (bucket.busy && durationMs(bucket.busy) > 0) parts.push(`${span(durationMs(bucket.busy))} busy`);
    return parts.join(", ");
}

/** @param {Item} item */
function runText(item) {
    const { entry, start } = item;
    const due = ms(entry.due ?? entry.slot);
    const texts = [look(item.name).word];
    if (entry.run.reason) texts.push(reasonText(entry.run.reason));
    if (start !== undefined && start - due >= 1000)
        texts.push(`started ${span(start - due)} after it was due`);
    if (start === undefined && item.isOpen) texts.push(`due ${span(Math.max(0, now.value - due))} ago`);
    if (start !== undefined && item.end > start)
        texts.push(`${item.isOpen ? "has run" : "ran"} ${span(item.end - start)}`);
    if (entry.run.attempt > 1) texts.push(`attempt ${entry.run.attempt}`);
    return texts.join(" · ");
}

/** What a slot without a run is. @param {Item} item */
function signText({ name, entry }) {
    if (name === "started") return "started; the run is no longer kept";
    if (name === "withheld")
        return entry.reason === "paused"
            ? "will not run · the schedule is paused"
            : `will not run · ${reasonText(entry.reason)}`;
    return look(name).word + (entry.reason ? ` · ${reasonText(entry.reason)}` : "");
}

/** What an item is, in words. @param {Item} item @param {string} zone */
export function itemText(item, zone) {
    const at = fullTime(item.at, zone);
    if (item.kind === "bucket")
        return `${at.slice(0, 16)}–${fullTime(item.end, zone).slice(11, 16)} · ${bucketText(item.bucket)}`;
    const { entry } = item;
    const kind = entry.kind && entry.kind !== "slot" ? ` · ${entry.kind}` : "";
    if (item.kind === "run") return `${at}${kind} · ${runText(item)}`;
    if (item.kind === "range")
        return `${at} – ${fullTime(item.end, zone)}${kind} · ${plural(entry.count ?? 0,
            "slot")} ${signText(item)}`;
    return `${at}${kind} · ${signText(item)}`;
}

/**
 * The item at or near an instant: what is drawn on top is found first.
 * @param {Prepared} prepared @param {number} at @param {number} near
 */
export function itemAt({ items }, at, near) {
    let best = null;
    let distance = near;
    for (const item of items) {
        if (item.at - near > at) break;
        const inside = at >= item.at && at <= item.end;
        const away = inside ? 0 : Math.min(Math.abs(item.at - at), Math.abs(item.end - at));
        if (away <= distance) [best, distance] = [item, away];
    }
    return best;
}

/**
 * The next item after an instant (by 1) or before it (by -1); also planned moments of a series.
 * @param {Prepared} prepared @param {number} at @param {1 | -1} by
 */
export function neighbour({ items, series }, at, by) {
    const times = items.map((item) => item.at);
    for (const one of series) {
        const i =
            by > 0 ? Math.floor((at - one.first) / one.step) + 1 : Math.ceil((at - one.first) / one.step) - 1;
        const clamped = by > 0 ? Math.max(0, i) : Math.min(one.count - 1, i);
        if (clamped >= 0 && clamped < one.count) times.push(one.first + clamped * one.step);
    }
    const beyond = times.filter((time) => (by > 0 ? time > at : time < at));
    if (beyond.length === 0) return null;
    return by > 0 ? Math.min(...beyond) : Math.max(...beyond);
}
