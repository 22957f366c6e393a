/* SPDX-License-Identifier: Apache-2.0 */
/* The clock changes to come, and what they do to schedules: GET /clock-changes. */
import { html, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query, setQuery } from "../lib/router.js";
import { civil, dateOf, fullTime, ms, now, offsetName, relative, span } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Empty, Head, Link, Load, Problem } from "../parts/basic.js";
import { DAY, HOUR } from "../parts/timeline-axis.js";

/** @type {Array<[string, string, number]>} */
const UNTIL = [
    ["90d", "3 months", 90],
    ["1y", "1 year", 366],
    ["2y", "2 years", 731],
    ["5y", "5 years", 1827],
];
const UNTIL_DEFAULT = "1y";
const PAGES_AT_ONCE = 20;

const EFFECTS = {
    skipped: { word: "skipped", tone: "skip", sign: "↷" },
    repeated: { word: "repeated", tone: "late", sign: "↻" },
    moved: { word: "moved", tone: "run", sign: "→" },
    once: { word: "runs once", tone: "off", sign: "1" },
};

/** The local times before and after. @param {any} change */
function localTimes({ at, offsetBefore, offsetAfter }) {
    const clock = (/** @type {number} */ offset) => fullTime(ms(at) + offset * 1000, "UTC").slice(11, 16);
    return `${clock(offsetBefore)} → ${clock(offsetAfter)}`;
}

/** @param {any} change */
function directionText({ offsetBefore, offsetAfter }) {
    const by = (offsetAfter - offsetBefore) * 1000;
    return `The clocks go ${by > 0 ? "forward" : "back"} by ${span(by)}`;
}

/** @param {{effect: string}} props */
function Effect({ effect }) {
    const { word, tone, sign } = EFFECTS[/** @type {keyof typeof EFFECTS} */ (effect)] ?? {
        word: effect,
        tone: "off",
        sign: "·",
    };
    return html`<span class="badge tone-${tone}"><span class="sign" aria-hidden="true">${sign}</span>
    ${word}</span>`;
}

/**
 * Local times of slots; the offset says which of two equal ones.
 * @param {{schedule: string, slots: string[], zone: string}} props
 */
function Slots({ schedule, slots, zone }) {
    return html`<ul class="clock-slots">
        ${slots.map((slot) => {
            const [from, to] = [ms(slot) - 6 * HOUR, ms(slot) + 6 * HOUR].map((at) =>
                new Date(at).toISOString(),
            );
            const local = fullTime(slot, zone);
            return html`<li>
                <${Link} to=${["timeline"]} query=${{ schedule, from, to, tz: zone }}>
                    <time dateTime=${slot} title="${local} ${zone}">${local.slice(11, 16)}</time>
                <//> <span class="faint">${offsetName(slot, zone)}</span>
            </li>`;
        })}
    </ul>`;
}

/** @param {{change: any}} props */
function Affected({ change }) {
    return html`<div class="scroll-x">
        <table class="table">
            <thead>
                <tr><th scope="col">Schedule</th><th scope="col">Effect</th><th scope="col">What happens</th>
                <th scope="col">Slots, local time</th></tr>
            </thead>
            <tbody>
                ${change.affected.map(
                    (/** @type {any} */ one) =>
                        html`<tr key=${one.id}>
                            <th scope="row" class="wi-name"><${Link} to=${["schedule", one.id]}>${one.id}<//>
                            </th>
                            <td><${Effect} effect=${one.effect} /></td>
                            <td>${one.text}</td>
                            <td class="num">
                                ${one.slots?.length > 0
                                    ? html`<${Slots} schedule=${one.id} slots=${one.slots}
                                        zone=${change.timezone} />` : html`<span class="faint">none</span>`}
                            </td>
                        </tr>`,
                )}
            </tbody>
        </table>
    </div>`;
}

/** @param {{change: any}} props */
function Change({ change }) {
    const local = civil(ms(change.at) - 1000, change.timezone);
    const count = change.affected.length;
    return html`<section class="card flush clock-change" aria-label="${change.timezone}, ${dateOf(local)}">
        <div class="clock-head">
            <div>
                <h2>${local.weekday} ${dateOf(local)}, ${localTimes(change)}</h2>
                <p class="muted">
                ${change.timezone} · ${directionText(change)} · ${relative(change.at)} <span
                    class="faint num">(${fullTime(change.at, "UTC").slice(0, 16)} UTC)</span></p>
            </div>
            <p class="muted small clock-count">
                ${plural(change.schedules, "schedule")} in this
                    zone, <b class=${count > 0 ? "tone-text-late" : ""}>
                    ${count === 0 ? "none" : number(count)} affected${change.more > 0 ? " so far" : ""}</b>
            </p>
        </div>
        ${change.affected.length > 0 ? html`<${Affected} change=${change} />` : null}
        ${
            change.more > 0
                ? html`<p class="muted small clock-more">${plural(change.more, "schedule")} in this zone not
                    examined yet; continue
                        below. <${Link} to=${["schedules"]} query=${{ zone: change.timezone }}>All schedules
                            in ${change.timezone}<//></p>`
                : null
        }
    </section>`;
}

/** A change whose schedules are on several pages is one. @param {any[]} changes */
function merge(changes) {
    const merged = new Map();
    for (const change of changes) {
        const key = `${change.at} ${change.timezone}`;
        const old = merged.get(key);
        merged.set(key, old ? { ...change, affected: [...old.affected, ...change.affected] } : change);
    }
    return [...merged.values()];
}

/**
 * Reads on until something new is found; a page may have examined many schedules and found none.
 * @param {Record<string, any>} values @param {string} cursor
 */
async function readOn(values, cursor) {
    /** @type {any[]} */
    const changes = [];
    /** @type {string | null} */
    let next = cursor;
    for (let i = 0; i < PAGES_AT_ONCE && next && !changes.some((change) => change.affected.length > 0); i++) {
        const page = await get("/api/v1/clock-changes", { ...values, cursor: next });
        changes.push(...page.changes);
        next = page.cursor ?? null;
    }
    return { changes, cursor: next };
}

/** @param {{until: string, zone?: string, all: boolean, zones: string[]}} props */
function Filters({ until, zone, all, zones }) {
    const names = zone && !zones.includes(zone) ? [zone, ...zones] : zones;
    return html`<div class="filters" role="group" aria-label="Filters">
        <select aria-label="Until" value=${until}
            onChange=${(/** @type {any} */ event) =>
                setQuery({ until: event.target.value === UNTIL_DEFAULT ? null : event.target.value })}>
            ${UNTIL.map(([name, text]) => html`<option value=${name}>Within ${text}</option>`)}
        </select>
        <select aria-label="Time zone" value=${zone ?? ""}
            onChange=${(/** @type {any} */ event) => setQuery({ zone: event.target.value || null })}>
            <option value="">All time zones</option>
            ${names.map((name) => html`<option value=${name}>${name}</option>`)}
        </select>
        <button type="button" class="chip" aria-pressed=${all ? "true" : "false"}
            onClick=${() => setQuery({ all: all ? null : 1 })}>Every change, not only the next of each
                zone</button>
    </div>`;
}

/** @param {{zone?: string, untilText: string}} props */
function NoChange({ zone, untilText }) {
    return html`<section class="card">
    <${Empty} title="No clock change ${zone ? `in ${zone} ` : ""}within ${untilText}">
        <p>
            When clocks change, a local time such as 02:30 does not exist or occurs twice. This page lists
                each change that
            comes, and the schedules whose slots are then skipped, repeated or moved.
        </p>
        <p>Zones without daylight saving time, such as UTC, have no changes.</p>
    <//></section>`;
}

export function ClockChanges() {
    const { until: asked, zone, all } = query.value;
    const [name, untilText, days] = UNTIL.find(([one]) => one === asked) ?? UNTIL[1];
    const today = new Date(Math.floor(now.value / DAY) * DAY).toISOString().slice(0, 10);
    const until = new Date(Date.parse(today) + (days + 1) * DAY).toISOString();
    const values = { until, zone, all: all ? true : undefined, limit: 1000 };
    const key = `clock ${namespace()} ${JSON.stringify(values)}`;
    const [more, setMore] = useState(
        /** @type {{key: string, changes: any[], cursor: string | null, error: any}} */ ({
            key: "",
            changes: [],
            cursor: null,
            error: null,
        }),
    );
    const first = useResource(key, (abort) => get("/api/v1/clock-changes", values, abort), {
        refreshOn: (event) => /^schedule\.(created|updated|deleted|closed)$/.test(event.type),
        pause: 5000,
        keep: true,
    });
    const facets = useResource(`clock zones ${namespace()}`, (abort) =>
        get("/api/v1/schedules", { limit: 1, fields: "enabled", facets: true }, abort),
    );
    const zones = (facets.data?.facets?.zone ?? []).map((/** @type {any} */ one) => one.value).sort();
    const rest = more.key === key ? more : { changes: [], cursor: first.data?.cursor ?? null, error: null };
    const loadMore = async () => {
        try {
            const found = await readOn(values, rest.cursor);
            setMore({ key, changes: [...rest.changes, ...found.changes], cursor: found.cursor, error: null });
        } catch (error) {
            setMore({ ...rest, key, error });
        }
    };
    return html`
        <${Head} title="Clock changes"
            sub="When clocks change in the zones of schedules, and what becomes of slots then." />
        <${Filters} until=${name} zone=${zone} all=${Boolean(all)} zones=${zones} />
        <${Load} of=${first} rows=${6}>
            ${(/** @type {any} */ data) => {
                const changes = merge([...data.changes, ...rest.changes]);
                if (changes.length === 0) return html`<${NoChange} zone=${zone} untilText=${untilText} />`;
                return html`${changes.map((change) =>
                    html`<${Change} key=${`${change.timezone} ${change.at}`} change=${change} />`)}
                    ${rest.error ? html`<${Problem} error=${rest.error} />` : null}
                    ${rest.cursor
                        ? html`<p class="row"><button type="button" onClick=${loadMore}>Continue</button>
                        <span class="muted small">${plural(changes.length, "change")} shown</span></p>`
                            : null}
                    ${data.cut ? html`<p class="note">${data.cut}</p>` : null}`;
            }}
        <//>
    `;
}
