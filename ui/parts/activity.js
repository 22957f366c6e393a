/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened last, in words.  The server lists events oldest first, so what ended before the
 * page was opened is taken from the list of runs; from then on events are shown as they arrive.
 */
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { subscribe } from "../lib/live.js";
import { useResource } from "../lib/resource.js";
import { href, query, setQuery } from "../lib/router.js";
import { look } from "../lib/words.js";
import { Card, Load, Tabs, Time } from "./basic.js";
import { eventText, eventTone } from "./event-words.js";

const SHOWN = 12;
const KEPT = 300; /* entries, for the filters */
const RUNS = 50;
const DRAW_PAUSE = 1000;

/** Steps of a run that its end tells too, and what a plan changes by itself. */
const STEPS = /^(run\.(planned|unplanned|ready|claimed|started)|plan\.)/;
const PROBLEMS = ["bad", "late", "miss", "skip"];

/**
 * @typedef {{key: string, at: string, schedule: string | null, run: string | null, type: string,
 *     text: string, tone: string, count: number}} Entry
 */

/** @param {any} event @returns {Entry} */
function entryOf(event) {
    const text = eventText(event);
    return {
        key: `${event.schedule} ${event.type} ${text}`,
        at: event.at,
        schedule: event.schedule,
        run: event.run ?? null,
        type: event.type,
        text,
        tone: eventTone(event),
        count: 1,
    };
}

/** @param {any} run */
const endOf = (run) => ({ ...run, type: "run.ended", at: run.endedAt, run: run.id });

/** @param {any} a @param {any} b */
const byTime = (a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/**
 * The runs that had ended when they were read, and what has happened since the page was opened,
 * newest first.  Equal events of a schedule become one entry with a count.
 * @param {any[]} runs @param {any[]} events
 */
function combine(runs, events) {
    const known = new Set(runs.map((run) => run.id));
    const others = events.filter((event) => event.type !== "run.ended" || !known.has(event.run));
    /** @type {Map<string, Entry>} */
    const entries = new Map();
    for (const event of [...runs.map(endOf), ...others].sort(byTime)) {
        const entry = entryOf(event);
        entry.count += entries.get(entry.key)?.count ?? 0;
        entries.set(entry.key, entry);
    }
    return [...entries.values()].sort(byTime).reverse().slice(0, KEPT);
}

/** Entries, computed at most once a second while events arrive. @param {any[] | undefined} runs */
function useEntries(runs) {
    const [entries, setEntries] = useState(/** @type {Entry[]} */ ([]));
    const events = useRef(/** @type {any[]} */ ([]));
    const read = useRef(/** @type {any[]} */ ([]));
    useEffect(() => {
        if (!runs) return;
        read.current = runs;
        setEntries(combine(runs, events.current));
    }, [runs]);
    useEffect(() => {
        let timer = 0;
        const draw = () => {
            timer = 0;
            setEntries(combine(read.current, events.current));
        };
        const leave = subscribe((event) => {
            if (!event.at || STEPS.test(event.type)) return;
            events.current.push(event);
            if (events.current.length > 5 * KEPT) events.current.splice(0, KEPT);
            if (!timer) timer = setTimeout(draw, DRAW_PAUSE);
        });
        return () => {
            leave();
            clearTimeout(timer);
        };
    }, []);
    return entries;
}

/** @param {string} name */
const choose = (name) => setQuery({ activity: name === "all" ? null : name }, { replace: true });

/** @param {string} choice */
const nothing = (choice) =>
    choice === "all"
        ? "No run has ended yet."
        : "None among the last runs, and none since this page was opened.";

/** @type {Array<[string, string]>} */
const CHOICES = [
    ["all", "All"],
    ["problems", "Problems"],
    ["changes", "Changes"],
];

/** @param {string} choice @param {Entry} entry */
function matches(choice, entry) {
    if (choice === "problems") return PROBLEMS.includes(entry.tone);
    if (choice === "changes") return /^(schedule|backfill|node|clock)\./.test(entry.type);
    return true;
}

/** @param {{entry: Entry}} props */
function Line({ entry }) {
    const sign = entry.type === "run.ended" ? look(nameOf(entry)).sign : "•";
    return html`<li>
        <span
            class="activity-sign ${entry.tone ? `tone-text-${entry.tone}` : "faint"}"
            aria-hidden="true"
        >${sign}</span>
        <span class="activity-text clip">
            ${entry.schedule ? html`<a
                class="plain-link"
                href=${href(["schedule", entry.schedule])}
            >${entry.schedule}</a> ` : null}
            <span class="muted" title=${entry.text}>${
                entry.run && entry.count === 1
                    ? html`<a class="quiet" href=${href(["run", entry.run])}>${entry.text}</a>`
                    : entry.text
            }</span>
            ${entry.count > 1 ? html` <span class="faint num">×${entry.count}</span>` : null}
        </span>
        <span class="small faint nowrap"><${Time} at=${entry.at} relative /></span>
    </li>`;
}

/** The outcome that an entry about the end of a run tells. @param {Entry} entry */
const nameOf = (entry) => ({ ok: "succeeded", bad: "failed" })[entry.tone] ?? "cancelled";

export function Activity() {
    const runs = useResource(`activity ${namespace()}`, (abort) =>
        get(
            "/api/v1/runs",
            { state: "ended", limit: RUNS, fields: "schedule,outcome,reason,endedAt,attempt" },
            abort,
        ).then((page) => page.runs),
    );
    const entries = useEntries(runs.data);
    const choice = query.value.activity ?? "all";
    const shown = entries.filter((entry) => matches(choice, entry)).slice(0, SHOWN);
    const tabs = html`<${Tabs}
        label="Which activity"
        tabs=${CHOICES}
        chosen=${choice}
        onChoose=${choose}
    />`;
    return html`<${Card} title="Recent activity" actions=${tabs}>
        <${Load} of=${runs}>
            ${() => html`<ul class="activity">
                ${shown.map((entry) => html`<${Line} key=${entry.key} entry=${entry} />`)}
                ${shown.length === 0 ? html`<li
                    class="faint"
                >${nothing(choice)}</li>` : null}
            </ul>`}
        <//>
        <p class="card-foot small"><a
            href=${href(["events"])}
        >All events</a> · <a href=${href(["runs"])}>All runs</a></p>
    <//>`;
}
