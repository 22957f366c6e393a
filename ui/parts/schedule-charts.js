/* SPDX-License-Identifier: Apache-2.0 */
/* The year of a schedule, and how late and how long its runs were: parts that load when shown. */
import { html, useEffect, useState } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { civil, dateOf, now } from "../lib/time.js";
import { Card, Problem, Tabs } from "./basic.js";

/** @param {{load: () => Promise<any>, name: string, props: any, height: number}} props */
function Lazy({ load, name, props, height }) {
    const [found, setFound] = useState(/** @type {any} */ (null));
    useEffect(() => {
        load().then(
            (module) => setFound({ Part: module[name] }),
            () =>
                setFound({
                    error: new Error("This part could not be loaded; the server may have been upgraded."),
                }),
        );
    }, []);
    if (found?.error) return html`<${Problem} error=${found.error} retry=${() => location.reload()} />`;
    return html`<div style=${{ minHeight: `${height}px` }}>
        ${found ? html`<${found.Part} ...${props} />` : null}
    </div>`;
}

const loadHeatMap = () => import("./heat-map.js");
const loadQuantiles = () => import("./quantiles.js");

/** @param {{schedule: any}} props */
export function ScheduleCalendar({ schedule }) {
    const today = civil(now.value, schedule.spec.timezone).year;
    const year = Number(query.value.year) || today;
    const onYear = (/** @type {number} */ value) => setQuery({ year: value === today ? null : value });
    return html`<${Card} title="Calendar">
        <${Lazy}
            load=${loadHeatMap}
            name="HeatMap"
            height=${220}
            props=${{ schedule: schedule.id, year, onYear }}
        />
    <//>`;
}

/** @type {Array<[string, string]>} */
const RANGES = [
    ["7", "7 days"],
    ["30", "30 days"],
    ["90", "90 days"],
];

/** @param {{schedule: any}} props */
export function ScheduleCharts({ schedule }) {
    const days = RANGES.some(([name]) => name === query.value.days) ? query.value.days : "30";
    const zone = schedule.spec.timezone;
    const [today] = useState(() => now.value);
    const day = (/** @type {number} */ at) => dateOf(civil(at, zone));
    const props = {
        schedule: schedule.id,
        from: day(today - (Number(days) - 1) * 86_400_000),
        to: day(today),
    };
    return html`<div class="row">
            <${Tabs}
                label="Range"
                tabs=${RANGES}
                chosen=${days}
                onChoose=${(/** @type {string} */ value) => setQuery({ days: value })}
            />
            <span class="faint small">Days of ${zone}</span>
        </div>
        <${Card} title="Lateness">
            <p class="muted small">From when a run was due to the start of its first attempt.</p>
            <${Lazy}
                key=${`l${days}`}
                load=${loadQuantiles}
                name="LatenessChart"
                height=${220}
                props=${props}
            />
        <//>
        <${Card} title="Duration">
            <p class="muted small">Of the last attempt of each run.</p>
            <${Lazy}
                key=${`d${days}`}
                load=${loadQuantiles}
                name="DurationChart"
                height=${220}
                props=${props}
            />
        <//>`;
}
