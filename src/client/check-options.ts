/** Checks a client's options when it is created, so that a mistake is found early. */

/** Throws a TypeError with one message per mistake; null means a valid option. The messages contain no values (I6). */
export function refuseMistakes(client: string, mistakes: readonly (string | null)[]): void {
  const found = mistakes.filter((mistake) => mistake !== null);
  if (found.length > 0) throw new TypeError(`${client}: ${found.join(" ")}`);
}

/** The mistake in a required string, or null. `what`: what to pass, as in "the account's id". */
export function textMistake(name: string, value: unknown, what: string, longest = Infinity): string | null {
  if (value === undefined || value === null) return `${name} is missing. Pass ${what}.`;
  if (typeof value !== "string") return `${name} is not a string. Pass ${what}.`;
  if (value.trim() === "") return `${name} is empty. Pass ${what}.`;
  return value.length > longest ? `${name} is too long. Pass at most ${longest} characters.` : null;
}

/** The mistake in a required object with these methods, or null. */
export function methodsMistake(name: string, value: unknown, methods: string[], what: string): string | null {
  if (typeof value !== "object" || value === null) return `${name} is missing. Pass ${what}.`;
  const absent = methods.filter((method) => typeof Reflect.get(value, method) !== "function");
  return absent.length === 0
    ? null
    : `${name} has no ${absent.map((method) => `${method}()`).join(" and no ")}. Pass ${what}.`;
}

/** The mistake in a required function, or null. */
export function functionMistake(name: string, value: unknown, what: string): string | null {
  if (typeof value === "function") return null;
  return `${name} is ${value === undefined || value === null ? "missing" : "not a function"}. Pass ${what}.`;
}
