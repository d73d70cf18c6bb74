/**
 * Stores records that an object keeps for a year without the names of their members: values in the order of a layout,
 * after the layout's version, so that every later version of the code can read them.
 */

/** At most 30 members. A member that is a record itself has its own layout. */
type Layout = readonly (string | readonly [name: string, layout: Layout])[];

type Plain = Readonly<Record<string, unknown>>;

export class Positional<Of extends object> {
  readonly #layouts: readonly Layout[];

  /** @param layouts every layout ever written, append-only: the version is the place in this list, from 1 */
  constructor(...layouts: Layout[]) {
    this.#layouts = layouts;
  }

  /** The newest layout's version, then JSON. */
  pack(record: object): string {
    return `${this.#layouts.length}${JSON.stringify(withoutNames(record as Plain, this.#layouts.at(-1) ?? []))}`;
  }

  /**
   * Members are in the order of the layout, so that their JSON has the same bytes each time.
   *
   * @throws if the text was not packed, or has a layout that this code does not have
   */
  unpack(text: string): Of {
    const end = text.search(/[[{]/u);
    const layout = this.#layouts[Number(text.slice(0, end)) - 1];
    if (layout === undefined) throw new Error("a stored record has an unknown layout");
    return withNames(JSON.parse(text.slice(end)), layout) as Of;
  }
}

function nameOf(member: Layout[number]): string {
  return typeof member === "string" ? member : member[0];
}

/**
 * The missing members as bits, then the values of the others, without nulls at the end. A record with a member that the
 * layout does not have stays as it is.
 */
function withoutNames(record: Plain, layout: Layout): unknown {
  const values: unknown[] = [0];
  let missing = 0;
  for (const [place, member] of layout.entries()) {
    const value = record[nameOf(member)];
    if (value === undefined) missing |= 1 << place;
    else values.push(typeof member === "string" || !isRecord(value) ? value : withoutNames(value, member[1]));
  }
  if (values.length <= Object.keys(record).filter((name) => record[name] !== undefined).length) return record;
  values[0] = missing;
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1);
}

function withNames(stored: unknown, layout: Layout): unknown {
  if (!Array.isArray(stored)) return stored;
  const [missing, ...values] = stored as [number, ...unknown[]];
  const record: Record<string, unknown> = {};
  let next = 0;
  for (const [place, member] of layout.entries()) {
    if ((missing & (1 << place)) !== 0) continue;
    const value = values[next++] ?? null;
    record[nameOf(member)] = typeof member === "string" ? value : withNames(value, member[1]);
  }
  return record;
}

function isRecord(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
