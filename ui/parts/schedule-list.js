/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the list of schedules: read page by page while the user scrolls, and re-read where
 * the user looks when events name a schedule.  The server filters, sorts and counts.
 */
import { get } from "../lib/api.js";
import { actionText } from "../lib/words.js";

const FIELDS = "description,spec,action,state";
const FIRST_PAGE = 100;
const NEXT_PAGE = 250;
const OVERLAP = 50; /* rows that may have been inserted into a page since it was read */

/** Filters, in the order in which they are shown; the names are those of the API. */
export const FILTERS = /** @type {const} */ ([
    "search",
    "status",
    "health",
    "outcome",
    "action",
    "queue",
    "label",
    "zone",
]);

/** These need the server's catalogue, which it reads after its start. */
const OF_CATALOGUE = ["health", "outcome", "zone"];
const SIMPLE_ORDERS = ["id", "-id", "createdAt", "-createdAt", "updatedAt", "-updatedAt"];

/**
 * @typedef {{id: string, damaged?: string, description: string, does: string, type: string,
 *     queue: string | null, zone: string | null, status: string, pausedReason: string | null,
 *     pausedUntil: string | null, nextAt: string | null, open: number, waiting: number,
 *     failures: number, outcome: string | null, lastRunAt: string | null, lastRunId: string | null,
 *     lateness: string | null, recent: string, warnings: string[]}} Row
 */

/**
 * The parts of a schedule that a row shows; the rest would fill the memory.
 * @param {any} one
 * @returns {Row}
 */
function rowOf(one) {
    const { state = {}, spec = {}, action } = one;
    return {
        id: one.id,
        damaged: one.damaged,
        description: one.description ?? "",
        does: actionText(action).slice(0, 300),
        type: action?.type ?? "",
        queue: action?.queue ?? null,
        zone: spec.timezone ?? null,
        status: state.status ?? "active",
        pausedReason: state.pausedReason ?? null,
        pausedUntil: state.pausedUntil ?? null,
        nextAt: state.nextAt ?? null,
        open: state.open ?? 0,
        waiting: state.waiting ?? 0,
        failures: state.failures ?? 0,
        outcome: state.lastOutcome ?? null,
        lastRunAt: state.lastRunAt ?? null,
        lastRunId: state.lastRunId ?? null,
        lateness: state.lastLateness ?? null,
        recent: state.recent ?? "",
        warnings: state.warnings ?? [],
    };
}

/** The query of the server's list. @param {Record<string, string>} query of the address */
export function listQuery(query) {
    /** @type {Record<string, string>} */
    const values = {};
    for (const name of FILTERS) if (query[name]) values[name] = query[name];
    values.sort = query.sort || "id";
    return values;
}

/**
 * Whether the server can answer without its catalogue, and how.
 * @param {Record<string, string>} values @param {any} error
 */
function withoutCatalogue(values, error) {
    const isCatalogue = error.status === 409 || (error.status === 503 && error.code === "unavailable");
    if (!isCatalogue || OF_CATALOGUE.some((name) => values[name])) return null;
    return { ...values, sort: SIMPLE_ORDERS.includes(values.sort) ? values.sort : "id", facets: "false" };
}

/** @typedef {{first: number, count: number, cursor: string | null}} Page */

export class ScheduleList {
    /** @param {() => void} onChange */
    constructor(onChange) {
        this.onChange = onChange;
        /** @type {Row[]} */
        this.rows = [];
        /** @type {Page[]} */
        this.pages = [];
        /** @type {string | null} */
        this.cursor = null;
        /** @type {number | null} */
        this.total = null;
        /** @type {any} */
        this.facets = null;
        /** The order, filters and counts include every change until then: milliseconds. */
        this.asOf = Infinity;
        this.isStale = false;
        /** Rows would have moved, but the user pointed at them. */
        this.isHeldBack = false;
        this.isReady = false;
        this.isLoading = false;
        /** Why the answer has no counts, or another order: in words. @type {string | null} */
        this.limits = null;
        /** @type {any} */
        this.error = null;
        /** @type {Record<string, string>} */
        this.values = { sort: "id" };
        this.abort = new AbortController();
    }

    close() {
        this.abort.abort();
    }

    /**
     * Begins with the first page of other filters; the old rows stay until it is there.
     * @param {Record<string, string>} values
     */
    open(values) {
        this.abort.abort();
        this.abort = new AbortController();
        this.values = values;
        this.isLoading = false;
        return this.read(null, FIRST_PAGE);
    }

    more() {
        return this.cursor && !this.isLoading && !this.error
            ? this.read(this.cursor, NEXT_PAGE)
            : undefined;
    }

    /** @param {any} answer */
    note(answer) {
        this.total = answer.total ?? null;
        this.facets = answer.facets ?? null;
        this.isStale = answer.stale ?? false;
        this.asOf = answer.asOf ? Date.parse(answer.asOf) : Infinity;
    }

    /**
     * One request for a page; if the catalogue cannot answer, without it.
     * @param {string | null} cursor @param {number} limit @param {AbortSignal} abort
     */
    async request(cursor, limit, abort) {
        const values = { ...this.values, cursor, limit, fields: FIELDS };
        const simple =
            this.limits !== null && cursor !== null ? withoutCatalogue(this.values, { status: 409 }) : null;
        try {
            const answer = await get(
                "/api/v1/schedules",
                simple ? { ...values, ...simple } : { ...values, facets: true },
                abort,
            );
            if (!simple) this.limits = null;
            return answer;
        } catch (problem) {
            const error = /** @type {any} */ (problem);
            const other = cursor === null ? withoutCatalogue(this.values, error) : null;
            if (!other) throw error;
            const answer = await get("/api/v1/schedules", { ...values, ...other }, abort);
            this.limits = error.message;
            return answer;
        }
    }

    /** @param {string | null} cursor @param {number} limit */
    async read(cursor, limit) {
        const abort = this.abort.signal;
        this.isLoading = true;
        try {
            const answer = await this.request(cursor, limit, abort);
            if (abort.aborted) return;
            if (cursor === null) {
                this.rows = [];
                this.pages = [];
            }
            this.pages.push({ first: this.rows.length, count: answer.schedules.length, cursor });
            for (const one of answer.schedules) this.rows.push(rowOf(one));
            this.cursor = answer.cursor;
            this.error = null;
            this.note(answer);
        } catch (error) {
            if (abort.aborted) return;
            this.error = error;
        }
        this.isReady = true;
        this.isLoading = false;
        this.onChange();
    }

    /** Pages that have rows from `first` to before `last`. @param {number} first @param {number} last */
    pagesIn(first, last) {
        return this.pages.filter((page) => page.first < last && page.first + page.count > first);
    }

    /**
     * Reads the pages again that have rows from `first` to before `last`.  If `isHeld`, rows stay
     * where they are, because the user points at them, and only their values change.
     * @param {number} first @param {number} last @param {boolean} isHeld
     */
    async refresh(first, last, isHeld) {
        const abort = this.abort.signal;
        const pages = this.pagesIn(first, last);
        if (pages.length === 0 || (this.limits && pages[0].first === 0)) {
            await this.read(null, FIRST_PAGE);
            return;
        }
        this.error = null;
        for (const page of pages) {
            try {
                const limit = Math.min(1000, page.count + OVERLAP);
                const answer = await this.request(page.cursor, limit, abort);
                if (abort.aborted) return;
                this.note(answer);
                this.isHeldBack = isHeld;
                if (isHeld) this.merge(answer.schedules.map(rowOf));
                else this.replace(page, answer.schedules.map(rowOf), answer.cursor);
            } catch (error) {
                if (abort.aborted) return;
                this.error = error;
            }
        }
        this.onChange();
    }

    /** @param {Row[]} rows */
    merge(rows) {
        const found = new Map(rows.map((row) => [row.id, row]));
        for (let i = 0; i < this.rows.length; i++) {
            const row = found.get(this.rows[i].id);
            if (row) this.rows[i] = row;
        }
    }

    /**
     * Rows that were inserted or removed since are inserted or removed; the next page begins with
     * the row with which it began before.
     * @param {Page} page @param {Row[]} rows @param {string | null} cursor
     */
    replace(page, rows, cursor) {
        const at = this.pages.indexOf(page);
        if (at < 0) return;
        const isLast = at === this.pages.length - 1;
        const next = isLast ? null : this.rows[page.first + page.count];
        const end = next ? rows.findIndex((row) => row.id === next.id) : rows.length;
        const kept = end >= 0 ? rows.slice(0, end) : rows.slice(0, page.count);
        this.rows.splice(page.first, page.count, ...kept);
        for (const other of this.pages.slice(at + 1)) other.first += kept.length - page.count;
        page.count = kept.length;
        if (isLast) this.cursor = cursor;
        if (cursor !== null || isLast) return;
        /* The list now ends in this page. */
        this.pages.length = at + 1;
        this.rows.splice(page.first, Infinity, ...rows);
        page.count = rows.length;
        this.cursor = null;
    }
}

/** "late since 5m" and the like: how a schedule does. @param {Row} row @param {number} at */
export function healthOf(row, at) {
    if (row.damaged) return { name: "damaged", why: row.damaged };
    if (row.status === "closed") return { name: "closed", why: "" };
    if (row.status === "paused") return { name: "paused", why: row.pausedReason ?? "" };
    if (row.nextAt && Date.parse(row.nextAt) < at - LATE_AFTER)
        return { name: "late", why: "not started yet" };
    if (row.failures > 0)
        return { name: "failing", why: row.failures === 1 ? "" : `${row.failures} in a row` };
    return { name: "ok", why: "" };
}

const LATE_AFTER = 60_000; /* milliseconds; the server's own limit of the health "late" */
