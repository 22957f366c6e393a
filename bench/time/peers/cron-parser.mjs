/* SPDX-License-Identifier: Apache-2.0 */
import { CronExpressionParser } from "cron-parser";

import { bench } from "./cases.mjs";

bench("cron-parser", (expr, tz) => {
    const cron = CronExpressionParser.parse(expr, { tz });
    return (date) => {
        cron.reset(date);
        return cron.next().getTime();
    };
});
