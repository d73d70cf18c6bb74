/** What an account does with its webhooks, signed as the gateway wants it. */
import { withSignature } from "../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../src/protocol/time/datetime.ts";
import type { PingAnswer, Webhook, WebhookWithSecret } from "../../src/protocol/webhooks.ts";
import { type Account, type Answer, call, type CallOptions, type ErrorBody } from "./gateway.ts";

export const ADDRESS = "https://books.example.com/hooks/long-and-secret-path";

export function signedCallBody(
  account: Pick<Account, "posId" | "signingKey">,
  method: string,
  path: string,
  members: object = {},
): { signature: string } {
  const message = {
    posId: account.posId,
    datetime: formatDatetime(Date.now()),
    nonce: crypto.randomUUID(),
    call: `${method} ${path}`,
    ...members,
  };
  return withSignature(message, account.signingKey);
}

export class WebhookAccount {
  readonly account: Account;
  readonly token: string;

  constructor(account: Account, token: string) {
    this.account = account;
    this.token = token;
  }

  signed<Body = Webhook & ErrorBody>(
    method: string,
    path: string,
    members: object = {},
    options: CallOptions = {},
  ): Promise<Answer<Body>> {
    const body = signedCallBody(this.account, method, path, members);
    return call<Body>(method, path, { token: this.token, body, ...options });
  }

  add(url: string = ADDRESS): Promise<Answer<WebhookWithSecret & ErrorBody>> {
    return this.signed("POST", "/api/webhooks", { url });
  }

  /** A new endpoint; fails if it is refused. */
  async added(url: string = ADDRESS): Promise<WebhookWithSecret> {
    const { status, body } = await this.add(url);
    if (status !== 201) throw new Error(`no webhook: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async list(): Promise<Webhook[]> {
    return (await call<{ data: Webhook[] }>("GET", "/api/webhooks", { token: this.token })).body.data;
  }

  get(id: string): Promise<Answer<Webhook & ErrorBody>> {
    return call("GET", `/api/webhooks/${id}`, { token: this.token });
  }

  change(id: string, members: object): Promise<Answer<Webhook & ErrorBody>> {
    return this.signed("PATCH", `/api/webhooks/${id}`, members);
  }

  remove(id: string): Promise<Answer<{ code: number } & ErrorBody>> {
    return this.signed("DELETE", `/api/webhooks/${id}`);
  }

  secret(id: string): Promise<Answer<WebhookWithSecret & ErrorBody>> {
    return this.signed("POST", `/api/webhooks/${id}/secret`);
  }

  replay(id: string, after: unknown): Promise<Answer<Webhook & ErrorBody>> {
    return this.signed("POST", `/api/webhooks/${id}/replay`, { after });
  }

  test(id: string): Promise<Answer<PingAnswer & ErrorBody>> {
    return call("POST", `/api/webhooks/${id}/test`, { token: this.token });
  }
}
