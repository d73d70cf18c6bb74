/** An account with its terminals, on which many histories can be played. */
import { env } from "cloudflare:workers";
import { randomKey, seal } from "../../src/gateway/secrets/sealing.ts";
import { keysFrom } from "../support/master-keys.ts";
import {
  call,
  createAccount,
  login,
  uniqueId,
  type Account,
  type EnrolledTerminal,
  type Tokens,
} from "../support/gateway.ts";
import { MERCHANT } from "./questions.ts";

/** An access token is renewed so long before its end. */
const RENEW_BEFORE = 2 * 60_000;

/** One account with its terminals; its session lasts over many histories. */
export class Shop {
  readonly account: Account;
  readonly terminals: EnrolledTerminal[];
  #tokens: Tokens;

  private constructor(account: Account, terminals: EnrolledTerminal[], tokens: Tokens) {
    this.account = account;
    this.terminals = terminals;
    this.#tokens = tokens;
  }

  /** Opened past the operator's front door: what is set up here is not what is tested, and takes most of the time. */
  static async open(terminals: number): Promise<Shop> {
    const account = await createAccount(MERCHANT);
    // The model's account Q (`object-gateway.ts`).
    await createAccount({ ...MERCHANT, posId: `${account.posId}-Q` });
    const enrolled = Array.from({ length: terminals }, () => ({
      terminalId: uniqueId("term"),
      secret: randomKey(),
      isVT: 0 as const,
    }));
    const keys = keysFrom(env.MASTER_KEYS);
    const insert = env.DATABASE.prepare(
      `INSERT INTO terminals (terminal_id, is_vt, status, created_at, bound_pos_id, sealed_under)
       VALUES (?, 0, 'enrolled', ?, ?, ?)`,
    );
    await env.DATABASE.batch(
      enrolled.map(({ terminalId }) => insert.bind(terminalId, Date.now(), account.posId, keys.current.kid)),
    );
    const { posId } = account;
    const open = async ({ terminalId, secret, isVT }: EnrolledTerminal): Promise<void> => {
      const stub = env.TERMINAL.getByName(terminalId);
      await stub.enrol({ terminalId, isVT, sealedSecret: seal(keys, secret, "terminal-secret", terminalId) });
      await stub.bind({ ...MERCHANT, posId }, "move");
    };
    await Promise.all(enrolled.map(open));
    return new Shop(account, enrolled, await login(account));
  }

  async token(): Promise<string> {
    if (Date.parse(this.#tokens.access.expiresAt) - Date.now() > RENEW_BEFORE) return this.#tokens.access.token;
    const { status, body } = await call<Tokens>("POST", "/auth/refresh", { token: this.#tokens.refresh.token });
    this.#tokens = status === 200 ? body : await login(this.account);
    return this.#tokens.access.token;
  }
}
