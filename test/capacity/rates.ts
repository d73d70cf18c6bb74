import { readFileSync } from "node:fs";
import { join } from "node:path";

const configuration = readFileSync(join(import.meta.dirname, "..", "..", "wrangler.toml"), "utf8");

/** What a rate limit of wrangler.toml lets pass in a minute. */
export function perMinute(name: string): number {
  const found = new RegExp(`name = "${name}"[^[]*?limit = ([0-9]+), period = 60`, "u").exec(configuration)?.[1];
  if (found === undefined) throw new Error(`wrangler.toml has no rate limit ${name} per minute.`);
  return Number(found);
}
