/** What a POS's client sends, and what it makes of each answer. */
import { describe, it, vi } from "vitest";
import { type PosClient, PosError } from "../../../../../src/sdk/client/pos.ts";
import { hasValidSignature } from "../../../../../src/sdk/client/signature.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
import { DONE, failureOf, NOW, refused, sale, ScriptedPos, target, useStoppedClock } from "./scripted.ts";

useStoppedClock();

const label = { referenceLabel: "Bill" };
const labelled = { ...target, ...label };

/** Of a change, which is signed: not of a transfer. */
const isChange = (name: string) => !name.includes("/api/transfer");

describe("each call", () => {
  const webhook = { id: "W 1", cursor: 7 };
  const terminal = { terminalId: "T 1", connected: true };
  const head = { posId: "POS-1", datetime: "20261120T100407" };
  const message = { posId: "POS-1", merchantId: "M-1", ...target, datetime: head.datetime, apiVersion: "v1" };

  /** Its name, what it sends, what it is answered, and what it returns; no answer: a transfer. */
  const CALLS: [string, (client: PosClient) => Promise<unknown>, object | null, object?, unknown?][] = [
    [
      "GET /api/bind-terminal-key",
      (client) => client.bindKey(),
      null,
      { key: "K", expiresAt: "E", more: 1 },
      { key: "K", expiresAt: "E" },
    ],
    ["GET /api/prebind-terminals", (client) => client.prebound(), null, { data: ["T-1"] }, ["T-1"]],
    [
      "POST /api/prebind-terminals",
      (client) => client.prebind(["T-1"]),
      { ...head, uniqueIds: ["T-1"] },
      DONE,
      DONE.message,
    ],
    ["GET /api/terminals", (client) => client.terminals(), null, { data: [terminal] }, [terminal]],
    ["GET /api/terminals/T%201", (client) => client.terminal("T 1"), null, terminal, terminal],
    ["DELETE /api/terminals/T%201", (client) => client.unbind("T 1"), head, DONE, undefined],
    ["GET /api/ewallet-channels", (client) => client.channels(), null, { data: [] }, []],
    ["GET /api/ewallet-channels?currency=MYR", (client) => client.channels("MYR"), null, { data: [] }, []],
    ["GET /api/events", (client) => client.newestEvent(), null, { next: 7 }, 7],
    ["GET /api/webhooks", (client) => client.webhooks(), null, { data: [webhook] }, [webhook]],
    ["GET /api/webhooks/W%201", (client) => client.webhook("W 1"), null, webhook, webhook],
    [
      "POST /api/webhooks",
      (client) => client.addWebhook("https://a"),
      { ...head, url: "https://a" },
      { ...webhook, secret: "S" },
      { ...webhook, secret: "S" },
    ],
    [
      "PATCH /api/webhooks/W%201",
      (client) => client.changeWebhook("W 1", { enabled: true }),
      { ...head, enabled: true },
      webhook,
      webhook,
    ],
    ["DELETE /api/webhooks/W%201", (client) => client.removeWebhook("W 1"), head, DONE, undefined],
    [
      "POST /api/webhooks/W%201/secret",
      (client) => client.newWebhookSecret("W 1"),
      head,
      { ...webhook, secret: "S" },
      { ...webhook, secret: "S" },
    ],
    [
      "POST /api/webhooks/W%201/replay",
      (client) => client.replayWebhook("W 1", 3),
      { ...head, after: 3 },
      webhook,
      webhook,
    ],
    [
      "POST /api/webhooks/W%201/test",
      (client) => client.testWebhook("W 1"),
      null,
      { status: 204, milliseconds: 3 },
      { status: 204, milliseconds: 3 },
    ],
    [
      "POST /api/webhooks/W%201/test",
      (client) => client.testWebhook("W 1"),
      null,
      {},
      { status: null, milliseconds: 0 },
    ],
    ["GET /api/totals", (client) => client.totals(), null, { day: "D", data: [] }, { day: "D", data: [] }],
    [
      "POST /api/transfer",
      (client) => client.sale({ ...sale, referenceLabel: "Bill", note: "N" }),
      {
        ...message,
        referenceLabel: "Bill",
        transType: "sale",
        transData: { transAmt: "1.00", paymentMethod: "bankCard", note: "N" },
      },
    ],
    [
      "POST /api/transfer",
      (client) => client.cashOut({ ...labelled, transAmt: "1.00", cashAmt: "2.00" }),
      {
        ...message,
        ...label,
        transType: "cashOut",
        transData: { transAmt: "1.00", cashAmt: "2.00", paymentMethod: "bankCard" },
      },
    ],
    [
      "POST /api/transfer",
      (client) => client.void({ ...labelled, transId: "7" }),
      { ...message, ...label, transType: "void", transData: { transId: "7" } },
    ],
    [
      "POST /api/transfer",
      (client) => client.inquiry({ ...labelled, about: { transId: "7" } }),
      { ...message, ...label, transType: "inquiry", transData: { transId: "7" } },
    ],
    ["POST /api/transfer", (client) => client.inquiry(target), { ...message, transType: "inquiry" }],
    ["POST /api/transfer", (client) => client.getLast(labelled), { ...message, ...label, transType: "getLast" }],
    [
      "POST /api/transfer/cancel",
      (client) => client.cancel(sale),
      { posId: "POS-1", ...target, datetime: head.datetime },
    ],
  ];

  it.for(CALLS)(
    "sends %s with its token and signed members, following no redirect",
    async ([name, make, sent, said, returned], { expect }) => {
      const pos = new ScriptedPos();
      const making = make(pos.client).catch((error: unknown) => error);
      const call = await pos.call();
      const { method, path, headers, redirect, body } = call;
      call.answer(said === undefined ? refused(400) : Response.json(said));
      expect([`${method} ${path}`, redirect]).toEqual([name, "manual"]);
      expect(headers.get("Authorization")).toBe("Bearer access-1");
      expect([headers.get("Accept"), headers.get("Prefer")]).toEqual([null, null]);
      expect(headers.get("Content-Type")).toBe(sent === null ? null : "application/json");
      const { nonce, signature, ...members } = body ?? {};
      expect(members).toEqual({ ...sent, ...(sent !== null && isChange(name) ? { call: name } : {}) });
      if (sent !== null && isChange(name)) expect(nonce).toMatch(/^[\w-]{16,64}$/u);
      else expect(nonce).toBeUndefined();
      expect(signature === undefined).toBe(sent === null);
      if (body !== null) expect(await hasValidSignature(body as JsonObject, "key")).toBe(true);
      if (said === undefined) expect(await making).toMatchObject({ kind: "invalid_request", next: "none" });
      else expect(await making).toEqual(returned);
    },
  );

  it("takes nothing from answers that lack members or are no JSON", async ({ expect }) => {
    const withResult = CALLS.filter(([, , , , returned]) => returned !== undefined);
    const lacking: [(client: PosClient) => Promise<unknown>, object | string][] = [
      ...withResult.map(([, make]): [typeof make, string] => [make, "<html>"]),
      [(client) => client.bindKey(), { key: "K" }],
      [(client) => client.bindKey(), { key: 7, expiresAt: "E" }],
      [(client) => client.prebound(), { data: {} }],
      [(client) => client.terminal("T"), { terminalId: "T" }],
      [(client) => client.terminal("T"), { connected: true }],
      [(client) => client.newestEvent(), { next: "7" }],
      [(client) => client.webhook("W"), { id: "W" }],
      [(client) => client.webhook("W"), { cursor: 7 }],
      [(client) => client.addWebhook("https://a"), webhook],
      [(client) => client.addWebhook("https://a"), { secret: "S" }],
      [(client) => client.totals(), { day: "D" }],
      [(client) => client.totals(), { day: 7, data: [] }],
      [(client) => client.transactions().next(), { data: [], next: 7 }],
      [(client) => client.transactions().next(), { data: {}, next: null }],
    ];
    for (const [make, said] of lacking) {
      const pos = new ScriptedPos();
      const making = make(pos.client).catch((error: unknown) => error);
      const [call] = await pos.answers(typeof said === "string" ? new Response(said) : Response.json(said));
      await vi.advanceTimersByTimeAsync(250);
      // What may be done once only is given up. Everything else is asked again.
      const isOnce = /^\/api\/webhooks(?:\/[^/]+\/secret)?$/u.test(call?.path ?? "") && call?.method === "POST";
      if (!isOnce) await pos.answers(refused(403));
      expect(await making, `${String(make)} ${JSON.stringify(said)}`).toMatchObject({
        kind: isOnce ? "unexpected_answer" : "forbidden",
        next: "none",
      });
    }
  });

  it("returns a key's picture with its bytes and its end", async ({ expect }) => {
    for (const [headers, expiresAt] of [
      [{ "X-Bind-Key-Expires-At": "E" }, "E"],
      [{}, null],
    ] as const) {
      const pos = new ScriptedPos();
      const making = pos.client.bindKeyImage();
      const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7]);
      await pos.answers(new Response("<html>", { headers }));
      await vi.advanceTimersByTimeAsync(250);
      const [call] = await pos.answers(new Response(png, { headers }));
      expect(call?.path).toBe("/api/bind-terminal-key?option=image");
      expect(await making).toEqual({ image: png, expiresAt });
    }
  });
});

/** The gateway's own error. */
function told(status: number) {
  return { message: "No.", code: status * 100 + 3, doc: "https://gateway.test/docs", traceId: "T" };
}

describe("a call that is refused", () => {
  const details = [{ path: "a", message: "Send b." }];

  it.for<[number, string, object | string, object]>([
    [400, "invalid_request", { ...told(400), details }, { ...told(400), details }],
    [403, "forbidden", told(403), told(403)],
    [404, "refused", told(404), told(404)],
    [
      404,
      "refused",
      { message: 7, code: 40_400, doc: 7, traceId: "T", details: "a" },
      { message: "The gateway at https://gateway.test answered 404.", code: 40_400, traceId: "T" },
    ],
    [
      400,
      "invalid_request",
      { ...told(400), details: [null, "a", { path: "a" }, { message: "b" }, ...details] },
      { ...told(400), details },
    ],
    [
      400,
      "invalid_request",
      { ...told(400), details: [{ path: "signature", message: "RFC 8785" }] },
      {
        ...told(400),
        details: [
          { path: "signingKey", message: "This is not the account's signing key. Pass the one last shown for it." },
        ],
      },
    ],
  ])("is refused with %i as %s at once, in the gateway's words", async ([status, kind, body, said], { expect }) => {
    const pos = new ScriptedPos();
    const failure = failureOf(pos.client.terminals());
    await pos.answers(refused(status, body));
    const { problem, next } = await failure;
    expect([problem, next]).toEqual([{ kind, status, ...said }, "none"]);
    expect(pos.paths).toEqual(["/auth/login", "/api/terminals"]);
  });

  it.for<[number, Record<string, string>, number]>([
    [500, {}, 250],
    [503, { "Retry-After": "3" }, 3_000],
    [429, { "Retry-After": "2" }, 2_000],
    [429, { "Retry-After": new Date(NOW + 5_000).toUTCString() }, 5_000],
    [429, { "Retry-After": new Date(NOW - 5_000).toUTCString() }, 250],
    [429, { "Retry-After": "soon" }, 250],
    [429, {}, 250],
  ])("is repeated after a wait with %i and %j", async ([status, headers, wait], { expect }) => {
    const pos = new ScriptedPos();
    const calling = pos.client.terminals();
    await pos.answers(refused(status, {}, headers));
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(pos.calls.waiting).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await pos.answers(Response.json({ data: [] }));
    expect(await calling).toEqual([]);
  });

  it.for([500, 599])("counts as unreachable after %i until its time is over", async (status, { expect }) => {
    const pos = new ScriptedPos();
    const failure = failureOf(pos.client.terminals({ within: 200 }));
    await pos.answers(refused(status));
    expect(await failure).toMatchObject({ kind: "unreachable", next: "none", problem: { status } });
  });

  it("is made once more after a 401, and then fails", async ({ expect }) => {
    const pos = new ScriptedPos();
    const failure = failureOf(pos.client.terminals());
    const calls = await pos.answers(refused(401), refused(401, { message: "No." }));
    expect(calls.map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer access-1", "Bearer access-2"]);
    expect(await failure).toMatchObject({ kind: "unauthorized", message: "No.", next: "none" });
    expect(pos.paths).toEqual(["/auth/login", "/api/terminals", "/auth/refresh", "/api/terminals"]);
  });
});

describe("a change", () => {
  /** How it is made, and whether an answer may be lost: it may be made twice, its 404 shows that it was made, or neither. */
  const CHANGES: [string, (client: PosClient) => Promise<unknown>, "again" | "gone" | "stop"][] = [
    ["prebind", (client) => client.prebind([]), "again"],
    ["unbind", (client) => client.unbind("T"), "gone"],
    ["addWebhook", (client) => client.addWebhook("https://a"), "stop"],
    ["changeWebhook", (client) => client.changeWebhook("W", {}), "again"],
    ["removeWebhook", (client) => client.removeWebhook("W"), "gone"],
    ["newWebhookSecret", (client) => client.newWebhookSecret("W"), "stop"],
    ["replayWebhook", (client) => client.replayWebhook("W", 0), "again"],
  ];
  const done = { ...DONE, id: "W", cursor: 0, secret: "S" };

  it.for(CHANGES)("is repeated after a lost answer only if harmless (%s)", async ([, make, lost], { expect }) => {
    for (const first of [null, refused(500)]) {
      const pos = new ScriptedPos();
      const making = make(pos.client).then(
        () => "done",
        (error: unknown) => (error instanceof PosError ? [error.kind, error.next] : error),
      );
      const [before] = await pos.answers(first);
      if (lost !== "stop") {
        await vi.advanceTimersByTimeAsync(250);
        const [again] = await pos.answers(lost === "gone" ? refused(404) : Response.json(done));
        expect(again?.body?.["nonce"]).not.toBe(before?.body?.["nonce"]);
      }
      expect(await making).toEqual(lost === "stop" ? ["unreachable", "none"] : "done");
    }
  });

  it.for(CHANGES)("is repeated if it was not taken, failing with 404 (%s)", async ([, make], { expect }) => {
    const pos = new ScriptedPos();
    const failure = failureOf(make(pos.client));
    await pos.answers(refused(429));
    await vi.advanceTimersByTimeAsync(250);
    await pos.answers(refused(404, { message: "No." }));
    expect(await failure).toMatchObject({ kind: "refused", message: "No.", next: "none" });
  });
});

describe("a sale that somebody on the way answers", () => {
  it.for<[string, Response]>([
    ["a proxy's 408 to a sale on its way", new Response("stream timeout", { status: 408 })],
    ["a firewall's 403", new Response("<html>Forbidden</html>", { status: 403 })],
    ["a proxy's 404 in JSON", refused(404, '{"message":"no Route matched with those values"}')],
    ["a 421", new Response("", { status: 421 })],
    ["a 499", refused(499, '{"code":499,"traceId":7}')],
    ["another gateway's 400 with a code of its own", refused(400, '{"code":1015,"traceId":"T"}')],
    ["another service's 401", refused(401, '{"error":"unauthorized"}')],
    ["another service's 429", new Response("slow down", { status: 429 })],
    ["a redirect", refused(302, "", { Location: "https://login.hotel.test/" })],
    ["a hotel's JSON", Response.json({ login: "required" })],
  ])("is sent again after %s", async ([, answer], { expect }) => {
    const pos = new ScriptedPos();
    const failure = failureOf(pos.client.sale(sale));
    const [first] = await pos.answers(answer);
    await vi.advanceTimersByTimeAsync(250);
    const [second] = await pos.answers(refused(400));
    expect(second?.body).toMatchObject({ referenceId: first?.body?.["referenceId"], transType: "sale" });
    await failure;
  });
});
