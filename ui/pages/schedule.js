/* SPDX-License-Identifier: Apache-2.0 */
/* One schedule: its state and buttons, and tabs for its times, runs, history and document. */
import { html, useEffect } from "../lib/html.js";
import { get, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query, setQuery } from "../lib/router.js";
import { Empty, Head, Link, Load, Tabs } from "../parts/basic.js";
import { parseDoc } from "../parts/editor-doc.js";
import { ScheduleCalendar, ScheduleCharts } from "../parts/schedule-charts.js";
import { ScheduleExplain } from "../parts/schedule-explain.js";
import { ScheduleHead } from "../parts/schedule-head.js";
import { remember, ScheduleHistory } from "../parts/schedule-history.js";
import { ScheduleJson } from "../parts/schedule-json.js";
import { ScheduleOverview } from "../parts/schedule-overview.js";
import { ScheduleRuns } from "../parts/schedule-runs.js";
import { ScheduleSlots } from "../parts/schedule-slots.js";

/** @type {Array<[string, string, any]>} */
const TABS = [
    ["overview", "Overview", ScheduleOverview],
    ["slots", "Slots", ScheduleSlots],
    ["runs", "Runs", ScheduleRuns],
    ["calendar", "Calendar", ScheduleCalendar],
    ["charts", "Charts", ScheduleCharts],
    ["explain", "Explain", ScheduleExplain],
    ["history", "History", ScheduleHistory],
    ["json", "JSON", ScheduleJson],
];

/** What the address says about a tab; another tab does not inherit it. */
const OF_TABS = ["at", "span", "state", "outcome", "kind", "year", "days", "local", "in", "json"];

/** @param {{segments: string[]}} props */
export function Schedule({ segments }) {
    const id = segments[0] ?? "";
    const options = {
        refreshOn: (/** @type {any} */ event) => event.schedule === id && event.type !== "run.late",
        pause: 1000,
    };
    /* As text, because an input may have numbers that JavaScript cannot represent. */
    const schedule = useResource(
        `schedule ${id}`,
        async (abort) => parseDoc(await request("GET", v1("schedules", id), { signal: abort, raw: true })),
        options,
    );
    const health = useResource(`health ${id}`, (abort) => get(v1("schedules", id, "health"), {}, abort), {
        ...options,
        pause: 2000,
    });
    useEffect(() => {
        if (schedule.data) remember(schedule.data);
    }, [schedule.data]);
    const error = /** @type {any} */ (schedule.error);
    if (error?.status === 404)
        return html`<${Head} title=${id} />
            <${Empty} title="This schedule does not exist">
                <p>It may have been deleted. Its runs stay in the history.</p>
                <p>
                    <${Link} to=${["runs"]} query=${{ schedule: id }}>Runs of ${id}<//>${" · "}
                    <${Link} to=${["schedules"]}>All schedules<//>
                </p>
            <//>`;
    if (!schedule.data)
        return html`<${Head} title=${id} /><${Load} of=${schedule} rows=${8}>${() => null}<//>`;
    const chosen = TABS.find(([name]) => name === query.value.tab) ?? TABS[0];
    const choose = (/** @type {string} */ name) =>
        setQuery({
            ...Object.fromEntries(OF_TABS.map((one) => [one, null])),
            tab: name === "overview" ? null : name,
        });
    const reload = () => {
        schedule.reload();
        health.reload();
    };
    const [name, , Tab] = chosen;
    return html`<${ScheduleHead} schedule=${schedule.data} health=${health.data} reload=${reload} />
        <div class="tab-bar">
            <${Tabs}
                label="Parts of the schedule"
                tabs=${TABS.map(([one, text]) => [one, text])}
                chosen=${name}
                onChoose=${choose}
            />
        </div>
        <${Tab} key=${`${id} ${name}`} schedule=${schedule.data} health=${health.data} />`;
}
