/** The gateway: the real Worker. Accounts, terminals and tokens are made at its front door. */
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withSignature } from "../../../src/signing/signature.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";
import { type Pair, Terminal } from "../parties.ts";
import type { RunningProcess } from "../process.ts";
import { ROOT, startWorker, type WorkerOptions } from "../workerd.ts";
import {
  type Enrolled,
  type Extra,
  type HasAccounts,
  eightAtOnce,
  PER_ACCOUNT,
  type Till,
  WorkerSubject,
} from "./subject.ts";

/** An operator's token, for the run alone. */
const OPERATOR = randomBytes(16).toString("hex");

/** Terminals of one prebind list. */
const LIST = 10;

/** Who logs in. */
export type Keeper = Pick<Pair, "posId" | "merchantId" | "signingKey"> & { password: string };

export class Gateway extends WorkerSubject implements HasAccounts {
  readonly name = "gateway";
  #accounts = 0;
  #terminals = 0;

  static async start(folder: string, extra: Extra = {}): Promise<Gateway> {
    const options: WorkerOptions = {
      entry: "src/index.ts",
      objects: { ACCOUNT: "Account", KEEPER: "Keeper", TERMINAL: "Terminal" },
      folder,
      variables: {
        MASTER_KEYS: `bench:${randomBytes(32).toString("base64")}`,
        OPERATOR_TOKENS: `bench:${OPERATOR}`,
        REQUEST_SECONDS: "90",
        CORS_ORIGINS: "",
      },
      ...extra,
    };
    const gateway = new Gateway(options, await startWorker(options));
    await gateway.#migrate();
    return gateway;
  }

  override async enrol(count: number, perAccount = PER_ACCOUNT): Promise<Pair[]> {
    const pairs: Pair[] = [];
    while (pairs.length < count) pairs.push(...(await this.#account(Math.min(perAccount, count - pairs.length))));
    return pairs;
  }

  override connect(pairs: readonly Pair[]): Promise<Enrolled[]> {
    return eightAtOnce(pairs, async (pair) => {
      const { terminalId, secret } = pair;
      const login = withSignature({ terminalId, datetime: formatDatetime(Date.now()) }, secret);
      const { token } = await this.caller.call<{ token: string }>("POST", "/terminal/login", null, login);
      return { pair, terminal: await Terminal.connect(`${this.url}/terminal/connect`, secret, token) };
    });
  }

  /** A new account with everything that a login needs; the gateway draws its password unless one is chosen. */
  async account(chosen?: string): Promise<Keeper> {
    const ordinal = ++this.#accounts;
    const posId = `pos-${ordinal}`;
    const merchantId = `shop-${ordinal}`;
    const terms = { posId, merchantId, currency: "MYR", timezone: zoneFarFromMidnight(), password: chosen };
    type Secrets = { signingKey: string; password?: string };
    const { signingKey, password = chosen ?? "" } = await this.caller.call<Secrets>(
      "POST",
      "/operator/accounts",
      OPERATOR,
      terms,
    );
    return { posId, merchantId, signingKey, password };
  }

  tills(count: number): Promise<Till[]> {
    return eightAtOnce(Array.from({ length: count }), async () => this.#loggedIn(await this.account()));
  }

  async wake({ accessToken }: Till): Promise<void> {
    await this.caller.call("GET", "/api/events", accessToken);
  }

  protected override like(options: WorkerOptions, running: RunningProcess): this {
    return new Gateway(options, running) as this;
  }

  async #loggedIn({ posId, password }: Keeper): Promise<Till> {
    const login = { posId, password };
    const tokens = await this.caller.call<{ access: { token: string } }>("POST", "/auth/login", null, login);
    return { posId, accessToken: tokens.access.token };
  }

  async #account(size: number): Promise<Pair[]> {
    const { caller } = this;
    const keeper = await this.account();
    const { posId, merchantId, signingKey } = keeper;
    const { accessToken } = await this.#loggedIn(keeper);
    const pairs = await eightAtOnce(Array.from({ length: size }), async () => {
      const terminalId = `term-${++this.#terminals}`;
      const wanted = { terminalId, isVT: 0, merchantId };
      const { secret } = await caller.call<{ secret: string }>("POST", "/operator/terminals", OPERATOR, wanted);
      return { posId, merchantId, signingKey, accessToken, terminalId, secret };
    });
    for (let first = 0; first < size; first += LIST) {
      const uniqueIds = pairs.slice(first, first + LIST).map(({ terminalId }) => terminalId);
      await caller.call("POST", "/api/prebind-terminals", accessToken, { uniqueIds });
    }
    return pairs;
  }

  async #migrate(): Promise<void> {
    const migrations = join(ROOT, "migrations");
    for (const name of (await readdir(migrations)).toSorted()) {
      await this.query(await readFile(join(migrations, name), "utf8"));
    }
  }
}

/** Where midnight, at which every token ends, is some hours away. */
function zoneFarFromMidnight(): string {
  const hour = new Date().getUTCHours();
  return hour >= 6 && hour < 18 ? "UTC" : "Pacific/Auckland";
}
