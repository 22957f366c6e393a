/* SPDX-License-Identifier: Apache-2.0 */
/* All schedules: search, filters with counts, order, and changes of one or many of them. */
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { useShortcuts } from "../lib/keys.js";
import { subscribe } from "../lib/live.js";
import { go, href, query, setQuery } from "../lib/router.js";
import { zoneChoice, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Dialog, Empty, Head, Problem } from "../parts/basic.js";
import { BulkDialog } from "../parts/bulk.js";
import { Facets, FilterChips, filterPhrase, useMedia } from "../parts/facets.js";
import { may } from "../parts/login.js";
import { MenuHost } from "../parts/menu.js";
import { ActionDialog } from "../parts/schedule-actions.js";
import { FILTERS, listQuery, ScheduleList } from "../parts/schedule-list.js";
import { ORDERS, ScheduleHead, ScheduleRow } from "../parts/schedule-row.js";
import { VirtualList } from "../parts/vlist.js";

const ROW = 53; /* pixels, with the line below; style.css has the same */
const BAR = 64; /* pixels that the bar for the selected schedules covers */
const REFRESH_PAUSE = 1500; /* milliseconds between two reads of what is shown */
const COUNT_PAUSE = 5000; /* the same if no shown row has changed: only counts and order */
const LOOK_PAUSE = 500; /* between two looks at which rows are shown */
const TYPING_PAUSE = 150;

/** Rows that can be seen: from, to before. */
function visibleRows() {
    const rows = document.querySelectorAll(".srow[data-index]");
    if (rows.length === 0) return { first: 0, last: 1 };
    const of = (/** @type {Element} */ row) => Number(/** @type {HTMLElement} */ (row).dataset.index);
    return { first: of(rows[0]), last: of(rows[rows.length - 1]) + 1 };
}

/** Whether the user points at the list, so that rows must not move. */
function isHeld() {
    return document.querySelector(".slist:hover, .slist :focus-visible, .srow.selected") !== null;
}

/** Reads what is shown again when events name it. @param {ScheduleList} list */
function followEvents(list) {
    let timer = 0;
    let dueAt = 0;
    let lastAt = Date.now();
    let newest = 0;
    let shown = /** @type {Set<string>} */ (new Set());
    let shownAt = 0;
    /* There can be thousands of events a second: look at the document rarely. */
    const isShown = (/** @type {string} */ id) => {
        if (performance.now() - shownAt > LOOK_PAUSE) {
            const { first, last } = visibleRows();
            shown = new Set(list.rows.slice(first, last).map((row) => row.id));
            shownAt = performance.now();
        }
        return shown.has(id);
    };
    const run = async () => {
        timer = 0;
        if (document.hidden) return;
        await reread(list, isHeld());
        lastAt = Date.now();
        /* The catalogue follows the events; the answer may be older than the event. */
        if (list.asOf < newest) within(REFRESH_PAUSE);
    };
    const within = (/** @type {number} */ pause) => {
        const at = Math.max(Date.now() + 100, lastAt + pause);
        if (timer && dueAt <= at) return;
        clearTimeout(timer);
        dueAt = at;
        timer = setTimeout(run, at - Date.now());
    };
    const leave = subscribe((event) => {
        if (event.type === "resync") return within(REFRESH_PAUSE);
        if (!event.schedule) return undefined;
        newest = Math.max(newest, Date.parse(event.at));
        const isNear = event.type.startsWith("schedule.") || isShown(event.schedule);
        return within(isNear ? REFRESH_PAUSE : COUNT_PAUSE);
    });
    return () => {
        leave();
        clearTimeout(timer);
    };
}

/** The list for the filters of the address. */
function useScheduleList() {
    const [, setTick] = useState(0);
    const list = useMemo(() => new ScheduleList(() => setTick((n) => n + 1)), []);
    const values = listQuery(query.value);
    const key = JSON.stringify(values);
    useEffect(() => {
        list.open(values);
        /* The first answer may lack what has changed in the second before it. */
        const timer = setTimeout(() => !list.limits && reread(list, isHeld()), REFRESH_PAUSE);
        return () => clearTimeout(timer);
    }, [key]);
    useEffect(() => {
        const leave = followEvents(list);
        return () => {
            leave();
            list.close();
        };
    }, []);
    useEffect(() => {
        if (!list.limits) return undefined;
        const timer = setInterval(() => scrollY < 200 && list.refresh(0, 1, false), 2000);
        return () => clearInterval(timer);
    }, [list.limits]);
    return { list, key };
}

/** @param {{list: ScheduleList}} props */
function SearchField({ list }) {
    const current = query.value.search ?? "";
    const [text, setText] = useState(current);
    const timer = useRef(0);
    useEffect(() => setText(current), [current]);
    const type = (/** @type {any} */ event) => {
        setText(event.target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(
            () => setQuery({ search: event.target.value.trim() || null }, { replace: true }),
            TYPING_PAUSE,
        );
    };
    useEffect(() => () => clearTimeout(timer.current), []);
    return html`<input
        id="schedule-search"
        class="list-search"
        type="search"
        placeholder="Name or description contains …"
        aria-label="Search in names and descriptions"
        aria-describedby="schedule-count"
        value=${text}
        onInput=${type}
        onKeyDown=${(/** @type {any} */ event) => event.key === "Escape" && event.target.blur()}
    />`;
}

/** @param {{list: ScheduleList, hasFilters: boolean}} props */
function Count({ list, hasFilters }) {
    const { total, rows, cursor } = list;
    const text = !list.isReady
        ? ""
        : total !== null
          ? plural(total, "schedule") + (hasFilters ? (total === 1 ? " matches" : " match") : "")
          : cursor
            ? `${number(rows.length)} loaded, there are more`
            : plural(rows.length, "schedule");
    return html`<span id="schedule-count" class="num muted nowrap" role="status">${text}</span>`;
}

/** @param {{list: ScheduleList}} props */
function Notices({ list }) {
    return html`${
        list.limits
            ? html`<p class="note small">
              Counts and most orders and filters are not available: ${list.limits}.
              ${(query.value.sort ?? "id") !== "id" ? " The list may be ordered by name instead." : null}
          </p>`
            : null
    }
    ${
        list.isStale
            ? html`<p
                class="note small"
            >The order and the counts are more than a second old; the server is busy.</p>`
            : null
    }
    ${list.error && list.rows.length > 0 ? html`<${Problem}
        error=${list.error}
        retry=${() => reread(list, false)}
    />` : null}`;
}

/** Reads what is shown again. @param {ScheduleList} list @param {boolean} held whether rows must not move */
function reread(list, held) {
    const { first, last } = visibleRows();
    return list.refresh(first, last, held);
}

/**
 * What is selected: some ids, or all schedules that match the filter.
 * @param {ScheduleList} list @param {string} key
 */
function useSelection(list, key) {
    const [ids, setIds] = useState(/** @type {Set<string>} */ (new Set()));
    const [isAll, setAll] = useState(false);
    const last = useRef(-1);
    useEffect(() => {
        setAll(false);
        setIds(new Set());
    }, [key]);
    const select = (/** @type {number} */ index, /** @type {boolean} */ isRange) => {
        const row = list.rows[index];
        if (!row) return;
        const next = isAll ? new Set(list.rows.map(({ id }) => id)) : new Set(ids);
        const isOn = !next.has(row.id);
        const from = isRange && last.current >= 0 ? last.current : index;
        for (let i = Math.min(from, index); i <= Math.max(from, index); i++)
            if (isOn) next.add(list.rows[i].id);
            else next.delete(list.rows[i].id);
        last.current = index;
        setAll(false);
        setIds(next);
    };
    const clear = () => {
        setAll(false);
        setIds(new Set());
    };
    return { ids, isAll, select, clear, selectAll: () => (isAll ? clear() : setAll(true)) };
}

const BULK = /** @type {const} */ ([
    ["trigger", "Run now …", "operate"],
    ["pause", "Pause …", "operate"],
    ["resume", "Resume …", "operate"],
    ["delete", "Delete …", "edit"],
]);

/**
 * @param {{selection: ReturnType<typeof useSelection>, total: number | null,
 *     onAction: (action: import("../parts/bulk.js").BulkAction) => void}} props
 */
function BulkBar({ selection, total, onAction }) {
    const { ids, isAll, clear, selectAll } = selection;
    const all = total === null ? "all" : `all ${number(total)}`;
    return html`<div class="bulk-bar" role="group" aria-label="Changes of the selected schedules">
        <strong class="num">${isAll ? `${all} selected` : `${number(ids.size)} selected`}</strong>
        ${isAll ? null : html`<button
            type="button"
            class="small"
            onClick=${selectAll}
        >Select ${all} that match</button>`}
        <span class="grow"></span>
        ${BULK.map(([action, text, right]) =>
            may(right)
                ? html`<button
                      type="button"
                      class="small ${action === "delete" ? "danger" : ""}"
                      onClick=${() => onAction(action)}
                  >
                      ${text}
                  </button>`
                : null,
        )}
        <button type="button" class="plain small" onClick=${clear}>Clear</button>
    </div>`;
}

/**
 * The row that has the focus of the keyboard.
 * @param {ScheduleList} list
 * @param {(index: number, isRange: boolean) => void} select
 * @param {() => void} clear
 */
function useActiveRow(list, select, clear) {
    const [active, setActive] = useState(0);
    const now = useRef({ active, list, select, clear });
    now.current = { active, list, select, clear };
    const move = (/** @type {number} */ step) => {
        const index = Math.max(0, Math.min(now.current.list.rows.length - 1, now.current.active + step));
        const isIn = document.activeElement?.closest(".srow[data-index]");
        const to = isIn ? index : visibleIndex(now.current.active);
        setActive(to);
        focusRow(to);
    };
    useShortcuts([
        { keys: "j", text: "Next schedule of the list", run: () => move(1) },
        { keys: "k", text: "Previous schedule of the list", run: () => move(-1) },
        {
            keys: "x",
            text: "Select the schedule",
            run: () => now.current.select(now.current.active, false),
        },
    ]);
    const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
        const row = /** @type {HTMLElement} */ (event.target);
        if (row.dataset.index === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        const index = Number(row.dataset.index);
        if (event.key === "ArrowDown") move(1);
        else if (event.key === "ArrowUp") move(-1);
        else if (event.key === "Enter") go(["schedule", list.rows[index].id]);
        else if (event.key === " ") select(index, event.shiftKey);
        else if (event.key === "Escape") clear();
        else return;
        event.preventDefault();
    };
    return { active, setActive, onKeyDown };
}

/** The active row if it can be seen, else the first that can. @param {number} active */
function visibleIndex(active) {
    const seen = [...document.querySelectorAll(".srow[data-index]")].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return top > 80 && bottom < innerHeight;
    });
    const indexes = seen.map((row) => Number(/** @type {HTMLElement} */ (row).dataset.index));
    return indexes.includes(active) || indexes.length === 0 ? active : indexes[0];
}

/** Scrolls to a row, which may not be in the document yet, and focuses it. @param {number} index */
function focusRow(index) {
    const body = document.querySelector(".slist [role=rowgroup]");
    if (!body) return;
    const top = body.getBoundingClientRect().top + index * ROW;
    const room = { top: 49 + 35, bottom: innerHeight - ROW - BAR };
    if (top < room.top) scrollBy(0, top - room.top);
    else if (top > room.bottom) scrollBy(0, top - room.bottom + 4);
    const focus = (/** @type {number} */ tries) => {
        const row = /** @type {HTMLElement | null} */ (
            document.querySelector(`.srow[data-index="${index}"]`)
        );
        if (row) row.focus({ preventScroll: true });
        else if (tries > 0) requestAnimationFrame(() => focus(tries - 1));
    };
    focus(5);
}

/** @param {{hasFilters: boolean, onClear: () => void}} props */
function NoRows({ hasFilters, onClear }) {
    if (hasFilters)
        return html`<${Empty} title="No schedule matches these filters.">
            <button type="button" onClick=${onClear}>Clear all filters</button>
        <//>`;
    return html`<${Empty} title="There are no schedules yet.">
        <p><a
            href=${href(["new"])}
        >Create one</a>, or start with the example of the <a href=${href([])}>overview</a>.</p>
    <//>`;
}

/**
 * @param {{list: ScheduleList, chosen: Record<string, string>, onChoose: (values: any) => void}} props
 */
function FacetDialog({ list, chosen, onChoose }) {
    const [isOpen, setOpen] = useState(false);
    const count = FILTERS.filter((name) => name !== "search" && chosen[name]).length;
    return html`<button
        type="button"
        onClick=${() => setOpen(true)}
    >Filters${count ? ` (${count})` : ""}</button>
        ${
            isOpen
                ? html`<${Dialog} title="Filters" onClose=${() => setOpen(false)}>
                  <div class="facets"><${Facets}
                      counts=${list.facets}
                      chosen=${chosen}
                      onChoose=${onChoose}
                  /></div>
                  <div class="dialog-foot">
                      <button type="button" class="primary" onClick=${() => setOpen(false)}>
                          Show ${list.total === null ? "the schedules" : plural(list.total, "schedule")}
                      </button>
                  </div>
              <//>`
                : null
        }`;
}

export function Schedules() {
    const { list, key } = useScheduleList();
    const selection = useSelection(list, key);
    const [dialog, setDialog] = useState(/** @type {{id: string, action: any} | null} */ (null));
    const [bulk, setBulk] = useState(/** @type {import("../parts/bulk.js").BulkAction | null} */ (null));
    const { active, setActive, onKeyDown } = useActiveRow(list, selection.select, selection.clear);
    const isWide = useMedia("(min-width: 1240px)");

    const chosen = query.value;
    const sort = chosen.sort || "id";
    const hasFilters = FILTERS.some((name) => chosen[name]);
    const choose = (/** @type {Record<string, string | null>} */ values) => setQuery(values);
    const clearAll = () => choose(Object.fromEntries(FILTERS.map((name) => [name, null])));
    const order = (/** @type {string} */ to) => setQuery({ sort: to === "id" ? null : to });
    const isSome = selection.isAll || selection.ids.size > 0;
    const onDone = () => reread(list, false);

    const row = (/** @type {number} */ index) => {
        const of = list.rows[index];
        return html`<${ScheduleRow}
            key=${index}
            row=${of}
            index=${index}
            isSelected=${selection.isAll || selection.ids.has(of.id)}
            isActive=${index === active}
            onSelect=${selection.select}
            onFocus=${setActive}
            onAction=${(/** @type {string} */ id, /** @type {any} */ action) => setDialog({ id, action })}
        />`;
    };
    const head = html`<${ScheduleHead}
        sort=${sort}
        onSort=${order}
        isAll=${selection.isAll}
        isSome=${isSome}
        onSelectAll=${selection.selectAll}
    />`;
    const zone = zoneChoice.value === "schedule" ? "the zone of each schedule" : zoneName();
    return html`<${Head} title="Schedules" sub="Times in ${zone}">
            ${may("edit") ? html`<a class="button primary" href=${href(["new"])}>New schedule</a>` : null}
        <//>
        <div class="list-tools">
            <${SearchField} list=${list} />
            ${isWide ? null : html`<${FacetDialog} list=${list} chosen=${chosen} onChoose=${choose} />`}
            <label class="order">
                <span class="muted">Order</span>
                <select value=${sort} onChange=${(/** @type {any} */ event) => order(event.target.value)}>
                    ${ORDERS.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
                </select>
            </label>
            <${Count} list=${list} hasFilters=${hasFilters} />
        </div>
        <${FilterChips} chosen=${chosen} onChoose=${choose} />
        <${Notices} list=${list} />
        <div class=${isWide ? "with-facets" : ""}>
            ${
                isWide
                    ? html`<aside class="facets" aria-label="Filters">
                      <${Facets} counts=${list.facets} chosen=${chosen} onChoose=${choose} />
                  </aside>`
                    : null
            }
            <div
                class="card flush slist"
                onKeyDown=${onKeyDown}
                onMouseLeave=${() => list.isHeldBack && reread(list, isHeld())}
            >
                ${
                    list.rows.length > 0
                        ? html`<${VirtualList}
                          label="Schedules"
                          count=${list.rows.length}
                          height=${ROW}
                          head=${head}
                          row=${row}
                          onNearEnd=${() => list.more()}
                      />`
                        : list.error
                          ? html`<${Problem} error=${list.error} retry=${() => list.open(list.values)} />`
                          : list.isReady
                            ? html`<${NoRows} hasFilters=${hasFilters} onClear=${clearAll} />`
                            : html`<div
                                class="loading slist-loading"
                                role="status"
                                aria-label="Loading"
                            ></div>`
                }
            </div>
        </div>
        ${isSome ? html`<${BulkBar} selection=${selection} total=${list.total} onAction=${setBulk} />` : null}
        ${
            dialog
                ? html`<${ActionDialog} ...${dialog} onClose=${() => setDialog(null)} onDone=${onDone} />`
                : null
        }
        ${
            bulk
                ? html`<${BulkDialog}
                  action=${bulk}
                  ids=${selection.isAll ? null : [...selection.ids]}
                  filter=${list.values}
                  phrase=${filterPhrase(chosen)}
                  onClose=${() => setBulk(null)}
                  onDone=${() => (selection.clear(), onDone())}
              />`
                : null
        }
        <${MenuHost} />`;
}
