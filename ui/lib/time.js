/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instants, durations and zones for people.  When something runs is computed by the server only;
 * here times are just printed.
 */
import { computed, signal } from "./html.js";
import { clockOffset } from "./api.js";
import { query } from "./router.js";

export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The server's time in milliseconds; it advances every second while the page is visible. */
export const now = signal(Date.now());
setInterval(() => {
    if (!document.hidden) now.value = Date.now() + clockOffset.value;
}, 1000);
document.addEventListener("visibilitychange", () => {
    if (!document.hidden) now.value = Date.now() + clockOffset.value;
});

/**
 * The zone in which times are printed: "viewer" (the browser's), "schedule" (each schedule's own,
 * where there is one), or the name of a zone.
 */
export const zoneChoice = computed(() => query.value.tz || "viewer");

/** The name of the zone to print in. @param {string | null} [ofSchedule] */
export function zoneName(ofSchedule) {
    const choice = zoneChoice.value;
    if (choice === "schedule") return ofSchedule || "UTC";
    return choice === "viewer" ? viewerZone : choice;
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} zone @param {string} kind @param {Intl.DateTimeFormatOptions} options */
function format(zone, kind, options) {
    const key = `${zone} ${kind}`;
    let found = formats.get(key);
    if (!found) {
        let known = zone;
        try {
            new Intl.DateTimeFormat("en", { timeZone: zone });
        } catch {
            known = "UTC"; /* the browser does not know a zone of the server */
        }
        found = new Intl.DateTimeFormat("en-CA", { timeZone: known, hourCycle: "h23", ...options });
        if (formats.size > 500) formats.clear();
        formats.set(key, found);
    }
    return found;
}

const DATE = /** @type {const} */ ({ year: "numeric", month: "2-digit", day: "2-digit" });
const CLOCK = /** @type {const} */ ({ hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** @typedef {{year: number, month: number, day: number, hour: number, minute: number,
 *     second: number, weekday: string}} Civil */

/** The civil time of an instant. @param {number} ms @param {string} zone @returns {Civil} */
export function civil(ms, zone) {
    const parts = format(zone, "civil", { ...DATE, ...CLOCK, weekday: "short" }).formatToParts(ms);
    const values = Object.fromEntries(parts.map((part) => [part.type, part.value]));
    return {
        year: Number(values.year),
        month: Number(values.month),
        day: Number(values.day),
        hour: Number(values.hour),
        minute: Number(values.minute),
        second: Number(values.second),
        weekday: values.weekday,
    };
}

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

/** @param {Civil} c */
export const dateOf = (c) => `${c.year}-${two(c.month)}-${two(c.day)}`;
/** @param {Civil} c */
export const clockOf = (c) => `${two(c.hour)}:${two(c.minute)}` + (c.second ? `:${two(c.second)}` : "");

const DAY = 86_400_000;

/** Local time minus UTC, in milliseconds. @param {number} at @param {string} zone */
export function offsetAt(at, zone) {
    const c = civil(at, zone);
    const whole = Math.floor(at / 1000) * 1000;
    return Date.UTC(c.year, c.month - 1, c.day, c.hour, c.minute, c.second) - whole;
}

/**
 * The instant of a local time, given as milliseconds as if it were UTC.  Of a time that occurs
 * twice, the first; a time that does not exist is moved by the size of the gap.
 * @param {number} local @param {string} zone
 */
export function instantOf(local, zone) {
    const early = local - offsetAt(local - DAY, zone);
    if (offsetAt(early, zone) === local - early) return early;
    const late = local - offsetAt(local + DAY, zone);
    return offsetAt(late, zone) === local - late ? late : early;
}

/**
 * The instant of a local time such as "2026-11-19T02:30" or "2026-11-19"; NaN if it is none.
 * @param {string} text @param {string} zone
 */
export function parseLocal(text, zone) {
    const local = Date.parse(text.length === 10 ? `${text}T00:00Z` : `${text}Z`);
    return Number.isNaN(local) ? NaN : instantOf(local, zone);
}

/** @param {string | number | null | undefined} instant */
export const ms = (instant) => (typeof instant === "number" ? instant : Date.parse(instant ?? ""));

/** "2026-11-19 02:30", without the date if it is today. @param {string | number} instant @param {string} zone */
export function shortTime(instant, zone) {
    const c = civil(ms(instant), zone);
    const today = civil(now.value, zone);
    const date = dateOf(c);
    if (date === dateOf(today)) return clockOf(c);
    if (c.year === today.year) return `${c.weekday} ${date.slice(5)} ${clockOf(c)}`;
    return `${date} ${clockOf(c)}`;
}

/** "2026-11-19 02:30:00". @param {string | number} instant @param {string} zone */
export function fullTime(instant, zone) {
    const c = civil(ms(instant), zone);
    return `${dateOf(c)} ${two(c.hour)}:${two(c.minute)}:${two(c.second)}`;
}

/** "GMT+1" or "CET". @param {string | number} instant @param {string} zone */
export function offsetName(instant, zone) {
    const parts = format(zone, "offset", { timeZoneName: "short" }).formatToParts(ms(instant));
    return parts.find((part) => part.type === "timeZoneName")?.value ?? "";
}

const UNITS = /** @type {const} */ ([
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
]);

/** Two units are enough for people: "2h 5m", "350ms". @param {number} amount milliseconds */
export function span(amount) {
    const abs = Math.abs(amount);
    if (!Number.isFinite(abs)) return "";
    if (abs < 1000) return `${Math.round(abs)}ms`;
    if (abs < 10_000) return `${(abs / 1000).toFixed(1).replace(/\.0$/, "")}s`;
    let rest = Math.round(abs / 1000) * 1000;
    const parts = [];
    for (const [name, size] of UNITS) {
        const count = Math.floor(rest / size);
        if (count > 0) parts.push(`${count}${name}`);
        else if (parts.length > 0) break;
        if (parts.length === 2) break;
        rest -= count * size;
    }
    return parts.join(" ");
}

/** "in 5m", "3h ago", "now". @param {string | number} instant @param {number} [at] */
export function relative(instant, at = now.value) {
    const distance = ms(instant) - at;
    if (Math.abs(distance) < 1000) return "now";
    return distance > 0 ? `in ${coarse(distance)}` : `${coarse(-distance)} ago`;
}

/** One unit from ten of it on, so that a list does not flicker. @param {number} amount */
function coarse(amount) {
    if (amount < 60_000) return `${Math.floor(amount / 1000)}s`;
    const [name, size] = UNITS.find((unit) => amount >= unit[1]) ?? UNITS[3];
    if (amount >= size * 10) return `${Math.floor(amount / size)}${name}`;
    return span(Math.floor(amount / 60_000) * 60_000);
}

/** Milliseconds of a duration such as "1h30m" or "250ms"; NaN if it is none. @param {string | null | undefined} text */
export function durationMs(text) {
    if (!text) return NaN;
    const sizes = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
    let total = 0;
    let rest = text.trim();
    const sign = rest.startsWith("-") ? -1 : 1;
    rest = rest.replace(/^-/, "");
    while (rest) {
        const found = /^(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d|w)/.exec(rest);
        if (!found) return NaN;
        total += Number(found[1]) * sizes[/** @type {keyof typeof sizes} */ (found[2])];
        rest = rest.slice(found[0].length);
    }
    return sign * total;
}

/** @param {string | null | undefined} text */
export const spanOf = (text) => (text ? span(durationMs(text)) : "");
