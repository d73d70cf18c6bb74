/** What the POS conformance kit's proxy does to messages, and what it records of them. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, it } from "vitest";
import {
  alterAnswer,
  foreign,
  loseAnswer,
  passThrough,
  refuseWith,
  withHeader,
  type Script,
} from "../../../../src/sdk/conformance/pos/faults.ts";
import { FaultProxy } from "../../../../src/sdk/conformance/pos/proxy.ts";
import type { JsonObject } from "../../../../src/protocol/signing/json.ts";
import { verifySignature, withSignature } from "../../../../src/protocol/signing/signature.ts";

const ACCOUNT = { posId: "P", merchantId: "M", deviceId: "T", password: "a password", signingKey: "a signing key" };

let gateway: Server;
let proxy: FaultProxy;
let url: string;
/** What has reached the gateway. */
let forwarded: string[];

/** Approves everything, and issues tokens `a1`, `r1`, `a2` and so on. */
beforeEach(async () => {
  forwarded = [];
  let pairs = 0;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    forwarded.push(`${request.method ?? ""} ${request.url ?? ""} ${request.headers.authorization ?? ""}`.trimEnd());
    response.setHeader("Content-Type", "application/json");
    if (request.url?.startsWith("/auth/") === true) {
      pairs += 1;
      response.end(JSON.stringify({ access: { token: `a${pairs}` }, refresh: { token: `r${pairs}` } }));
    } else if (request.url?.startsWith("/api/refused") === true) {
      response.statusCode = 400;
      response.end(JSON.stringify({ code: 40000, message: "No.", details: [{ path: "a", message: "b" }] }));
    } else {
      const { referenceId = "", transType = "" } = body === "" ? {} : (JSON.parse(body) as JsonObject);
      const answer = { transType, referenceId, statusCode: "11", transData: { transId: "1000000001" } };
      response.end(JSON.stringify(withSignature(answer, ACCOUNT.signingKey)));
    }
  };
  gateway = createServer((request, response) => void receive(request, response));
  await once(gateway.listen(0, "127.0.0.1"), "listening");
  const to = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  proxy = new FaultProxy({ url: new URL("http://127.0.0.1:0"), tls: null }, to, ACCOUNT);
  url = await proxy.open();
});

afterEach(async () => {
  await proxy.close();
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
});

async function post(path: string, body: object = {}, token = "") {
  const headers = { "Content-Type": "application/json", ...(token === "" ? {} : { Authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), redirect: "manual" });
  const said = await response.text();
  return { status: response.status, headers: response.headers, said };
}

const sale = (referenceId: string) => ({ transType: "sale", referenceId });
const about = (transData: object) => ({ transType: "inquiry", referenceId: "Q", transData });
const withMore = (answer: JsonObject) => ({ ...answer, more: "<&>" });
const send = (message: object) => post("/api/transfer", message);

async function statusesOf(script: Script, ...messages: object[]): Promise<(number | "broken")[]> {
  proxy.follow(script);
  const statuses: (number | "broken")[] = [];
  for (const message of messages) {
    statuses.push(
      await send(message).then(
        ({ status }) => status,
        () => "broken" as const,
      ),
    );
  }
  return statuses;
}

describe("the proxy of the POS conformance kit", () => {
  it("passes everything on, and records it without its secrets", async ({ expect }) => {
    expect((await post("/auth/login", { password: "a password" })).said).toContain("a1");
    await post("/api/refused?token=a1", {}, "a1");
    await post(`/api/terminals?x=${encodeURIComponent("a password")}`, {}, "r1");
    await post("/api/terminals", {}, "other");
    expect(forwarded.slice(0, 2)).toEqual(["POST /auth/login", "POST /api/refused?token=a1 Bearer a1"]);
    const calls = proxy.calls.items.map(({ path, token, secretInUrl, status }) => [path, token, secretInUrl, status]);
    expect(calls).toEqual([
      ["/auth/login", "none", false, 200],
      ["/api/refused", "access", true, 400],
      ["/api/terminals", "refresh", true, 200],
      ["/api/terminals", "unknown", false, 200],
    ]);
    const details = [{ path: "a", message: "b" }];
    expect(proxy.calls.items[1]?.refusal).toEqual({ status: 400, code: "40000", message: "No.", details });
    expect(JSON.stringify(proxy.calls.items)).not.toMatch(/a1|r1|a password/u);
  });

  it("answers 502 if it does not reach the gateway", async ({ expect }) => {
    await new Promise((resolve) => gateway.close(resolve));
    expect((await send(sale("A"))).status).toBe(502);
  });

  it("makes the faults of a script in turn, for its transaction only", async ({ expect }) => {
    const script = { faults: [loseAnswer(), foreign(408, "text/plain", "x"), refuseWith(403, { message: "No." })] };
    const messages = ["A", "B", "A", "A", "A"].map(sale);
    expect(await statusesOf(script, ...messages)).toEqual(["broken", 200, 408, 403, 200]);
    // The refusal did not reach the gateway.
    expect(forwarded).toHaveLength(4);
    expect(proxy.messages.items.map(({ statusCode }) => statusCode)).toEqual(["11", "11", "11", "", "11"]);
  });

  it("repeats the last fault until the step ends", async ({ expect }) => {
    const script: Script = { faults: [passThrough(), refuseWith(500, { message: "x" })], repeatsLast: true };
    expect(await statusesOf(script, sale("A"), sale("A"), sale("A"))).toEqual([200, 500, 500]);
    proxy.endFaults();
    expect((await send(sale("A"))).status).toBe(200);
    expect(forwarded).toHaveLength(4);
  });

  it("relates an inquiry to its sale, and can exempt it from faults", async ({ expect }) => {
    const fault = { ...refuseWith(400, { code: 40009, message: "x" }), toQuestions: passThrough() };
    const questions = [about({ referenceId: "A" }), about({ transId: "1000000001" }), about({ referenceId: "B" })];
    const script: Script = { faults: [passThrough(), fault], repeatsLast: true };
    expect(await statusesOf(script, sale("A"), sale("A"), ...questions)).toEqual([200, 400, 200, 200, 200]);
    const cancelled = await post("/api/transfer/cancel", { referenceId: "A" });
    expect(cancelled.status).toBe(200);
    const noAnswer: Script = { faults: [passThrough(), foreign(502, "text/plain", "")], repeatsLast: true };
    expect(await statusesOf(noAnswer, sale("C"), about({ referenceId: "C" }))).toEqual([200, 502]);
  });

  it("changes an answer and signs it, with any key or none", async ({ expect }) => {
    const signed: unknown[] = [];
    for (const keyOf of [(key: string) => key, () => "other", () => null]) {
      proxy.follow({ faults: [alterAnswer(withMore, keyOf)] });
      const answer: JsonObject = JSON.parse((await send(sale(crypto.randomUUID()))).said);
      signed.push([answer["more"], "signature" in answer, verifySignature(answer, ACCOUNT.signingKey)]);
    }
    expect(signed).toEqual([
      ["<&>", true, true],
      ["<&>", true, false],
      ["<&>", false, false],
    ]);
    proxy.follow({ faults: [withHeader("X-More", "yes")] });
    expect((await send(sale("A"))).headers.get("X-More")).toBe("yes");
  });

  it("ends the access token, or the session, at the next transfer", async ({ expect }) => {
    const statuses: unknown[] = [];
    const call = async (path: string, token: string) => statuses.push((await post(path, {}, token)).status);
    await post("/auth/login");
    proxy.tokens.endInUse("access");
    await call("/api/terminals", "a1");
    await call("/api/transfer", "a1");
    await call("/auth/refresh", "r1");
    await call("/api/transfer", "a2");
    expect(statuses.splice(0)).toEqual([200, 401, 200, 200]);
    proxy.tokens.endInUse("session");
    // A POS may have a session from an earlier day, which the kit has not seen.
    for (const token of ["a0", "r0", "a2", "r2"]) await call("/api/transfer", token);
    expect(statuses.splice(0)).toEqual([401, 401, 401, 401]);
    await post("/auth/login");
    await call("/api/transfer", "a3");
    proxy.tokens.acceptAgain();
    await call("/api/transfer", "a0");
    expect(statuses).toEqual([200, 200]);
  });
});
