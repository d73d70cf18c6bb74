/** Reads members of JSON that came over the wire, whose shape nobody has checked. */
import type { Wire } from "../journal.ts";

type Maybe = Wire | null | undefined;

function at(wire: Maybe, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : null), wire);
}

export function objectAt(wire: Maybe, ...path: readonly string[]): Wire | null {
  const found = at(wire, path);
  return isObject(found) ? found : null;
}

/** The member at a path, if it is a text that is not empty, or a number written out. */
export function textAt(wire: Maybe, ...path: readonly string[]): string | null {
  const found = at(wire, path);
  if (typeof found === "number") return String(found);
  return typeof found === "string" && found !== "" ? found : null;
}

export function numberAt(wire: Maybe, name: string): number | null {
  const found = wire?.[name];
  return typeof found === "number" ? found : null;
}

export function listAt(wire: Maybe, name: string): readonly Wire[] {
  const found = wire?.[name];
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** JSON with the members of every object in one order, so that equal values are equal texts. */
export function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** Every text inside a value, with the name of its member. */
export function* textsIn(value: unknown, name = ""): Generator<{ name: string; text: string }> {
  if (typeof value === "string") yield { name, text: value };
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one, name);
  else if (isObject(value)) for (const [member, one] of Object.entries(value)) yield* textsIn(one, member);
}

/** Hundredths of an amount and of the cash that is paid out with it. */
export function amounts(message: Wire): number {
  const [amount, cash] = ["transAmt", "cashAmt"].map((name) => Number(textAt(message, "transData", name)));
  return Math.round(((amount ?? 0) + (cash ?? 0)) * 100);
}

function isObject(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
