import { request } from "node:http";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { ConsoleLink } from "../../../src/tools/development/console-link.ts";
import { CommandError } from "../../../src/sdk/command-line/operator-client.ts";

const CREDENTIALS = {
  posId: "POS-1",
  merchantId: "M-1",
  password: "password-1",
  signingKey: "key-1",
  terminalId: "T-1",
  terminalSecret: "secret-1",
};
const BROWSER = "0b6d1c1e-55a1-4e9b-9a43-0c2b1d5a7f10";
const PATH = `/demo/${BROWSER}`;
const ORIGIN = "http://127.0.0.1:8787";

let link: ConsoleLink;
let port: number;
let code: string;

beforeEach(async () => {
  link = await ConsoleLink.open(8787);
  const [, named = "", secret = ""] = /#demo=(\d+)\.([\w-]+)$/u.exec(link.address) ?? [];
  [port, code] = [Number(named), secret];
});

afterEach(async () => {
  await link.close();
});

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  text: string;
}

/** As a browser asks; `headers` differ from what the console's page would send. */
function ask(headers: Record<string, string | undefined> = {}, method = "POST", path = PATH): Promise<Answer> {
  const usual = { Origin: ORIGIN, Host: `127.0.0.1:${port}`, Authorization: `Bearer ${code}` };
  const sent = Object.fromEntries(Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const call = request(
      { host: "127.0.0.1", port, path, method, headers: sent as Record<string, string> },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
      },
    );
    call.on("error", reject).end();
  });
}

describe("the link to the console", () => {
  it("is the gateway's page, with port and code in the fragment", ({ expect }) => {
    expect(link.address).toBe(`${ORIGIN}/console#demo=${port}.${code}`);
    expect(link.origin).toBe(`http://127.0.0.1:${port}`);
    expect(code).toMatch(/^[\w-]{32}$/u);
  });

  it("has nothing to give before the demo exists", async ({ expect }) => {
    expect(await ask()).toMatchObject({ status: 404, text: "" });
  });

  it("gives credentials to the page with the code, and never to caches", async ({ expect }) => {
    link.offer(async () => CREDENTIALS);
    for (const Origin of [ORIGIN, "http://localhost:8787"]) {
      const { status, headers, text } = await ask({ Origin });
      expect([status, JSON.parse(text)]).toEqual([200, CREDENTIALS]);
      expect(headers).toMatchObject({
        "access-control-allow-origin": Origin,
        "cache-control": "no-store",
        vary: "Origin",
      });
    }
  });

  it("gives each browser its own credentials", async ({ expect }) => {
    link.offer(async (browser) => ({ ...CREDENTIALS, terminalId: `T-${browser}` }));
    const other = "ffffffff-55a1-4e9b-9a43-0c2b1d5a7f10";
    const [first, second] = await Promise.all([ask(), ask({}, "POST", `/demo/${other}`)]);
    expect(JSON.parse(first.text)).toMatchObject({ terminalId: `T-${BROWSER}` });
    expect(JSON.parse(second.text)).toMatchObject({ terminalId: `T-${other}` });
  });

  it("prints why there is nothing to give, without informing the page", async ({ expect, onTestFinished }) => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    link.offer(() => Promise.reject(new CommandError("Could not enrol.")));
    expect(await ask()).toMatchObject({ status: 500, text: "" });
    expect(said.mock.calls).toEqual([["Could not enrol."]]);
  });

  it("lets the page's browser ask first", async ({ expect }) => {
    link.offer(async () => CREDENTIALS);
    const { status, headers, text } = await ask({ Authorization: undefined }, "OPTIONS");
    expect([status, text, headers["access-control-allow-headers"]]).toEqual([204, "", "Authorization"]);
  });

  it.for<[string, Record<string, string | undefined>, string?, string?]>([
    ["without a code", { Authorization: undefined }],
    ["with another code", { Authorization: `Bearer ${"x".repeat(32)}` }],
    ["with a shorter code", { Authorization: "Bearer x" }],
    ["from another page of this machine", { Origin: "http://127.0.0.1:9999" }],
    ["from a page of the internet", { Origin: "https://example.com" }],
    ["from no page at all", { Origin: undefined }],
    ["under a name that somebody points here", { Host: "rebound.example.com" }],
    ["with another method", {}, "GET"],
    ["at another path", {}, "POST", "/"],
    ["without a browser", {}, "POST", "/demo"],
    ["for a browser whose id has another form", {}, "POST", "/demo/..%2f..%2fetc"],
  ])("has nothing to give %s", async ([, headers, method, path], { expect }) => {
    link.offer(async () => CREDENTIALS);
    expect(await ask(headers, method, path)).toMatchObject({ status: 404, text: "" });
  });

  it("has a different code each time", async ({ expect }) => {
    const other = await ConsoleLink.open(8787);
    expect(other.address).not.toContain(code);
    await other.close();
  });
});
