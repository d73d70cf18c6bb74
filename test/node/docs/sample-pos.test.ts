/** The sample POS programs behind a proxy that answers in the gateway's place, and in folders and consoles of every kind. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PosCounterpart } from "../../../src/sdk/conformance/pos/counterpart.ts";
import { referencesOf } from "../../../src/sdk/conformance/pos/judge.ts";
import { APPROVED, type Script } from "../../../src/sdk/conformance/pos/ledger.ts";
import { withSignature } from "../../../src/protocol/signing/signature.ts";
import type { JsonObject } from "../../../src/protocol/signing/json.ts";
import { ACCOUNT } from "../../support/sdk/conformance/account.ts";
import { eventually } from "../../support/patience.ts";
import { prepared, runnable, started, TILLS } from "../../support/tills.ts";

/** What stands between a POS and the gateway answers once, after it has forwarded the message. */
interface Foreign {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const JSON_TYPE = { "Content-Type": "application/json" };
const REFUSAL = { code: 40300, error: "forbidden", message: "No.", traceId: "3f0e7a52-9c1b-4a55-8f0a-0a4c0c8f4b1e" };

const FOREIGN: Record<string, Foreign> = {
  "a proxy's 408": { status: 408, body: "stream timeout" },
  "a firewall's 403 in HTML": { status: 403, body: "<html>Forbidden</html>" },
  "a 404 in foreign JSON": { status: 404, body: '{"code":"not_found","message":"no route"}', headers: JSON_TYPE },
  "a 421 with a number for its code only": { status: 421, body: '{"code":40300}', headers: JSON_TYPE },
  "a 499 with a trace only": { status: 499, body: '{"traceId":"1","code":"40300"}', headers: JSON_TYPE },
  "a 429 of a proxy": { status: 429, body: "{}", headers: { ...JSON_TYPE, "Retry-After": "100000" } },
  "a redirect that looks like a refusal": {
    status: 302,
    body: JSON.stringify(REFUSAL),
    headers: { ...JSON_TYPE, Location: "/elsewhere" },
  },
  "a login page with status 200": { status: 200, body: "<html>Welcome to the hotel</html>" },
  "foreign JSON with status 200": {
    status: 200,
    body: '{"price":1.5,"signature":"x","statusCode":"00"}',
    headers: JSON_TYPE,
  },
  "60,000 nested brackets": { status: 200, body: "[".repeat(60_000), headers: JSON_TYPE },
  "a list": { status: 403, body: '[["code",40300],["traceId","x"]]', headers: JSON_TYPE },
};

const PORTAL: Foreign = { status: 200, body: '{"welcome":"to the hotel"}', headers: JSON_TYPE };

/** Forwards everything to the gateway, and replaces the next answers to transfers and logins. */
class Proxy {
  readonly answers: Foreign[] = [];
  readonly logins: Foreign[] = [];
  readonly paths: string[] = [];
  /** Instead of any answer. */
  readonly pages: Record<string, Foreign> = {};
  /** Members of every result. */
  members: JsonObject = {};
  readonly #server = createServer((incoming, outgoing) => {
    this.#pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  readonly #gateway: string;

  constructor(gateway: string) {
    this.#gateway = gateway;
  }

  async open(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    this.paths.push(url);
    const body = await text(incoming);
    const login = url === "/auth/login" ? this.logins.shift() : undefined;
    const { authorization } = headers;
    const answer = await fetch(this.#gateway + url, {
      method,
      headers: { ...JSON_TYPE, ...(authorization === undefined ? {} : { authorization }) },
      ...(method === "POST" ? { body } : {}),
    });
    const own: Foreign = { status: answer.status, body: this.#worded(await answer.text()), headers: JSON_TYPE };
    const transfer = url === "/api/transfer" ? this.answers.shift() : undefined;
    const shown = this.pages[url] ?? login ?? transfer ?? own;
    outgoing.writeHead(shown.status, shown.headers).end(shown.body);
  }

  #worded(body: string): string {
    const answer = JSON.parse(body) as JsonObject;
    if (answer["statusCode"] === undefined) return body;
    return JSON.stringify(withSignature({ ...answer, ...this.members }, ACCOUNT.signingKey));
  }
}

const SILENT: Script = { replies: [{ kind: "silence" }], completed: APPROVED };

let kit: PosCounterpart;
let proxy: Proxy;
let url: string;

beforeEach(async () => {
  kit = new PosCounterpart({ url: new URL("http://127.0.0.1:0"), tls: null }, ACCOUNT);
  proxy = new Proxy(await kit.open());
  url = await proxy.open();
});

afterEach(async () => {
  await proxy.close();
  await kit.close();
});

function sales(): string[] {
  return referencesOf(kit.messages.items.filter(({ body }) => body["transType"] === "sale"));
}

describe.each(runnable(TILLS))("$name", (till) => {
  let folder: string;
  let command: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pos-"));
    command = await prepared(till, folder);
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  async function environment(name = "data"): Promise<Record<string, string>> {
    const { posId, merchantId, deviceId, signingKey } = ACCOUNT;
    const account = { POS_ID: posId, MERCHANT_ID: merchantId, DEVICE_ID: deviceId, SIGNING_KEY: signingKey };
    return { ...account, GATEWAY_URL: url, TILL_FOLDER: join(await mkdtemp(join(folder, "case-")), name) };
  }

  it.each(Object.entries(FOREIGN))("asks again after %s", async (_, foreign) => {
    proxy.answers.push(foreign);
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end(), run.output).toBe(0);
    expect(new Set(sales()).size).toBe(1);
    expect(kit.messages.items).toHaveLength(2);
    expect(proxy.paths).not.toContain("/elsewhere");
  });

  it("asks again after a login page with status 200", async () => {
    proxy.logins.push(PORTAL);
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end(), run.output).toBe(0);
  });

  it("takes only the gateway's own error for a refusal", async () => {
    proxy.answers.push({ status: 403, body: JSON.stringify(REFUSAL), headers: JSON_TYPE });
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end()).toBe(3);
    expect(run.stdout).toContain("refused, no money moved");
  });

  it("does not inquire about its own inquiry when the outcome is forgotten", async () => {
    const env = await environment();
    kit.ledger.follow(SILENT);
    const first = started([...command, "sale", "1.00"], env);
    await kit.messages.next({ within: 60_000 });
    await first.end("SIGKILL");
    proxy.answers.push({ status: 400, body: JSON.stringify({ ...REFUSAL, code: 40009 }), headers: JSON_TYPE });
    const recovery = started([...command, "recover"], env);
    expect(await recovery.end(), recovery.output).toBe(4);
    expect(recovery.stdout).toMatch(/^Do not charge again/u);
    expect(await readdir(join(env["TILL_FOLDER"] ?? "", "open"))).toEqual([`${sales()[0]}.json`]);
  });

  it("refuses a second process at once while the first one sells", async () => {
    const env = await environment();
    kit.ledger.follow(SILENT);
    const first = started([...command, "sale", "1.00"], env);
    await kit.messages.next({ within: 60_000 });
    for (const words of [["sale", "1.00"], ["void", "1000000001"], ["recover"], ["aside", sales()[0] ?? ""]]) {
      const second = started([...command, ...words], env);
      expect(await second.end(), second.output).toBe(6);
    }
    expect(sales()).toHaveLength(1);
    await first.end("SIGKILL");
    expect(await started([...command, "recover"], env).end()).toBe(0);
  });

  it("finds its open records in a folder whose name is a pattern", async () => {
    const env = await environment("till [backup] *");
    kit.ledger.follow(SILENT);
    const first = started([...command, "sale", "1.00"], env);
    await kit.messages.next({ within: 60_000 });
    await first.end("SIGKILL");
    expect(await started([...command, "sale", "2.00"], env).end()).toBe(0);
    expect(kit.messages.items.map(({ body }) => body["transType"])).toEqual(["sale", "inquiry", "sale"]);
    expect(await readdir(join(env["TILL_FOLDER"] ?? "", "open"))).toEqual([]);
  });

  it("warns first not to charge again when the outcome is unknown", async () => {
    kit.ledger.follow({
      replies: [{ kind: "pending", responseCode: "UNCONFIRMED" }],
      completed: APPROVED,
      repeatsLast: true,
    });
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end()).toBe(2);
    expect(run.stdout).toMatch(/^Do not charge again/u);
    const unknown = started([...command, "inquiry", "9"], await environment());
    expect(await unknown.end()).toBe(4);
    expect(unknown.stdout).toMatch(/^Do not charge again/u);
  });

  it("offers the cancel of the payment that is open at the terminal", async () => {
    kit.ledger.follow({ replies: [], completed: { statusCode: "11", responseCode: "TERMINAL_BUSY" } });
    proxy.members = { openReferenceId: "R-41" };
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end()).toBe(1);
    expect(run.stdout).toContain("open at the terminal. To cancel it: cancel R-41\n");
  });

  it("shows how many events are missing", async () => {
    const event = { id: "evt_P_13", number: 13, type: "day.closed", timestamp: "", data: {} };
    const page = { data: [event], next: 13, skipped: 12 };
    proxy.pages["/api/events?after=0"] = { status: 200, body: JSON.stringify(page), headers: JSON_TYPE };
    const run = started([...command, "events"], await environment());
    await run.says("12 events are missing");
    await eventually(() => expect(run.stdout).toBe("13 day.closed \n"));
    await run.end("SIGKILL");
  });
});
