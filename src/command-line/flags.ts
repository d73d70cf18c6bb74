import { IN_CLONE, readArguments, UsageError, VERSION } from "./invocation.ts";

export interface Flag<Value> {
  /** What the help calls the value; "" for a switch. */
  value: string;
  /** The help; "" for a flag that is explained elsewhere. */
  does: string;
  /** Null if what was given is wrong. */
  read: (given: string) => Value | null;
  /** A clause for the error: what the value must be. */
  must: string;
}

export function toggle(does: string): Flag<true> {
  return { value: "", does, read: () => true, must: "" };
}

export function text(value: string, does: string): Flag<string> {
  return { value, does, read: (given) => given, must: "" };
}

export function textLike(form: RegExp, must: string, value: string, does: string): Flag<string> {
  return { value, does, read: (given) => (form.test(given) ? given : null), must };
}

export function number(form: RegExp, must: string, value: string, does: string): Flag<number> {
  return { value, does, read: (given) => (form.test(given) ? Number(given) : null), must };
}

export function oneOf<Name extends string>(
  names: readonly Name[],
  must: string,
  value: string,
  does: string,
): Flag<Name> {
  return { value, does, read: (given) => names.find((name) => name === given) ?? null, must };
}

export const URL_FLAG = text(
  "URL",
  `the gateway (default: GATEWAY_URL, or ${IN_CLONE ? "that of npm start" : "http://127.0.0.1:8787"})`,
);

export const HELP_FLAGS = { help: toggle("prints this text"), version: toggle("prints the version") };

export type Values<Flags> = {
  [Name in keyof Flags]?: (Flags[Name] extends Flag<infer Value> ? Value : never) | undefined;
};

/** Throws a UsageError that names the unknown or wrong flag. */
export function readFlags<Flags extends Record<string, Flag<unknown>>>(
  args: string[],
  flags: Flags,
): { values: Values<Flags>; positionals: string[] } {
  const kinds = Object.entries(flags).map(([name, { value }]) => [name, { type: value === "" ? "boolean" : "string" }]);
  const { values, positionals } = readArguments(args, Object.fromEntries(kinds));
  const read = Object.entries(values).map(([name, given]) => {
    const value = flags[name]?.read(String(given)) ?? null;
    if (value === null) throw new UsageError(`--${name} must be ${flags[name]?.must}.`);
    return [name, value];
  });
  return { values: Object.fromEntries(read), positionals };
}

/** The text that `--help` or `--version` asks for; null without either. */
export function toldBy({ help, version }: Values<typeof HELP_FLAGS>, usage: () => string): string | null {
  if (version === true) return VERSION;
  return help === true ? usage() : null;
}

export function flagLines(flags: Record<string, Flag<unknown>>, column: number): string {
  return Object.entries(flags)
    .filter(([, { does }]) => does !== "")
    .map(([name, { value, does }]) => `  ${`--${name} ${value}`.padEnd(column)}${does}`)
    .join("\n");
}
