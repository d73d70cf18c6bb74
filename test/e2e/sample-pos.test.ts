/** The sample POS programs behind a proxy that answers in the gateway's place, and in folders and consoles of every kind. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Received } from "../../src/sdk/conformance/listen.ts";
import {
  alterAnswer,
  APPROVES,
  DECLINES,
  foreign,
  loseAnswer,
  refuseWith,
  type Script,
} from "../../src/sdk/conformance/pos/faults.ts";
import { listReferences } from "../../src/sdk/conformance/pos/judge.ts";
import { FaultProxy } from "../../src/sdk/conformance/pos/proxy.ts";
import { SimulatedTerminal } from "../../src/sdk/simulator/simulated-terminal.ts";
import { eventually } from "../support/patience.ts";
import { ADDRESS, kitShop, type KitShop, UNCONFIRMED } from "../support/pos-kit.ts";
import { prepared, runnable, started, SAMPLES } from "../support/samples.ts";

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
  "a 404 whose code does not begin with the status": {
    status: 404,
    body: '{"code":40300,"traceId":"4bf92f35"}',
    headers: JSON_TYPE,
  },
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

/** Also replaces answers to other calls, and the texts of results. */
class TestProxy extends FaultProxy {
  /** In the order of the logins. */
  readonly logins: Foreign[] = [];
  /** By path. */
  readonly pages: Record<string, Foreign> = {};

  protected override async receive(received: Received): Promise<void> {
    const page = this.pages[received.path] ?? (received.path === "/auth/login" ? this.logins.shift() : undefined);
    if (page === undefined) await super.receive(received);
    else received.response.writeHead(page.status, page.headers).end(page.body);
  }
}

/** The first message about the next sale gets this answer; the gateway has processed it. */
function answeredBy({ status, body, headers }: Foreign): Script {
  return { faults: [foreign(status, "text/html", body, headers)] };
}

const SILENT: Script = { faults: [loseAnswer("silence")] };

let shop: KitShop;
let terminal: SimulatedTerminal;
let proxy: TestProxy;
let url: string;

beforeAll(async () => {
  shop = await kitShop();
  const { gateway: baseUrl, account, terminalSecret: secret } = shop;
  terminal = new SimulatedTerminal({
    baseUrl,
    terminalId: account.deviceId,
    secret,
    behaviourOf: ({ referenceId }) => proxy.scriptFor(referenceId)?.customer ?? APPROVES,
  });
  await terminal.start();
});

afterAll(() => terminal.stop());

beforeEach(async () => {
  proxy = new TestProxy(ADDRESS, shop.gateway, shop.account);
  url = await proxy.open();
});

afterEach(() => proxy.close());

function sales(): string[] {
  return listReferences(proxy.messages.items.filter(({ body }) => body["transType"] === "sale"));
}

describe.each(runnable(SAMPLES))("$name", (sample) => {
  let folder: string;
  let command: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pos-"));
    command = await prepared(sample);
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  async function environment(name = "data"): Promise<Record<string, string>> {
    const { posId, merchantId, deviceId, signingKey } = shop.account;
    const account = { POS_ID: posId, MERCHANT_ID: merchantId, DEVICE_ID: deviceId, SIGNING_KEY: signingKey };
    return { ...account, GATEWAY_URL: url, POS_FOLDER: join(await mkdtemp(join(folder, "case-")), name) };
  }

  it.each(Object.entries(FOREIGN))("asks again after %s", async (_, somebody) => {
    proxy.follow(answeredBy(somebody));
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end(), run.output).toBe(0);
    expect(new Set(sales()).size).toBe(1);
    expect(proxy.messages.items).toHaveLength(2);
    expect(proxy.calls.items.map(({ path }) => path)).not.toContain("/elsewhere");
  });

  it("asks again after a login page with status 200", async () => {
    proxy.logins.push(PORTAL);
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end(), run.output).toBe(0);
  });

  it("takes only the gateway's own error for a refusal", async () => {
    proxy.follow(answeredBy({ status: 403, body: JSON.stringify(REFUSAL), headers: JSON_TYPE }));
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end()).toBe(3);
    expect(run.stdout).toContain("refused, no money moved");
  });

  it("does not inquire about its own inquiry when the outcome is forgotten", async () => {
    const env = await environment();
    proxy.follow({ faults: [loseAnswer("silence"), refuseWith(400, { code: 40009, message: "Used." })] });
    const first = started([...command, "sale", "1.00"], env);
    await proxy.messages.next({ within: 60_000 });
    await first.end("SIGKILL");
    const recovery = started([...command, "recover"], env);
    expect(await recovery.end(), recovery.output).toBe(4);
    expect(recovery.stdout).toMatch(/^Do not charge again/u);
    expect(await readdir(join(env["POS_FOLDER"] ?? "", "open"))).toEqual([`${sales()[0]}.json`]);
  });

  it("refuses a second process at once while the first one sells", async () => {
    const env = await environment();
    proxy.follow(SILENT);
    const first = started([...command, "sale", "1.00"], env);
    await proxy.messages.next({ within: 60_000 });
    for (const words of [["sale", "1.00"], ["void", "1000000001"], ["recover"], ["aside", sales()[0] ?? ""]]) {
      const second = started([...command, ...words], env);
      expect(await second.end(), second.output).toBe(6);
    }
    expect(sales()).toHaveLength(1);
    await first.end("SIGKILL");
    expect(await started([...command, "recover"], env).end()).toBe(0);
  });

  it("takes no approval of another amount for its own", async () => {
    const env = await environment();
    proxy.follow(SILENT);
    const first = started([...command, "sale", "1.00"], env);
    await proxy.messages.next({ within: 60_000 });
    await first.end("SIGKILL");
    const folderOfOpen = join(env["POS_FOLDER"] ?? "", "open");
    const record = join(folderOfOpen, `${sales()[0]}.json`);
    await writeFile(record, (await readFile(record, "utf8")).replace("1.00", "9.00"));
    const recovery = started([...command, "recover"], env);
    expect(await recovery.end(), recovery.output).toBe(1);
    expect(recovery.stdout).toContain("This one was never started.");
    expect(await readdir(folderOfOpen)).toEqual([]);
  });

  it("finds its open records in a folder whose name is a pattern", async () => {
    const env = await environment("sample [backup] *");
    proxy.follow(SILENT);
    const first = started([...command, "sale", "1.00"], env);
    await proxy.messages.next({ within: 60_000 });
    await first.end("SIGKILL");
    expect(await started([...command, "sale", "2.00"], env).end()).toBe(0);
    expect(proxy.messages.items.map(({ body }) => body["transType"])).toEqual(["sale", "inquiry", "sale"]);
    expect(await readdir(join(env["POS_FOLDER"] ?? "", "open"))).toEqual([]);
  });

  it("warns first not to charge again when the outcome is unknown", async () => {
    proxy.follow({ faults: [UNCONFIRMED], repeatsLast: true });
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end()).toBe(2);
    expect(run.stdout).toMatch(/^Do not charge again/u);
    const unknown = started([...command, "inquiry", "9"], await environment());
    expect(await unknown.end()).toBe(4);
    expect(unknown.stdout).toMatch(/^Do not charge again/u);
  });

  it("offers the cancel of the payment that is open at the terminal", async () => {
    const busy = { statusCode: "11", responseCode: "TERMINAL_BUSY", openReferenceId: "R-41" };
    proxy.follow({ faults: [alterAnswer((answer) => ({ ...answer, ...busy }))], customer: DECLINES });
    const run = started([...command, "sale", "1.00"], await environment());
    expect(await run.end()).toBe(1);
    expect(run.stdout).toContain("open at the terminal. To cancel it: cancel R-41\n");
  });

  it("shows how many events are missing", async () => {
    const event = { id: "evt_P_13", number: 13, type: "day.closed", timestamp: "", data: {} };
    const page = { data: [event], next: 13, skipped: 12 };
    proxy.pages["/api/events"] = { status: 200, body: JSON.stringify(page), headers: JSON_TYPE };
    const run = started([...command, "events"], await environment());
    await run.says("12 events are missing");
    await eventually(() => expect(run.stdout).toBe("13 day.closed \n"));
    await run.end("SIGKILL");
  });
});
