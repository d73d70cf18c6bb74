import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readVars } from "../development/dev-vars.ts";
import { writePrivate } from "../command-line/private-file.ts";
import { Settings } from "../command-line/settings.ts";

/**
 * What kit and tested side both have to know: from the environment, the file given with `--env`, the file of an earlier
 * run, or drawn now. What was drawn is kept in a file for its owner alone, which the tested side can be given.
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

/** Of `npm start`'s demo nothing is taken: the kit is another gateway. */
async function givenBy(env: string | undefined): Promise<(name: string) => string | undefined> {
  if (env !== undefined) {
    const settings = await Settings.read(env);
    return (name) => settings.get(name);
  }
  return (name) => process.env[name as keyof NodeJS.ProcessEnv] || undefined;
}

/** A secret of the form that the gateway itself gives out. */
export function drawSecret(): string {
  return randomBytes(32).toString("base64url");
}
