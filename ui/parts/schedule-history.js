/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who changed what.  The audit log names the caller, for those who may see it; events say what an
 * edit did to the plan.  The server keeps no old documents, so the exact difference in fire times is
 * there for the versions that this page has seen.
 */
import { html, useState } from "../lib/html.js";
import { get, getAll, post, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { fullTime, ms, zoneName } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { attempt, Card, Empty, Load, Time } from "./basic.js";
import { differences, fieldName } from "./editor-doc.js";
import { ChangeList, PlanDiff } from "./editor-save.js";
import { may } from "./login.js";

/** Documents that this page has seen, by schedule and version. @type {Map<string, any>} */
const seen = new Map();

/** Remembers a version of a schedule. @param {any} schedule */
export function remember(schedule) {
    const { state, ...doc } = schedule;
    seen.set(`${doc.namespace}/${doc.id}/${state.version}`, doc);
    if (seen.size > 200) seen.delete(seen.keys().next().value ?? "");
}

/** @type {Record<string, string>} */
const OPERATIONS = {
    "schedule.create": "created",
    "schedule.put": "replaced",
    "schedule.patch": "edited",
    "schedule.delete": "deleted",
    "schedule.pause": "paused",
    "schedule.resume": "resumed",
    "schedule.trigger": "triggered",
    "schedule.test": "tested",
    "schedule.skip-next": "skipped slots",
    "schedule.backfill": "requested a backfill",
    "schedule.archive": "archived",
    "schedule.hint": "set a hint",
    "schedule.release": "released from quarantine",
    "schedule.reset-failures": "reset the failures",
};

/** @param {string} name @param {number} [version] */
const wordOf = (name, version) =>
    name === "schedule.put" && version === 1
        ? "created"
        : (OPERATIONS[name] ?? name.replace(/^schedule\./, "").replaceAll("-", " "));

/** What the events of one moment say about the plan. @param {any[]} events @param {string} zone */
function planWords(events, zone) {
    return events
        .filter(({ type }) => type === "run.planned" || type === "run.unplanned")
        .map((event) => {
            const verb = event.type === "run.planned" ? "planned" : "removed";
            const count = event.count === null ? "slots" : plural(event.count, "slot");
            const to = event.last && event.last !== event.slot ? ` to ${fullTime(event.last, zone)}` : "";
            return `${verb} ${count}${event.slot ? `: ${fullTime(event.slot, zone)}${to}` : ""}`;
        })
        .join("; ");
}

/**
 * The difference to the version before, if both are known.
 * @param {{schedule: any, version: number}} props
 */
function VersionDiff({ schedule, version }) {
    const [shown, setShown] = useState(/** @type {any} */ (null));
    const key = `${schedule.namespace}/${schedule.id}`;
    const before = seen.get(`${key}/${version - 1}`);
    const after = seen.get(`${key}/${version}`);
    if (!before || !after) return null;
    const show = () =>
        attempt(async () => {
            /* The server compares with the present version: what an older one adds, the edit has removed. */
            const diff =
                version === schedule.state.version
                    ? await post(v1("schedules", schedule.id, "plan-diff"), { document: before, count: 100 })
                    : null;
            setShown({
                changes: differences(before, after).map(([path, from, to]) => ({
                    field: fieldName(path),
                    from,
                    to,
                })),
                diff: diff && {
                    ...diff,
                    before: diff.after,
                    after: diff.before,
                    added: diff.removed,
                    removed: diff.added,
                },
            });
        });
    if (!shown) return html`<button type="button" class="small" onClick=${show}>Difference</button>`;
    return html`<div class="version-diff">
        ${shown.changes.length > 0
            ? html`<${ChangeList} changes=${shown.changes} />`
            : html`<p class="muted small">The document is the same.</p>`}
        ${shown.diff ? html`<${PlanDiff} diff=${shown.diff} zone=${schedule.spec.timezone} />` : null}
    </div>`;
}

const PAGE = 50;

const EVENT_PAGES = 5; /* of a thousand */

/**
 * The events of a schedule, oldest first, and whether there are more.
 * @param {string} id
 * @param {AbortSignal} abort
 */
async function loadEvents(id, abort) {
    const type = "schedule.*,run.planned,run.unplanned";
    /** @type {any[]} */
    const events = [];
    /** @type {any} */
    let page = { events: [], cursor: "oldest", more: true };
    for (let i = 0; i < EVENT_PAGES && page.more; i++) {
        page = await get("/api/v1/events", { schedule: id, type, after: page.cursor, limit: 1000 }, abort);
        events.push(...page.events);
    }
    return { events, hasMore: page.more };
}

/** @param {string} id @param {number} count of entries of the audit log @param {AbortSignal} abort */
async function loadHistory(id, count, abort) {
    const audit = may("admin") ? getAll("/api/v1/audit", "entries", { object: id }, count, abort) : null;
    const [{ events, hasMore }, entries] = await Promise.all([loadEvents(id, abort), audit]);
    return { events, entries: entries?.entries ?? null, hasMore: entries ? entries.more : hasMore };
}

/** Rows of the table, newest first. @param {any} data @returns {any[]} */
function rowsOf(data) {
    if (data.entries)
        return data.entries
            .filter(
                (/** @type {any} */ { operation, result }) =>
                    operation?.startsWith("schedule.") || result === "damaged",
            )
            .map((/** @type {any} */ entry) => ({
                at: entry.at,
                by: entry.by,
                what: entry.operation ? wordOf(entry.operation, entry.version) : "damaged entry",
                result: entry.result,
                version: entry.version,
                isEdit: entry.before !== entry.after,
                key: `${entry.node} ${entry.seq}`,
            }));
    return data.events
        .filter((/** @type {any} */ { type }) => type.startsWith("schedule."))
        .map((/** @type {any} */ event) => ({
            at: event.at,
            by: null,
            what: event.type.slice(9),
            result: "done",
            version: event.version,
            isEdit: true,
            key: event.id,
        }))
        .reverse();
}

/** What is not shown. @param {number} count @param {any} data */
function endText(count, { entries, hasMore }) {
    const shown = plural(count, "entry", "entries");
    if (entries) return `${shown}, all shown`;
    const rest = hasMore ? `; beyond the first ${EVENT_PAGES},000 they are left out` : "";
    return `${shown} of the events that are kept${rest}; the audit log needs an admin`;
}

/** @param {{schedule: any}} props */
export function ScheduleHistory({ schedule }) {
    const { id, spec } = schedule;
    const zone = zoneName(spec.timezone);
    const [count, setCount] = useState(PAGE);
    const history = useResource(`history ${id} ${count}`, (abort) => loadHistory(id, count, abort), {
        keep: true,
        refreshOn: (event) => event.schedule === id && event.type.startsWith("schedule."),
        pause: 2000,
    });
    return html`<${Card} title="History">
        <${Load} of=${history} rows=${6}>
            ${(/** @type {any} */ data) => {
                const rows = rowsOf(data);
                if (rows.length === 0) return html`<${Empty} title="No change is recorded" />`;
                return html`<div class="scroll-x" role="group" aria-label="Changes" tabindex="0">
                        <table class="table">
                            <thead>
                                <tr>
                                    <th>When</th>
                                    ${data.entries ? html`<th>Who</th>` : null}
                                    <th>What</th>
                                    <th class="right">Version</th>
                                    <th>Fire times</th>
                                </tr>
                            </thead>
                            <tbody>
                                ${rows.map(
                                    (/** @type {any} */ row) =>
                                        html`<tr key=${row.key}>
                                            <td class="nowrap">
                                                <${Time} at=${row.at} zone=${spec.timezone} />${" "}
                                                <span class="faint"><${Time} at=${row.at} relative /></span>
                                            </td>
                                            ${data.entries ? html`<td>${row.by ?? "–"}</td>` : null}
                                            <td>
                                                ${row.what}${row.result === "done"
                                                    ? null
                                                    : html` <span class="tone-text-bad">${row.result}</span>`}
                                            </td>
                                            <td class="right num">${row.version ?? ""}</td>
                                            <td>
                                                <span class="small muted"
                                                    >${planWords(
                                                        data.events.filter(
                                                            (/** @type {any} */ event) =>
                                                                Math.abs(ms(event.at) - ms(row.at)) < 2,
                                                        ),
                                                        zone,
                                                    )}</span
                                                >
                                                ${row.isEdit && row.version
                                                    ? html`${" "}<${VersionDiff}
                                                          schedule=${schedule}
                                                          version=${row.version}
                                                      />`
                                                    : null}
                                            </td>
                                        </tr>`,
                                )}
                            </tbody>
                        </table>
                    </div>
                    <p class="last-line">
                        ${data.entries && data.hasMore
                            ? html`<button type="button" onClick=${() => setCount(count + PAGE)}>
                                  ${plural(rows.length, "entry", "entries")} shown; show more
                              </button>`
                            : html`<span class="faint">${endText(rows.length, data)}</span>`}
                    </p>`;
            }}
        <//>
    <//>`;
}
