import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readVars, Settings } from "../settings.ts";
import { writePrivate } from "../private-file.ts";

/**
 * The credentials that the kit shares with the tested side: from the environment, the file given with `--env`, the file
 * of an earlier run, or drawn now. Only the owner can read the file of drawn values; give it to the tested side.
 */
export async function credentials<Name extends string>(
  kit: string,
  url: URL,
  env: string | undefined,
  draw: Record<Name, () => string>,
): Promise<{ values: Record<Name, string>; path: string; drawn: Name[] }> {
  const path = join((await Settings.read(env)).folder("conformance", url.href), `${kit}.env`);
  const given = await givenBy(env);
  const kept = await readVars(path);
  const names = Object.keys(draw) as Name[];
  const drawn = names.filter((name) => given(name) === undefined);
  const entries = names.map((name) => [name, given(name) ?? kept.get(name) ?? draw[name]()] as const);
  const values = Object.fromEntries(entries) as Record<Name, string>;
  if (drawn.length > 0) {
    const lines = [
      ...names.map((name) => `${name}='${values[name]}'`),
      `GATEWAY_URL='${url.href.replace(/\/+$/u, "")}'`,
    ];
    await writePrivate(path, `${lines.join("\n")}\n`);
  }
  return { values, path, drawn };
}

/** Ignores the demo of `npm start`: the kit is another gateway. */
async function givenBy(env: string | undefined): Promise<(name: string) => string | undefined> {
  if (env !== undefined) {
    const settings = await Settings.read(env);
    return (name) => settings.get(name);
  }
  return (name) => process.env[name as keyof NodeJS.ProcessEnv] || undefined;
}

/** In the form that the gateway issues. */
export function drawSecret(): string {
  return randomBytes(32).toString("base64url");
}
