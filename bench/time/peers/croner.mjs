/* SPDX-License-Identifier: Apache-2.0 */
import { Cron } from "croner";

import { bench } from "./cases.mjs";

bench("croner", (expr, timezone) => {
    const cron = new Cron(expr, { timezone, paused: true });
    return (date) => cron.nextRun(date).getTime();
});
