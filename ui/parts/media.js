/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the window is as a media query says, also after it changes. */
import { useEffect, useState } from "../lib/html.js";

/** @param {string} query */
export function useMedia(query) {
    const media = matchMedia(query);
    const [isSo, setSo] = useState(media.matches);
    useEffect(() => {
        const change = () => setSo(media.matches);
        media.addEventListener("change", change);
        return () => media.removeEventListener("change", change);
    }, []);
    return isSo;
}
