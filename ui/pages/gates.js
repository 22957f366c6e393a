/* SPDX-License-Identifier: Apache-2.0 */
/* Gates: limits on runs that schedules share by the name of their concurrency key. */
import { html, useState } from "../lib/html.js";
import { del, getAll, namespace, put, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query } from "../lib/router.js";
import { number, plural } from "../lib/words.js";
import { Empty, Field, FormDialog, Head, Load, toast } from "../parts/basic.js";
import { may } from "../parts/login.js";

const GATES_MAX = 5000;

/** @param {any} event */
const matters = (event) => /^run\.(ready|claimed|ended|retrying|cancelled)$/.test(event.type);

/** @param {{gate?: any, onClose: () => void, onDone: () => void}} props */
function GateDialog({ gate, onClose, onDone }) {
    const [name, setName] = useState(gate?.name ?? "");
    const [limit, setLimit] = useState(String(gate?.limit ?? 1));
    const change = async () => {
        await put(v1("gates", name.trim()), { limit: Number(limit) });
        toast(`Gate ${name} lets ${plural(Number(limit), "run")} through at once.`);
        onDone();
    };
    return html`<${FormDialog}
        title=${gate ? `Limit of the gate ${gate.name}` : "New gate"}
        action=${gate ? "Set the limit" : "Create the gate"}
        onClose=${onClose}
        run=${change}
    >
        ${gate
            ? null
            : html`<${Field} label="Name" hint="Schedules use it as their concurrency key.">
                  <input
                      type="text"
                      required
                      maxlength="255"
                      value=${name}
                      onInput=${(/** @type {any} */ event) => setName(event.target.value)}
                  />
              <//>`}
        <${Field}
            label="Limit"
            hint="The most runs that are claimed at the same time. Runs that hold the gate continue."
        >
            <input
                type="number"
                min="1"
                max="1000000"
                required
                value=${limit}
                onInput=${(/** @type {any} */ event) => setLimit(event.target.value)}
            />
        <//>
    <//>`;
}

/** @param {{gate: any, onClose: () => void, onDone: () => void}} props */
function DeleteDialog({ gate, onClose, onDone }) {
    const change = async () => {
        await del(v1("gates", gate.name));
        toast(`Gate ${gate.name} is deleted.`);
        onDone();
    };
    return html`<${FormDialog}
        title="Delete the gate ${gate.name}?"
        action="Delete the gate"
        tone="danger"
        onClose=${onClose}
        run=${change}
    >
        <p>
            The server refuses this while schedules use the gate, or while open runs hold it or wait for it.
        </p>
    <//>`;
}

/** How full a gate is; the numbers beside it say the same. @param {{gate: any}} props */
function Fill({ gate }) {
    const share = Math.min(1, gate.open / gate.limit);
    return html`<span class="fill" aria-hidden="true"
        ><i class=${share >= 1 ? "fill-full" : ""} style=${{ width: `${100 * share}%` }}></i
    ></span>`;
}

/** @param {{gate: any, onDone: () => void}} props */
function Row({ gate, onDone }) {
    const [open, setOpen] = useState("");
    const close = () => setOpen("");
    return html`<tr class=${gate.name === query.value.search ? "row-chosen" : ""}>
        <th scope="row">${gate.name}</th>
        <td><${Fill} gate=${gate} /></td>
        <td class="right num">${number(gate.open)} <span class="faint">of ${number(gate.limit)}</span></td>
        <td class="right num ${gate.waiting > 0 ? "tone-text-late" : "faint"}">${number(gate.waiting)}</td>
        <td>
            ${may("operate")
                ? html`<div class="actions table-actions">
                      <button type="button" class="small" onClick=${() => setOpen("edit")}>Limit</button>
                      <button type="button" class="small" onClick=${() => setOpen("delete")}>Delete</button>
                  </div>`
                : null}
            ${open === "edit"
                ? html`<${GateDialog} gate=${gate} onClose=${close} onDone=${onDone} />`
                : null}
            ${open === "delete"
                ? html`<${DeleteDialog} gate=${gate} onClose=${close} onDone=${onDone} />`
                : null}
        </td>
    </tr>`;
}

export function Gates() {
    const [isNew, setNew] = useState(false);
    const gates = useResource(
        `gates ${namespace()}`,
        (abort) => getAll("/api/v1/gates", "gates", {}, GATES_MAX, abort),
        {
            refreshOn: matters,
            pause: 2000,
            every: 30_000,
            keep: true,
        },
    );
    return html`<${Head}
            title="Gates"
            sub="A gate limits the claimed runs of all schedules that have its name as concurrency key."
        >
            ${may("operate")
                ? html`<button type="button" onClick=${() => setNew(true)}>New gate</button>`
                : null}
        <//>
        ${isNew ? html`<${GateDialog} onClose=${() => setNew(false)} onDone=${gates.reload} />` : null}
        <${Load} of=${gates}>
            ${(/** @type {any} */ list) =>
                list.entries.length === 0
                    ? html`<section class="card">
                          <${Empty} title="No gate yet."
                              ><p>A gate appears when a schedule has a concurrency key.</p><//
                          >
                      </section>`
                    : html`<section class="card flush" aria-label="Gates">
                          <div class="scroll-x">
                              <table class="table">
                                  <thead>
                                      <tr>
                                          <th>Gate</th>
                                          <th><span class="hidden">Filled</span></th>
                                          <th class="right">Open</th>
                                          <th class="right">Waiting</th>
                                          <th><span class="hidden">Actions</span></th>
                                      </tr>
                                  </thead>
                                  <tbody>
                                      ${list.entries.map(
                                          (/** @type {any} */ gate) =>
                                              html`<${Row}
                                                  key=${gate.name}
                                                  gate=${gate}
                                                  onDone=${gates.reload}
                                              />`,
                                      )}
                                  </tbody>
                              </table>
                          </div>
                          ${list.more
                              ? html`<p class="faint small pad">
                                    The first ${number(list.entries.length)} gates are shown; there are
                                    more.
                                </p>`
                              : null}
                      </section>`}
        <//>`;
}
