/** What the keeper remembers of D1, and of its walk after a restore: one row. */
import { OwnRow, plain, type RecordOf } from "../../objects/storage/one-row.ts";
import type { Sql } from "../../objects/storage/turn-sql.ts";
import type { WalkKind } from "../walk.ts";

const FIELDS = {
  /** The highest tick that D1 has confirmed. */
  tick: plain<number>("tick", 0),
  generation: plain<string>("generation", ""),
  /** The kind of objects that are walked through; null: none is. */
  kind: plain<WalkKind | null>("kind", null),
  after: plain<string>("after", ""),
  /** How many objects of this walk had not told D1 everything. */
  missed: plain<number>("missed", 0),
  /** When the round through all terminals with a connection begins, or was to begin, epoch milliseconds; 0: none was ever due. */
  roundAt: plain<number>("round_at", 0),
  /** When the next step is due, epoch milliseconds. */
  stepAt: plain<number>("step_at", 0),
};

export class WatchStore extends OwnRow<typeof FIELDS> {
  constructor(sql: Sql) {
    super(sql, "watch", FIELDS);
  }

  get watch(): RecordOf<typeof FIELDS> {
    return this.record ?? this.create({});
  }
}
