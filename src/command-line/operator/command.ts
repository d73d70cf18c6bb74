/** What the operator's commands are made of. */
import { type Operator, type OperatorAnswer, type Query, refused, type Row } from "./client.ts";
import type { Declared } from "../commands.ts";
import { confirmed, EXIT, filtersOf, type FlagName, type Flags, ROWS } from "./flags.ts";
import type { Filters } from "../../protocol/operator-filters.ts";

export interface Call {
  operator: Operator;
  args: string[];
  flags: Flags;
}

export interface Shown {
  data: unknown;
  status: number;
}

export interface Command extends Declared {
  /** Each filter that names a flag has the flag. */
  filters?: Filters;
  /** Flags other than those of the filters. */
  flags?: readonly FlagName[];
  run: (call: Call) => Promise<Shown>;
}

interface Change {
  method: "POST" | "PATCH" | "DELETE";
  /** After the path of what is changed. */
  path?: string;
  body?: (flags: Flags) => object;
  /** After the path, with its question mark. */
  query?: (flags: Flags) => string;
  flags?: readonly FlagName[];
}

/** Asks first. @param question what the change does to the account or terminal with this id, with these flags */
export function change(
  usage: string,
  does: string,
  question: (id: string, flags: Flags) => string,
  { method, path = "", body, query, flags = [] }: Change,
): Command {
  const [things] = usage.split(" ");
  return {
    usage,
    does,
    arguments: [1, 1],
    flags: [...flags, "yes"],
    run: async ({ operator, args: [id = ""], flags: given }) => {
      if (!(await confirmed(question(id, given), given.yes === true))) return UNCHANGED;
      const where = `/${things}/${encodeURIComponent(id)}${path}${query?.(given) ?? ""}`;
      return changed(await operator.call(method, where, body?.(given)));
    },
  };
}

/** @param rowOf what fits on a line */
export function list(name: string, does: string, filters: Filters, rowOf: (row: Row) => object): Command {
  const run = async (call: Call) => shown(call, await rowsOf(call, `/${name}`, filters), rowOf);
  return { usage: name, does, filters, flags: ["limit"], run };
}

export const UNCHANGED: Shown = { data: "Nothing was changed.", status: EXIT.nothing };

/** @param more parts of the query that no filter's own flag gives */
export function rowsOf<Found extends object = Row>(call: Call, path: string, filters: Filters, more: Query = {}) {
  return upTo<Found>(call, path, { ...filtersOf(filters, call.flags), ...more });
}

/** The rows of one query after the other, up to the limit. Says if there are more. */
export async function upTo<Found extends object = Row>({ operator, flags }: Call, path: string, ...queries: Query[]) {
  const { limit = ROWS } = flags;
  const found = await Promise.all(queries.map((query) => operator.rows<Found>(path, query, limit + 1)));
  const rows = found.flat();
  if (rows.length > limit) console.error(`There are more than these ${limit} rows. Show more with --limit.`);
  return rows.slice(0, limit);
}

/** Programs get every field, people the fields that fit on a line. */
export function shown<Found>({ flags }: Call, rows: Found[], rowOf: (row: Found) => object, ifNone = EXIT.done): Shown {
  return { data: flags.json === true ? rows : rows.map(rowOf), status: rows.length === 0 ? ifNone : EXIT.done };
}

/** Nothing if what the command changes does not exist. */
export function changed(answer: OperatorAnswer): Shown {
  if (answer.status === 404) return { data: [], status: EXIT.nothing };
  if (answer.status >= 300) throw refused(answer);
  return { data: answer.body, status: EXIT.done };
}
