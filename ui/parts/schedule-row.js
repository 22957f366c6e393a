/* SPDX-License-Identifier: Apache-2.0 */
/* One row of the list of schedules, and the head of its columns. */
import { html } from "../lib/html.js";
import { href } from "../lib/router.js";
import { durationMs, now, span } from "../lib/time.js";
import { Badge, Spark, Time } from "./basic.js";
import { may } from "./login.js";
import { openMenu } from "./menu.js";
import { isPaused, runNow, scheduleMenu } from "./schedule-actions.js";
import { healthOf } from "./schedule-list.js";

/** Columns that sort: class, title, order of the first click, and what it means. */
const COLUMNS = /** @type {const} */ ([
    { name: "name", title: "Schedule", order: "id" },
    { name: "next", title: "Next run", order: "nextAt" },
    { name: "recent", title: "Last runs", order: "-failures", hint: "Failures in a row" },
    { name: "last", title: "Last run", order: "-lastRunAt" },
    { name: "late", title: "Late", order: "-lateness", hint: "How late the last run began" },
]);

/** Every order that the server offers, in words. @type {Array<[string, string]>} */
export const ORDERS = [
    ["id", "Name"],
    ["-id", "Name, Z to A"],
    ["nextAt", "Next run first"],
    ["-nextAt", "Next run last"],
    ["-lastRunAt", "Newest run first"],
    ["lastRunAt", "Oldest run first"],
    ["-failures", "Most failures in a row"],
    ["failures", "Fewest failures in a row"],
    ["-lateness", "Latest start first"],
    ["lateness", "Most punctual first"],
    ["lastOutcome", "Last outcome"],
    ["-lastOutcome", "Last outcome, reversed"],
    ["-createdAt", "Newest first"],
    ["createdAt", "Oldest first"],
    ["-updatedAt", "Changed last first"],
    ["updatedAt", "Changed first first"],
];

/** @param {string} sort @param {string} order */
function nextOrder(sort, order) {
    if (sort !== order) return order;
    return order.startsWith("-") ? order.slice(1) : `-${order}`;
}

/** @param {{column: typeof COLUMNS[number], sort: string, onSort: (sort: string) => void}} props */
function ColumnHead({ column, sort, onSort }) {
    const { name, title, order } = column;
    const hint = "hint" in column ? column.hint : null;
    const isSorted = sort.replace("-", "") === order.replace("-", "");
    const isDown = sort.startsWith("-");
    return html`<span
        role="columnheader"
        class="c-${name}"
        aria-sort=${isSorted ? (isDown ? "descending" : "ascending") : "none"}
    >
        <button
            type="button"
            class="column"
            title=${hint ? `Sort: ${hint}` : "Sort"}
            onClick=${() => onSort(nextOrder(sort, order))}
        >
            ${title}<span
                class="column-sign"
                aria-hidden="true"
            >${isSorted ? (isDown ? "↓" : "↑") : ""}</span>
        </button>
    </span>`;
}

/**
 * @param {{sort: string, onSort: (sort: string) => void, isAll: boolean, isSome: boolean,
 *     onSelectAll: () => void}} props
 */
export function ScheduleHead({ sort, onSort, isAll, isSome, onSelectAll }) {
    return html`<div class="vrow vhead srow" role="row">
        <span role="columnheader" class="c-check">
            <input
                type="checkbox"
                aria-label="Select all schedules that match"
                checked=${isAll}
                indeterminate=${!isAll && isSome}
                onChange=${onSelectAll}
            />
        </span>
        ${COLUMNS.map((column) => html`<${ColumnHead}
            key=${column.name}
            column=${column}
            sort=${sort}
            onSort=${onSort}
        />`)}
        <span role="columnheader" class="c-health">Health</span>
        <span role="columnheader" class="c-do"><span class="hidden">Actions</span></span>
    </div>`;
}

/** @param {{name: string}} props */
function HealthSign({ name }) {
    if (name === "damaged") return html`<span class="badge tone-bad">✕ cannot be read</span>`;
    return name === "ok" ? html`<span class="muted">ok</span>` : html`<${Badge} of=${name} />`;
}

/** @param {{row: import("./schedule-list.js").Row}} props */
function Health({ row }) {
    const { name, why } = healthOf(row, now.value);
    const warning = row.warnings[0];
    return html`<span class="health">
        <${HealthSign} name=${name} />
        ${
            warning
                ? html`<span
                    class="tone-text-late"
                    title=${row.warnings.join("\n")}
                    role="img"
                    aria-label="Warning: ${warning}"
                >⚠</span>`
                : null
        }
        ${why ? html`<span class="health-why clip small muted" title=${why}>${why}</span>` : null}
    </span>`;
}

/** On a phone, which has no column for it. @param {{row: import("./schedule-list.js").Row}} props */
function NotOk({ row }) {
    const { name } = healthOf(row, now.value);
    return name === "ok" ? null : html`<${HealthSign} name=${name} />`;
}

/** @param {{row: import("./schedule-list.js").Row}} props */
function NextRun({ row }) {
    if (row.status === "paused" && row.pausedUntil)
        return html`<span class="faint">paused until</span><span class="small muted"><${Time}
            at=${row.pausedUntil}
            zone=${row.zone}
        /></span>`;
    if (!row.nextAt)
        return html`<span class="faint">${row.status === "paused" ? "paused" : "none planned"}</span>`;
    return html`<span><${Time} at=${row.nextAt} zone=${row.zone} relative /></span>
        <span class="small muted"><${Time} at=${row.nextAt} zone=${row.zone} /></span>`;
}

/** @param {{row: import("./schedule-list.js").Row}} props */
function LastRun({ row }) {
    if (row.open > 0) {
        const to =
            row.open === 1 && row.lastRunId
                ? href(["run", row.lastRunId])
                : href(["runs"], { schedule: row.id, state: "open" });
        return html`<span><a
            class="plain-link"
            href=${to}
        >${row.open > 1 ? `${row.open} runs open` : "run open"}</a></span>
            <span class="small muted">${row.waiting > 0 ? `${row.waiting} waiting` : html`<${Time}
                at=${row.lastRunAt}
                zone=${row.zone}
                relative
            />`}</span>`;
    }
    if (!row.outcome) return html`<span class="faint">no run yet</span>`;
    return html`<span><${Badge} of=${row.outcome} /></span>
        <span class="small muted"><${Time} at=${row.lastRunAt} zone=${row.zone} relative none="" /></span>`;
}

/* Signs of buttons, on 16 × 16. */
const PLAY = "M4 2.5v11l9-5.5z";
const PAUSE = "M4 3h3v10H4zM9 3h3v10H9z";
const RESUME = "M3 3h2.5v10H3zM7 3v10l7-5z";

/** @param {{label: string, path: string, run: () => void}} props */
function IconButton({ label, path, run }) {
    return html`<button
        type="button"
        class="plain small icon do"
        aria-label=${label}
        title=${label}
        onClick=${run}
    >
        <svg
            viewBox="0 0 16 16"
            width="14"
            height="14"
            aria-hidden="true"
        ><path fill="currentColor" d=${path} /></svg>
    </button>`;
}

/** @param {string | null} lateness */
function latenessText(lateness) {
    if (lateness === null) return html`<span class="faint">–</span>`;
    const late = durationMs(lateness);
    if (late < 1000) return html`<span class="faint" title=${lateness}>0s</span>`;
    return html`<span class=${late >= 60_000 ? "tone-text-late" : ""} title=${lateness}>${span(late)}</span>`;
}

/**
 * @param {{row: import("./schedule-list.js").Row, index: number, isSelected: boolean,
 *     isActive: boolean, onSelect: (index: number, isRange: boolean) => void,
 *     onFocus: (index: number) => void, onAction: (id: string, action: any) => void}} props
 */
export function ScheduleRow({ row, index, isSelected, isActive, onSelect, onFocus, onAction }) {
    const { id } = row;
    const canRun = may("operate") && row.status !== "closed" && !row.damaged;
    const paused = isPaused(row);
    return html`<div
        class="vrow srow ${isSelected ? "selected" : ""}"
        role="row"
        data-index=${index}
        aria-rowindex=${index + 2}
        tabindex=${isActive ? "0" : "-1"}
        onFocusIn=${() => onFocus(index)}
    >
        <span role="cell" class="c-check">
            <input
                type="checkbox"
                tabindex="-1"
                checked=${isSelected}
                aria-label="Select ${id}"
                onClick=${(/** @type {MouseEvent} */ event) => onSelect(index, event.shiftKey)}
            />
        </span>
        <span role="cell" class="c-name">
            <a class="schedule-name clip" href=${href(["schedule", id])} title=${id}>${id}</a>
            <span
                class="small muted clip"
                title=${row.description ? `${row.description}\n${row.does}` : row.does}
            >
                ${row.description || row.does || row.damaged}
            </span>
        </span>
        <span role="cell" class="c-next">
            <${NextRun} row=${row} />
            <span class="only-narrow"><${NotOk} row=${row} /></span>
        </span>
        <span role="cell" class="c-recent"><${Spark} recent=${row.recent} /></span>
        <span role="cell" class="c-last"><${LastRun} row=${row} /></span>
        <span role="cell" class="c-late num">${latenessText(row.lateness)}</span>
        <span role="cell" class="c-health"><${Health} row=${row} /></span>
        <span role="cell" class="c-do">
            ${
                canRun
                    ? html`<${IconButton} label="Run ${id} now" path=${PLAY} run=${() => runNow(id)} />
                      <${IconButton}
                          label=${paused ? `Resume ${id}` : `Pause ${id}`}
                          path=${paused ? RESUME : PAUSE}
                          run=${() => onAction(id, paused ? "resume" : "pause")}
                      />`
                    : null
            }
            <button
                type="button"
                class="plain small icon"
                aria-label="More actions for ${id}"
                aria-haspopup="menu"
                onClick=${(/** @type {Event} */ event) =>
                    openMenu(
                        event,
                        scheduleMenu(row, (action) => onAction(id, action)),
                    )}
            >
                ⋯
            </button>
        </span>
    </div>`;
}
