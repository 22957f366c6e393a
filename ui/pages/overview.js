/* SPDX-License-Identifier: Apache-2.0 */
/* What runs, what is next, what is wrong and why. */
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query, setQuery } from "../lib/router.js";
import { civil, dateOf, now, parseLocal, zoneChoice, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Activity } from "../parts/activity.js";
import { Attention } from "../parts/attention.js";
import { Card, Head, Load, Problem, Tile } from "../parts/basic.js";
import { FirstVisit } from "../parts/first-visit.js";
import { LoadChart } from "../parts/load-chart.js";

const HOUR = 3_600_000;
const RETRY = 1500; /* while the server reads its schedules, or what has changed */

/** The zone of "today". */
const zone = () => (zoneChoice.value === "schedule" ? "UTC" : zoneName());

/** @param {AbortSignal} abort */
async function readOverview(abort) {
    try {
        return await get("/api/v1/overview", { timezone: zone() }, abort);
    } catch (problem) {
        const error = /** @type {any} */ (problem);
        /* The browser may know a zone that the server does not. */
        if (error.status !== 400 || error.field !== "timezone") throw error;
        return get("/api/v1/overview", {}, abort);
    }
}

/** Midnight in the zone of the page. */
function today() {
    return new Date(parseLocal(dateOf(civil(now.value, zone())), zone())).toISOString();
}

/** @param {{tiles: any}} props */
function Tiles({ tiles }) {
    const soon = { sort: "nextAt", status: "active" };
    return html`<div class="tiles" role="group" aria-label="Counts">
        <${Tile}
            value=${tiles.running}
            label="running"
            to=${["runs"]}
            query=${{ state: "running" }}
            tone="tone-run"
        />
        <${Tile} value=${tiles.dueNextHour} label="due in the next hour" to=${["schedules"]} query=${soon} />
        <${Tile}
            value=${tiles.failedToday}
            label="failed today"
            to=${["runs"]}
            query=${{ outcome: "failed", from: today() }}
            tone="tone-bad"
        />
        <${Tile}
            value=${tiles.late}
            label="late"
            to=${["schedules"]}
            query=${{ health: "late" }}
            tone="tone-late"
        />
        <${Tile}
            value=${tiles.missedToday}
            label="missed today"
            to=${["timeline"]}
            query=${{ outcome: "missed", from: today() }}
            tone="tone-miss"
        />
        <${Tile} value=${tiles.paused} label="paused" to=${["schedules"]} query=${{ status: "paused" }} />
        <${Tile}
            value=${tiles.waitingApproval}
            label="awaiting approval"
            to=${["runs"]}
            query=${{ state: "approval" }}
            tone="tone-wait"
        />
    </div>`;
}

const NO_TILES = {};

/** @param {{overview: import("../lib/resource.js").Resource<any>}} props */
function Counts({ overview }) {
    const { data, error } = overview;
    const status = /** @type {any} */ (error)?.status;
    return html`<${Tiles} tiles=${data?.tiles ?? NO_TILES} />
        ${
            status === 503 || status === 409
                ? html`<p
                    class="note"
                    role="status"
                >Counts are not available${status === 503 ? " yet" : ""}: ${error?.message}.</p>`
                : error
                  ? html`<${Problem} error=${error} retry=${overview.reload} />`
                  : null
        }
        ${data?.stale ? html`<p
            class="note small"
        >Counts of schedules are more than a second old; the server is busy.</p>` : null}`;
}

/** @param {{data: any}} props */
function Summary({ data }) {
    const { total, quarantined } = data.tiles;
    const apart = quarantined ? `, ${number(quarantined)} in quarantine` : "";
    return `${plural(total, "schedule")}${apart}. “Today” is the day in ${zone()}.`;
}

/**
 * Whether the namespace has no schedule; also if the counts are not available.
 * @param {any} data
 * @param {any} error
 */
function useIsEmpty(data, error) {
    const first = useResource(error && !data ? `any schedule ${namespace()}` : "", (abort) =>
        get("/api/v1/schedules", { limit: 1, fields: "id" }, abort),
    );
    return data ? data.tiles.total === 0 : first.data?.schedules.length === 0 && first.data.cursor === null;
}

/** The counts; again after an event, until they include it, and after an error. */
function useOverview() {
    const newest = useRef(0);
    const refreshOn = (/** @type {any} */ event) => {
        newest.current = Math.max(newest.current, Date.parse(event.at) || 0);
        return true;
    };
    const key = `overview ${namespace()} ${zone()}`;
    const overview = useResource(key, readOverview, { refreshOn, pause: 2000, every: 15_000, keep: true });
    const { data, error, loading } = overview;
    useEffect(() => {
        /* The first answer may lack what has changed in the second before it. */
        if (data && newest.current === 0) newest.current = Date.parse(data.now);
        const isOld = data && Date.parse(data.asOf) < newest.current;
        if (loading || (!error && !isOld)) return undefined;
        const timer = setTimeout(overview.reload, RETRY);
        return () => clearTimeout(timer);
    }, [data, error, loading]);
    return overview;
}

export function Overview() {
    const overview = useOverview();
    const { data, error } = overview;
    const [isCreated, setCreated] = useState(false);
    const isEmpty = useIsEmpty(data, error) && !isCreated;
    const isStart = query.value.start === "1";
    if (isEmpty || isStart)
        return html`<${Head} title="Overview" />
            <${FirstVisit}
                isCreated=${!isEmpty}
                onCreated=${() => (setCreated(true), setQuery({ start: "1" }, { replace: true }))}
                onDone=${() => setQuery({ start: null })}
            />`;
    const at = Math.floor(now.value / HOUR) * HOUR;
    return html`<${Head}
        title="Overview"
        sub=${data ? html`<${Summary} data=${data} />` : html`<span>${"\u00a0"}</span>`}
    />
        <${Counts} overview=${overview} />
        <${Card} title="Load, from 6 hours ago to 18 hours from now">
            <${LoadChart} from=${at - 6 * HOUR} to=${at + 18 * HOUR} />
        <//>
        <div class="overview-lists">
            ${
                data
                    ? html`<${Attention} items=${data.attention} total=${data.attentionTotal} />`
                    : html`<${Card} title="Needs attention">
                      ${error ? html`<p class="muted">Not known: ${error.message}.</p>` : html`<${Load}
                          of=${overview}
                      >${() => null}<//>`}
                  <//>`
            }
            <${Activity} />
        </div>`;
}
