/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time axes in a named zone.  An axis is linear in real time, so a day with a clock change is 23
 * or 25 hours long on it; labels are at round local times.
 */
import { civil, clockOf, dateOf, instantOf, offsetAt, parseLocal } from "../lib/time.js";

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Distances between labels, in local time. */
const STEPS = [
    10 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    91 * DAY,
];

/** Midnight of the local day of an instant. @param {number} at @param {string} zone */
export function dayStart(at, zone) {
    const c = civil(at, zone);
    return instantOf(Date.UTC(c.year, c.month - 1, c.day), zone);
}

/** Midnight of a date such as "2026-11-19". @param {string} date @param {string} zone */
export const dateStart = (date, zone) => parseLocal(date, zone);

/** @param {string} date @param {number} days */
export function addDays(date, days) {
    return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/**
 * The clock changes between two instants.
 * @param {number} from @param {number} to @param {string} zone
 * @returns {Array<{at: number, by: number}>}
 */
export function changesBetween(from, to, zone) {
    const found = [];
    const stride = 2 * DAY;
    for (let at = from; at < to; at += stride) {
        const end = Math.min(to, at + stride);
        const before = offsetAt(at, zone);
        const after = offsetAt(end, zone);
        if (before !== after) found.push({ at: bisect(at, end, before, zone), by: after - before });
    }
    return found;
}

/** @param {number} low @param {number} high @param {number} before @param {string} zone */
function bisect(low, high, before, zone) {
    while (high - low > SECOND) {
        const middle = Math.floor((low + high) / 2 / SECOND) * SECOND;
        if (middle <= low) break;
        if (offsetAt(middle, zone) === before) low = middle;
        else high = middle;
    }
    return Math.ceil(high / SECOND) * SECOND;
}

/** @typedef {{at: number, text: string, isDay: boolean}} Tick */

/**
 * Labels of an axis, at most `most`.
 * @param {number} from @param {number} to @param {string} zone @param {number} most
 * @returns {Tick[]}
 */
export function ticks(from, to, zone, most) {
    const step = STEPS.find((size) => (to - from) / size <= most) ?? 365 * DAY;
    const found = step >= DAY ? dayTicks(from, to, zone, step) : clockTicks(from, to, zone, step);
    return found.map((at) => tick(at, zone, step));
}

/** @param {number} from @param {number} to @param {string} zone @param {number} step */
function dayTicks(from, to, zone, step) {
    const found = [];
    const days = Math.round(step / DAY);
    const first = Math.floor((from + offsetAt(from, zone)) / DAY);
    /* Day 4 after 1970-01-01 was a Monday, so that weeks begin on Mondays. */
    for (let day = first - ((((first - 4) % days) + days) % days); ; day += days) {
        const at = instantOf(day * DAY, zone);
        if (at >= to) return found;
        if (at >= from) found.push(at);
    }
}

/** @param {number} from @param {number} to @param {string} zone @param {number} step */
function clockTicks(from, to, zone, step) {
    const found = [];
    const last = to + offsetAt(to, zone) + HOUR;
    const first = Math.floor((from + offsetAt(from, zone) - HOUR) / step) * step;
    for (let local = first; local <= last; local += step) {
        const at = instantOf(local, zone);
        /* Between the two times there is a gap: the label would be another's. */
        if (at + offsetAt(at, zone) !== local) continue;
        if (at >= from && at < to) found.push(at);
        const again = local - offsetAt(at + 3 * HOUR, zone);
        if (
            step <= HOUR &&
            again > at &&
            again < to &&
            again >= from &&
            again + offsetAt(again, zone) === local
        )
            found.push(again);
    }
    return found.sort((a, b) => a - b);
}

/** @param {number} at @param {string} zone @param {number} step @returns {Tick} */
function tick(at, zone, step) {
    const c = civil(at, zone);
    const isDay = c.hour === 0 && c.minute === 0 && c.second === 0;
    const date = `${c.weekday} ${dateOf(c).slice(5)}`;
    if (step >= 28 * DAY) return { at, text: dateOf(c), isDay: true };
    if (step >= DAY || isDay) return { at, text: date, isDay: true };
    return { at, text: clockOf(c), isDay: false };
}

/** "forward 1h" or "back 1h". @param {number} by milliseconds */
export function changeText(by) {
    const hours = Math.abs(by) / HOUR;
    return `clocks ${by > 0 ? "forward" : "back"} ${hours >= 1 ? `${+hours.toFixed(2)} h`
        : `${Math.abs(by) / MINUTE} min`}`;
}
