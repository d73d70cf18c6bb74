/** What is wrong and how to fix it, as sentences that follow the option's name; null if nothing is wrong. */
export type Check = (value: unknown) => string | null;

/** An option without a check does not compile. */
export type Checks<Options> = { [Name in keyof Required<Options>]: Check };

/** Accepts any member of a request: the gateway checks their values, and names every mistake. */
export const CHECKED_BY_GATEWAY: Check = () => null;

/** Throws a TypeError with what `optionMistakes` finds. */
export function checkOptions(owner: string, options: unknown, checks: Record<string, Check>): void {
  const found = optionMistakes(owner, options, checks);
  if (found !== null) throw new TypeError(found);
}

/**
 * Names every missing, invalid or unknown option; null if there is none. Contains no values (I6).
 *
 * @param owner what the options are for: a class or a call
 */
export function optionMistakes(owner: string, options: unknown, checks: Record<string, Check>): string | null {
  const names = Object.keys(checks);
  if (options !== undefined && (typeof options !== "object" || options === null)) {
    return `${owner}: pass an object with ${names.join(", ")}.`;
  }
  const given: Record<string, unknown> = { ...options };
  const mistakes = names.map((name) => [name, checks[name]?.(Reflect.get(options ?? {}, name)) ?? null]);
  const unknown = Object.keys(given).filter((name) => given[name] !== undefined && !Object.hasOwn(checks, name));
  const found = [
    ...mistakes.flatMap(([name, mistake]) => (mistake === null ? [] : [`${name} ${mistake}`])),
    ...unknown.map((name) => `${name} is not an option. Use ${names.join(", ")}.`),
  ];
  return found.length === 0 ? null : `${owner}: ${found.join(" ")}`;
}

/**
 * @param what what to pass, as in "the account's id"
 * @param longest in characters
 */
export function textOption(what: string, longest = Infinity): Check {
  return (value) => {
    if (value === undefined || value === null) return `is missing. Pass ${what}.`;
    if (typeof value !== "string") return `is not a string. Pass ${what}.`;
    if (value.trim() === "") return `is empty. Pass ${what}.`;
    if (/[\r\n]/.test(value)) return "has a line break. Remove it: a value read from a file often ends in one.";
    return value.length > longest ? `is too long. Pass at most ${longest} characters.` : null;
  };
}

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

function numberThat(isRight: (value: number) => boolean, what: string): Check {
  return (value) => (typeof value === "number" && isRight(value) ? null : `must be ${what}.`);
}

export const SIGNAL: Check = (value) =>
  typeof value === "object" && value !== null && "aborted" in value
    ? null
    : "is not an AbortSignal. Pass the signal of an AbortController.";

/** @param what what it is, as in "whole seconds, 0 or more" */
export function wholeNumberOption(what: string): Check {
  return numberThat((value) => Number.isSafeInteger(value) && value >= 0, what);
}

export const DURATION: Check = numberThat((value) => value > 0, "milliseconds, more than 0: 30000 for 30 seconds");

export function optionalOption(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const isText = textOption("the gateway's address, a URL with https");

/** Plain http is only for this machine: passwords and tokens are never sent unencrypted. */
export const ADDRESS: Check = (baseUrl) => {
  const mistake = isText(baseUrl);
  if (mistake !== null) return mistake;
  const given = String(baseUrl);
  if (!URL.canParse(given)) {
    return "is not a URL. Write https:// before the gateway's host.";
  }
  const url = new URL(given);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    return "must be https. Plain http works only on this machine.";
  }
  const isBare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return isBare ? null : "must not have a user name, password, query or fragment.";
};

/** Returns the address without a trailing slash. Throws a TypeError if `ADDRESS` finds a mistake. */
export function gatewayAddress(baseUrl: string): string {
  const mistake = ADDRESS(baseUrl);
  if (mistake !== null) throw new TypeError(`baseUrl ${mistake}`);
  return new URL(baseUrl).href.replace(/\/+$/, "");
}

/**
 * Runs a function that the caller passed as the option `name`. An error is logged: it must end neither a payment nor
 * the program.
 */
export async function callBack(name: string, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(`${name} failed:`, error);
  }
}
