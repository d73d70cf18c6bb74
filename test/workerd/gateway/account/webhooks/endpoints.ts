/** An account's endpoints, changed and woken as Worker and platform do it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { type WebhookChange, type WebhookOutcome, accountStub } from "../../../../../src/gateway/account/rpc.ts";
import type { Webhook } from "../../../../../src/protocol/webhooks.ts";
import { signedForm } from "../../../../../src/protocol/signing/canonical.ts";
import { sign } from "../../../../../src/protocol/signing/signature.ts";
import { alarmOf, type Books, openBooks, ring } from "../../../../support/gateway/account/books.ts";
import { eventually } from "../../../../support/patience.ts";

export const ADDRESS = "https://books.example.com/hooks/payments";

export class Shop {
  readonly books: Books;

  private constructor(books: Books) {
    this.books = books;
  }

  static async open(): Promise<Shop> {
    return new Shop(await openBooks());
  }

  /** A shop with one endpoint, `wh_1`, and its secret. */
  static async withEndpoint(): Promise<{ shop: Shop; secret: string }> {
    const shop = await Shop.open();
    return { shop, secret: await shop.add() };
  }

  /** A new stub: the one before may be broken. */
  get object() {
    return accountStub(env, this.books.posId);
  }

  /** The call of the account, signed. */
  change(change: WebhookChange): Promise<WebhookOutcome> {
    const { posId, signingKey, sessionId } = this.books;
    const message = { posId, nonce: crypto.randomUUID() };
    return this.object.changeWebhook(
      {
        sessionId,
        posId,
        datetime: Date.now(),
        nonce: message.nonce,
        signedForm: signedForm(message),
        signature: sign(message, signingKey),
      },
      change,
    );
  }

  async must(change: WebhookChange): Promise<{ webhook: Webhook; secret?: string }> {
    const outcome = await this.change(change);
    if (outcome.kind !== "changed") throw new Error(`not changed: ${outcome.kind}`);
    return outcome;
  }

  /** @returns the new endpoint's secret */
  async add(url: string = ADDRESS): Promise<string> {
    return (await this.must({ kind: "add", url })).secret ?? "";
  }

  async sell(many: number): Promise<void> {
    const entries = Array.from({ length: many }, () => this.books.entry());
    for (let from = 0; from < many; from += 50) await this.object.record(entries.slice(from, from + 50));
  }

  async webhook(id = 1): Promise<Webhook> {
    const found = (await this.object.webhooks()).find((webhook) => webhook.id === `wh_${id}`);
    if (found === undefined) throw new Error(`there is no wh_${id}`);
    return found;
  }

  /** The stored state of an endpoint, which survives a reset. */
  written(id = 1): Promise<Record<string, SqlStorageValue>> {
    return runInDurableObject(env.ACCOUNT.getByName(this.books.posId), (_object, { storage }) =>
      storage.sql.exec("SELECT * FROM webhooks WHERE id = ?", id).one(),
    );
  }

  /** Waits until the endpoint's state is as expected. */
  async shows(wanted: Partial<Webhook>, id = 1): Promise<Webhook> {
    return eventually(async () => {
      const webhook = await this.webhook(id);
      for (const [name, value] of Object.entries(wanted)) {
        const shown = webhook[name as keyof Webhook];
        if (shown !== value)
          throw new Error(`wh_${id} has ${name} ${JSON.stringify(shown)}, not ${JSON.stringify(value)}`);
      }
      return webhook;
    });
  }

  /** Waits until the endpoint had this many attempts and the next one has a time. */
  async failed(times: number): Promise<Webhook> {
    return eventually(async () => {
      const webhook = await this.webhook();
      const { attempts, nextAttempt } = webhook;
      if (attempts.length < times || nextAttempt === null || new Date(nextAttempt).getTime() <= Date.now()) {
        throw new Error(`wh_1 was tried ${attempts.length} times, not ${times}, and is next at ${nextAttempt}`);
      }
      return webhook;
    });
  }

  alarmAt(): Promise<number | null> {
    return alarmOf(this.books);
  }

  /** The alarm goes off at its time. */
  async wake(): Promise<void> {
    const at = await this.alarmAt();
    if (at === null) throw new Error("no alarm is set");
    if (at > Date.now()) vi.setSystemTime(at);
    await ring(this.books);
  }

  /** Time passes, and the alarm goes off whenever it is set for. */
  async pass(milliseconds: number): Promise<void> {
    const until = Date.now() + milliseconds;
    for (;;) {
      const at = await this.alarmAt();
      if (at === null || at > until) break;
      await this.wake();
    }
    vi.setSystemTime(until);
  }
}
