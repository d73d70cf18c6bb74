/** What a deploy finds: who is logged in, and what exists. Changes nothing. */
import { type Result, err, ok } from "../../outcomes/result.ts";
import { TRIAL_PREFIX } from "./trial.ts";
import { failed, type Names, type Ran, type Wrangler } from "../wrangler.ts";

export interface Found {
  /** The name of the Cloudflare account to deploy to; null if wrangler does not report it. */
  account: string | null;
  /** The names of the secrets that are set; null: there is no Worker yet. */
  secrets: string[] | null;
  database: boolean;
  /**
   * How many accounts of tills the database has, with deleted ones and without those of trials; 0 if it has no tables
   * yet.
   */
  accounts: number;
}

/** Asks wrangler. The error says what prevents the deploy, and what to do. */
export async function look(
  wrangler: Wrangler,
  names: Names,
  accountId: string | undefined,
): Promise<Result<Found, string>> {
  const account = await login(wrangler, names.account ?? accountId);
  if (!account.ok) return account;
  const secrets = await secretsOf(wrangler, names.worker);
  if (!secrets.ok) return secrets;
  const listed = await wrangler(["d1", "list", "--json"]);
  const databases = jsonOf(listed) as { name?: string }[] | null;
  if (databases === null) return err(failed("The databases could not be listed", listed));
  const database = databases.some(({ name }) => name === names.database);
  const accounts = database ? await accountsIn(wrangler) : ok(0);
  if (!accounts.ok) return accounts;
  return ok({ account: account.value, secrets: secrets.value, database, accounts: accounts.value });
}

async function login(wrangler: Wrangler, accountId: string | undefined): Promise<Result<string | null, string>> {
  const ran = await wrangler(["whoami", "--json"]);
  const who = jsonOf(ran) as { accounts?: { id: string; name: string }[] } | null;
  if (who === null) {
    return err(failed("wrangler is not logged in: run npx wrangler login, or set CLOUDFLARE_API_TOKEN", ran));
  }
  const accounts = who.accounts ?? [];
  if (accountId === undefined && accounts.length > 1) {
    const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
    return err(`The login has several Cloudflare accounts. Set CLOUDFLARE_ACCOUNT_ID to one of them:\n${list}`);
  }
  const chosen = accountId === undefined ? accounts[0] : accounts.find(({ id }) => id === accountId);
  return ok(chosen?.name ?? null);
}

async function secretsOf(wrangler: Wrangler, worker: string): Promise<Result<string[] | null, string>> {
  const ran = await wrangler(["secret", "list", "--format", "json"]);
  const secrets = jsonOf(ran) as { name: string }[] | null;
  if (secrets !== null) return ok(secrets.map(({ name }) => name));
  // Nothing but the text tells them apart: every failure has the same status.
  if (ran.output.includes(`Worker "${worker}" not found`)) return ok(null);
  return err(failed("The secrets could not be listed", ran));
}

async function accountsIn(wrangler: Wrangler): Promise<Result<number, string>> {
  const query = `SELECT COUNT(*) AS accounts FROM accounts WHERE pos_id NOT GLOB '${TRIAL_PREFIX}*'`;
  const ran = await wrangler(["d1", "execute", "DATABASE", "--remote", "--json", "--command", query]);
  const answer = jsonOf(ran) as { results?: { accounts?: number }[] }[] | null;
  const count = answer?.[0]?.results?.[0]?.accounts;
  if (typeof count === "number") return ok(count);
  if (ran.output.includes("no such table")) return ok(0);
  return err(failed("The database could not be read", ran));
}

/** The JSON that a command printed; null if it failed. */
function jsonOf({ status, stdout }: Ran): unknown {
  if (status !== 0) return null;
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}
