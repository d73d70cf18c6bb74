import type { Infer } from "./schemas/infer.ts";
import type * as schemas from "./schemas/totals.ts";

/** As requested, and as `day.closed` has them. */
export type DayTotals = Infer<typeof schemas.dayTotals>;

/** One currency, type and channel. */
export type TotalsLine = Infer<typeof schemas.totalsLine>;

/** Everything that is 22 at this moment. */
export type PendingTotals = NonNullable<DayTotals["pending"]>;
