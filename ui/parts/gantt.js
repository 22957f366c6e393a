/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attempts of a run by time: a row per attempt, with the waits before it.  The table of
 * attempts beside it says the same in words.
 */
import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { civil, clockOf, span, zoneName } from "../lib/time.js";
import { Badge } from "./basic.js";

const ROW = 26;
const BAR = 14;
const LEFT = 76;
const RIGHT = 14;
const AXIS = 22;

/** How each phase looks: class, word. @type {Record<string, [string, string]>} */
export const PHASES = {
    start: ["other", "not created yet"],
    held: ["held", "waits for an earlier run"],
    approval: ["approval", "waits for approval"],
    ready: ["ready", "waits in its queue"],
    leased: ["leased", "claimed"],
    running: ["running", "runs"],
    backoff: ["backoff", "waits for retry"],
    other: ["other", "waits; events are gone"],
};

const STEPS = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
    600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
    172_800_000, 604_800_000,
];

/** Whole distances from due, as few as fit. @param {number} total @param {number} width */
function ticks(total, width) {
    const most = Math.max(2, Math.floor(width / 90));
    const step = STEPS.find((one) => total / one <= most) ?? total / most;
    return Array.from({ length: Math.floor(total / step) + 1 }, (_, i) => i * step);
}

/** The width of an element, also after it changes. @param {{current: any}} ref */
export function useWidth(ref) {
    const [width, setWidth] = useState(0);
    useLayoutEffect(() => {
        const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
        observer.observe(ref.current);
        setWidth(Math.round(ref.current.getBoundingClientRect().width));
        return () => observer.disconnect();
    }, []);
    return width;
}

/**
 * @param {{phases: import("./run-phases.js").Phase[], x: (at: number) => number, y: number, attempt:
 *     number}} props
 */
function Row({ phases, x, y, attempt }) {
    return html`<g>
        <text class="gantt-label" x="0" y=${y + 11}>attempt ${attempt}</text>
        ${phases.map(({ kind, from, to }) => {
            const [name, word] = PHASES[kind];
            return html`<rect
                class="gantt-bar phase-${name}"
                x=${x(from)}
                y=${name === "running" ? y : y + 4}
                width=${Math.max(1.5, x(to) - x(from))}
                height=${name === "running" ? BAR : BAR - 8}
                rx="2"
            >
                <title>${word}: ${span(to - from)}</title>
            </rect>`;
        })}
    </g>`;
}

/** @param {{due: number, to: number, width: number, height: number, x: (at: number) => number}} props */
function Axis({ due, to, width, height, x }) {
    return html`<g>
        ${ticks(to - due, width - LEFT - RIGHT).map(
            (offset) =>
                html`<line
                        class="gantt-grid"
                        x1=${x(due + offset)}
                        x2=${x(due + offset)}
                        y1="0"
                        y2=${height - AXIS + 4}
                    />
                    <text
                        class="gantt-label"
                        x=${x(due + offset)}
                        y=${height - 4}
                        text-anchor=${offset === 0 ? "start" : "middle"}
                    >
                        ${offset === 0 ? "due" : `+${span(offset)}`}
                    </text>`,
        )}
    </g>`;
}

/** @param {{phases: import("./run-phases.js").Phase[], outcome: string | null, zone: string | null}} props */
export function Gantt({ phases, outcome, zone }) {
    const ref = useRef(/** @type {any} */ (null));
    const width = useWidth(ref);
    const due = phases[0]?.from ?? 0;
    const to = Math.max(phases.at(-1)?.to ?? 0, due + 1);
    const attempts = [...new Set(phases.map((phase) => phase.attempt))];
    const height = Math.max(1, attempts.length) * ROW + AXIS;
    const x = (/** @type {number} */ at) =>
        LEFT + ((at - due) / (to - due)) * Math.max(1, width - LEFT - RIGHT);
    const kinds = [...new Set(phases.map((phase) => phase.kind))];
    return html`<div class="gantt" ref=${ref}>
        <div class="gantt-scroll" style=${{ minHeight: `${ROW + AXIS}px` }}>
            ${width > 0 && phases.length > 0
                ? html`<svg
                      width=${width}
                      height=${height}
                      role="img"
                      aria-label="Attempts by time, ${span(to - due)} from due to ${outcome
                          ? "the end"
                          : "now"}"
                  >
                      <${Axis} due=${due} to=${to} width=${width} height=${height} x=${x} />
                      ${attempts.map(
                          (attempt, i) =>
                              html`<${Row}
                                  key=${attempt}
                                  attempt=${attempt}
                                  y=${i * ROW + 6}
                                  x=${x}
                                  phases=${phases.filter((phase) => phase.attempt === attempt)}
                              />`,
                      )}
                  </svg>`
                : null}
        </div>
        <p class="gantt-legend small muted">
            ${kinds.map(
                (kind) =>
                    html`<span><i class="gantt-key phase-${PHASES[kind][0]}"></i>${PHASES[kind][1]}</span>`,
            )}
            ${due ? html`<span class="faint">Due ${clockOf(civil(due, zoneName(zone)))}</span>` : null}
            ${outcome ? html`<${Badge} of=${outcome} />` : null}
        </p>
    </div>`;
}
