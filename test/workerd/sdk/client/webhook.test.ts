/** The receiving end of webhooks, and the calls of a POS about them, at the real gateway. */
import { describe, it } from "vitest";
import { PosClient } from "../../../../src/sdk/client/pos.ts";
import { WebhookReceiver } from "../../../../src/sdk/client/webhook.ts";
import { deliveryHeaders, newSecret } from "../../../../src/gateway/account/webhooks/sending.ts";
import { BASE_URL, createAccount } from "../../../support/gateway.ts";
import { Receivers } from "../../../support/receiver.ts";
import { frontDoor } from "../../../support/simulated-terminal.ts";

const NOW = Date.UTC(2026, 10, 20);
const now = (): number => NOW;
const SECRET = newSecret();

function delivery(number: number, secrets = [SECRET], at = NOW) {
  const body = JSON.stringify({ id: `evt_POS-1_${number}`, number, type: "transaction.completed", data: {} });
  return { headers: deliveryHeaders(`evt_POS-1_${number}`, body, secrets, at), body };
}

function receiverOf(options: Partial<ConstructorParameters<typeof WebhookReceiver>[0]> = {}) {
  const events: number[] = [];
  const receiver = new WebhookReceiver({
    secret: SECRET,
    last: 0,
    now,
    onEvent: ({ number }) => void events.push(number),
    ...options,
  });
  return { receiver, events };
}

function making(secret: string, last: number): () => WebhookReceiver {
  return () => new WebhookReceiver({ secret, last, onEvent: () => undefined });
}

/** A body whose connection breaks. */
async function* breaking(): AsyncGenerator<Uint8Array, void> {
  yield new Uint8Array(1);
  throw new Error("reset");
}

describe("a receiver", () => {
  it("passes each event on once, in order, however often it is delivered", async ({ expect }) => {
    const { receiver, events } = receiverOf({ last: 1 });
    const kinds: string[] = [];
    for (const number of [1, 2, 3, 2, 3, 4]) {
      const { headers, body } = delivery(number);
      kinds.push((await receiver.receive(headers, body)).kind);
    }
    expect(kinds).toEqual(["known", "taken", "taken", "known", "known", "taken"]);
    expect([events, receiver.last]).toEqual([[2, 3, 4], 4]);
  });

  it("reads a stream to its end, and no more than fits", async ({ expect }) => {
    const { receiver, events } = receiverOf();
    const { headers, body } = delivery(1);
    const stream = new Response(body).body;
    if (stream === null) throw new Error("no stream");
    expect(await receiver.receive(headers, stream)).toEqual({ kind: "taken", status: 204, number: 1 });
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array, void> {
      for (;;) {
        read += 65_536;
        yield new Uint8Array(65_536);
      }
    }
    const tooLarge = { kind: "too-large", status: 413 };
    expect(await receiver.receive(headers, endless())).toEqual(tooLarge);
    expect(read).toBe(1_048_576 + 65_536);
    expect(await receiver.receive({ ...headers, "content-length": "1048577" }, endless())).toEqual(tooLarge);
    expect(read).toBe(1_048_576 + 65_536);
    expect(await receiver.receive(headers, "x".repeat(1_048_577))).toEqual(tooLarge);
    expect(events).toEqual([1]);
  });

  it("fails if a stream breaks, and the event comes again", async ({ expect }) => {
    const { receiver, events } = receiverOf();
    expect(await receiver.receive({}, breaking())).toMatchObject({ kind: "failed", status: 500 });
    expect(events).toEqual([]);
  });

  it("processes one delivery at a time: two copies at once count once", async ({ expect }) => {
    const events: number[] = [];
    const booked = Promise.withResolvers<void>();
    const onEvent = async ({ number }: { number: number }): Promise<void> => {
      events.push(number);
      await booked.promise;
    };
    const { receiver } = receiverOf({ onEvent });
    const { headers, body } = delivery(1);
    const both = Promise.all([receiver.receive(headers, body), receiver.receive(headers, body)]);
    // Both have been verified by then.
    await receiver.receive(delivery(1, [newSecret()]).headers, body);
    booked.resolve();
    expect((await both).map(({ kind }) => kind)).toEqual(["taken", "known"]);
    expect(events).toEqual([1]);
  });

  it("asks for an event again if it could not be processed", async ({ expect }) => {
    let broken = true;
    const { receiver } = receiverOf({
      onEvent: async () => {
        if (broken) throw new Error("the books are closed");
      },
    });
    const { headers, body } = delivery(1);
    expect(await receiver.receive(headers, body)).toMatchObject({ kind: "failed", status: 500 });
    broken = false;
    expect(await receiver.receive(headers, body)).toEqual({ kind: "taken", status: 204, number: 1 });
  });

  it("refuses what is not from the gateway, was changed, or is old", async ({ expect }) => {
    const { receiver, events } = receiverOf();
    const { headers, body } = delivery(1);
    const signature = headers["webhook-signature"] ?? "";
    const mistakes = [
      await receiver.receive({}, body),
      await receiver.receive(headers, `${body} `),
      await receiver.receive({ ...headers, "webhook-id": "evt_POS-1_2" }, body),
      await receiver.receive({ ...headers, "webhook-signature": "v2,abc v1, v1,%%%" }, body),
      await receiver.receive({ ...headers, "webhook-signature": signature.replace(/^v1/u, "v2") }, body),
      await receiver.receive({ ...headers, "webhook-timestamp": "now" }, body),
      await receiver.receive(delivery(1, [newSecret()]).headers, body),
      await receiver.receive(delivery(1, [SECRET], NOW - 301_000).headers, body),
      await receiver.receive(delivery(1, [SECRET], NOW + 301_000).headers, body),
    ].map((reception) => (reception.kind === "refused" ? reception.mistake : reception.kind));
    const wrong = "wrong-signature";
    expect(mistakes).toEqual(["no-signature", wrong, wrong, wrong, wrong, "no-signature", wrong, "too-old", "too-old"]);
    expect(events).toEqual([]);
  });

  it("accepts several secrets and signatures, and all forms of input", async ({ expect }) => {
    const other = newSecret();
    const { receiver } = receiverOf({ secret: [other, SECRET] });
    const { headers, body } = delivery(1, [newSecret(), SECRET]);
    const asBytes = new TextEncoder().encode(body);
    expect((await receiver.receive(new Headers(headers), asBytes)).kind).toBe("taken");
    expect((await receiver.receive(delivery(2, [other]).headers, delivery(2).body)).kind).toBe("taken");
  });

  it("recognises a ping", async ({ expect }) => {
    const { receiver, events } = receiverOf();
    const body = JSON.stringify({ id: "ping_1", type: "ping", timestamp: "", data: {} });
    expect(await receiver.receive(deliveryHeaders("ping_1", body, [SECRET], NOW), body)).toEqual({
      kind: "ping",
      status: 204,
    });
    expect(events).toEqual([]);
  });

  it("takes what is up to five minutes old or early", async ({ expect }) => {
    const kinds: string[] = [];
    for (const at of [NOW - 300_000, NOW + 300_000, NOW - 301_000, NOW + 301_000]) {
      const { headers, body } = delivery(1, [SECRET], at);
      kinds.push((await receiverOf().receiver.receive(headers, body)).kind);
    }
    expect(kinds).toEqual(["taken", "taken", "refused", "refused"]);
  });

  it.for<[string, Record<string, string | string[] | undefined>]>([
    ["no id", { "webhook-id": undefined }],
    ["no signature", { "webhook-signature": undefined }],
    ["no time", { "webhook-timestamp": undefined }],
    ["two signatures in a list", { "webhook-signature": ["v1,a", "v1,b"] }],
    ["a time that is none", { "webhook-timestamp": "1e9" }],
    ["a time with a sign", { "webhook-timestamp": "-1" }],
    ["a time without digits", { "webhook-timestamp": "" }],
    ["a time that is too long", { "webhook-timestamp": "1".repeat(13) }],
  ])("refuses a delivery with %s as one without a signature", async ([, changes], { expect }) => {
    const { headers, body } = delivery(1);
    const refused = { kind: "refused", status: 401, mistake: "no-signature" };
    expect(await receiverOf().receiver.receive({ ...headers, ...changes }, body)).toEqual(refused);
  });

  it("fails for a body that is no event, and continues", async ({ expect }) => {
    const { receiver, events } = receiverOf();
    for (const body of ["{", "null"]) {
      const reception = await receiver.receive(deliveryHeaders("evt", body, [SECRET], NOW), body);
      expect(reception).toMatchObject({ kind: "failed", status: 500, error: expect.any(Error) });
    }
    const { headers, body } = delivery(1);
    expect(await receiver.receive(headers, body)).toEqual({ kind: "taken", status: 204, number: 1 });
    expect(await receiver.receive(headers, body)).toEqual({ kind: "known", status: 204, number: 1 });
    expect(events).toEqual([1]);
  });

  it.for<[string, unknown, boolean]>([
    ["as the gateway has shown it", SECRET, true],
    ["and the one before", [SECRET, newSecret()], true],
    ["of 24 bytes", `whsec_${btoa("x".repeat(24))}`, true],
    ["of 23 bytes", `whsec_${btoa("x".repeat(23))}`, false],
    ["that is no base64", "whsec_%%%", false],
    ["without its prefix", SECRET.slice(6), false],
    ["with another prefix", `WHSEC_${btoa("x".repeat(24))}`, false],
    ["that is missing", undefined, false],
    ["and one that is none", [SECRET, "whsec_"], false],
    ["out of none", [], false],
  ])("is created with a secret %s, or refuses it", ([, secret, isRight], { expect }) => {
    const make = () => receiverOf({ secret: secret as string });
    if (isRight) expect(make).not.toThrow();
    else expect(make).toThrow(/^WebhookReceiver: secret is not a webhook's secret\./u);
  });

  it("uses this machine's clock unless it is given another", async ({ expect }) => {
    const { headers, body } = delivery(1, [SECRET], Date.now());
    expect((await receiverOf({ now: undefined }).receiver.receive(headers, body)).kind).toBe("taken");
  });

  it("names every option that is wrong, in a sentence each", ({ expect }) => {
    expect(making("secret", -1)).toThrow(
      "WebhookReceiver: secret is not a webhook's secret. Pass whsec_ and base64, as the gateway has shown it. " +
        "last must be the number of the last event that you have processed; 0 if there is none.",
    );
    expect(making("whsec_c2hvcnQ=", 0)).toThrow("secret");
    // Without it each delivery would fail, for days.
    expect(() => receiverOf({ onEvent: undefined as never })).toThrow("WebhookReceiver: onEvent is missing. Pass ");
  });
});

describe("a POS", () => {
  it("manages a webhook whose receiver verifies what comes", async ({ expect }) => {
    const receivers = Receivers.start();
    const { posId, merchantId, signingKey } = await createAccount();
    const pos = new PosClient({ baseUrl: BASE_URL, posId, merchantId, signingKey, fetch: frontDoor });
    const { id, secret } = await pos.addWebhook("https://books.example.com/hooks/payment");
    expect((await pos.webhooks()).map((webhook) => webhook.id)).toEqual([id]);
    expect(await pos.testWebhook(id)).toMatchObject({ status: 204 });
    const [ping] = receivers.received;
    const receiver = new WebhookReceiver({ secret, last: 0, onEvent: () => undefined });
    expect((await receiver.receive(ping?.headers ?? {}, ping?.body ?? "")).kind).toBe("ping");
    expect((await pos.changeWebhook(id, { enabled: false })).enabled).toBe(false);
    expect((await pos.replayWebhook(id, 0)).cursor).toBe(0);
    const renewed = await pos.newWebhookSecret(id);
    expect(renewed.secret).not.toBe(secret);
    expect((await pos.webhook(id)).previousSecretUntil).not.toBeNull();
    await pos.removeWebhook(id);
    expect(await pos.webhooks()).toEqual([]);
    await expect(pos.removeWebhook(id)).rejects.toMatchObject({ problem: { status: 404 } });
    await expect(pos.addWebhook("https://127.0.0.1/")).rejects.toMatchObject({ kind: "invalid_request" });
  });
});
