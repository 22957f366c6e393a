/* SPDX-License-Identifier: Apache-2.0 */
/* What components are made of: the only file that names the vendored libraries. */
import { h } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { render, Fragment } from "../vendor/preact.js";
export {
    useCallback,
    useEffect,
    useLayoutEffect,
    useMemo,
    useRef,
    useState,
} from "../vendor/preact-hooks.js";
export { batch, computed, effect, signal, useComputed, useSignal } from "../vendor/signals.js";

export const html = htm.bind(h);
