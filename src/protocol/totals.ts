/** What a business day adds up to. */
import type { Infer } from "./schemas/infer.ts";
import type * as schemas from "./schemas/totals.ts";

/** A day's totals, as they are asked for and as `day.closed` tells them. */
export type DayTotals = Infer<typeof schemas.dayTotals>;

/** One line: what was done in one currency, of one type, over one channel. */
export type TotalsLine = Infer<typeof schemas.totalsLine>;

/** Everything that is 22 at this moment. */
export type UnresolvedTotals = NonNullable<DayTotals["unresolved"]>;
