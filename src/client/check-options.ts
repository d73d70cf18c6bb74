/** Checks what a program passes to a client, so that a mistake is found before anything is sent. */

/** What is wrong with a value and how to fix it, as sentences that follow the option's name; null if nothing is. */
export type Check = (value: unknown) => string | null;

/** A check for each option: one without a check does not compile. */
export type Checks<Options> = { [Name in keyof Required<Options>]: Check };

/**
 * Throws a TypeError that names every missing, invalid or unknown option. It contains no values (I6).
 *
 * @param owner what the options are for: a class or a call
 */
export function checkOptions(owner: string, options: unknown, checks: Record<string, Check>): void {
  const names = Object.keys(checks);
  if (options !== undefined && (typeof options !== "object" || options === null)) {
    throw new TypeError(`${owner}: pass an object with ${names.join(", ")}.`);
  }
  const given: Record<string, unknown> = { ...options };
  const mistakes = names.map((name) => [name, checks[name]?.(Reflect.get(options ?? {}, name)) ?? null]);
  const unknown = Object.keys(given).filter((name) => given[name] !== undefined && !Object.hasOwn(checks, name));
  const found = [
    ...mistakes.flatMap(([name, mistake]) => (mistake === null ? [] : [`${name} ${mistake}`])),
    ...unknown.map((name) => `${name} is not an option. Use ${names.join(", ")}.`),
  ];
  if (found.length > 0) throw new TypeError(`${owner}: ${found.join(" ")}`);
}

/** A text. `what`: what to pass, as in "the account's id". `longest`: in characters. */
export function text(what: string, longest = Infinity): Check {
  return (value) => {
    if (value === undefined || value === null) return `is missing. Pass ${what}.`;
    if (typeof value !== "string") return `is not a string. Pass ${what}.`;
    if (value.trim() === "") return `is empty. Pass ${what}.`;
    if (/[\r\n]/.test(value)) return "has a line break. Remove it: a value read from a file often ends in one.";
    return value.length > longest ? `is too long. Pass at most ${longest} characters.` : null;
  };
}

/** An object with these methods. */
export function objectWith(methods: string[], what: string): Check {
  return (value) => {
    if (typeof value !== "object" || value === null) return `is missing. Pass ${what}.`;
    const absent = methods.filter((method) => typeof Reflect.get(value, method) !== "function");
    return absent.length === 0 ? null : `has no ${absent.map((one) => `${one}()`).join(" and no ")}. Pass ${what}.`;
  };
}

export function func(what: string): Check {
  return (value) => {
    if (typeof value === "function") return null;
    return `is ${value === undefined || value === null ? "missing" : "not a function"}. Pass ${what}.`;
  };
}

export function numberThat(isRight: (value: number) => boolean, what: string): Check {
  return (value) => (typeof value === "number" && isRight(value) ? null : `must be ${what}.`);
}

export const SIGNAL: Check = (value) =>
  typeof value === "object" && value !== null && "aborted" in value
    ? null
    : "is not an AbortSignal. Pass the signal of an AbortController.";

/** A whole number, 0 or more. `what`: what it is, as in "whole seconds, 0 or more". */
export function wholeNumber(what: string): Check {
  return numberThat((value) => Number.isSafeInteger(value) && value >= 0, what);
}

/** Milliseconds, more than 0. */
export const DURATION: Check = numberThat((value) => value > 0, "milliseconds, more than 0: 30000 for 30 seconds");

export function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}
