import { type Result, err, ok } from "../../outcomes/result.ts";

/** The names in wrangler.toml. */
export interface Names {
  worker: string;
  database: string;
  /** The Cloudflare account, if the file names one. */
  account: string | null;
  /** The secrets that a deploy requires. */
  secrets: string[];
}

/** Reads the names from the text of wrangler.toml; the error is a sentence. */
export function namesOf(configuration: string): Result<Names, string> {
  const top = configuration.slice(0, Math.max(configuration.search(/^\s*\[/mu), 0));
  const worker = /^name = "([^"]+)"/mu.exec(top)?.[1];
  const database = /^database_name = "([^"]+)"/mu.exec(configuration)?.[1];
  const secrets = /^required = \[([^\]]*)\]/mu.exec(configuration)?.[1];
  if (worker === undefined || database === undefined || secrets === undefined) {
    return err('wrangler.toml must have name = "…", database_name = "…" and required = […].');
  }
  return ok({
    worker,
    database,
    account: /^account_id = "([^"]+)"/mu.exec(top)?.[1] ?? null,
    secrets: [...secrets.matchAll(/"([^"]+)"/gu)].flatMap(([, name]) => name ?? []),
  });
}
