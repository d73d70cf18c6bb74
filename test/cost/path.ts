/**
 * `npm run path`: the files and functions of `src` that a warm sale runs through, and their calls, until nothing is left to do.
 * `--each` lists them. It runs on Node with objects, D1 and sockets in memory, because workerd's inspector cannot count calls
 * (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#method-startPreciseCoverage). POS and terminal share no
 * code with the gateway.
 */
import { type Profiler, Session } from "node:inspector/promises";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { signed } from "./signature.ts";
import { MASKED_RESULT } from "./card-result.ts";

/** Sales before the one that is counted. */
const WARM_UP = 3;

/** What a sale leaves to do is done after so many milliseconds. */
const AFTERWARDS = 300;

const VERSIONS = { softwareVersion: "1.0", terminalSn: "SN-0001" };

const ROOT = new URL("../../", import.meta.url);

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "cloudflare:workers"
      ? { url: new URL("test/workers-on-node/workers.ts", ROOT).href, shortCircuit: true }
      : next(specifier, context),
});
// The Worker's log lines are not what is asked for.
const { log } = console;
console.log = () => undefined;
const { call, createAccount, accessToken, enrolTerminal, bindTerminal, loginTerminal, send } =
  await import("../support/gateway.ts");

const [account, terminal] = [await createAccount(), await enrolTerminal()];
await bindTerminal(account, terminal);
const token = await accessToken(account);
const address = "192.0.2.1";
await connect(await loginTerminal(terminal));

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
for (let sale = 0; sale < WARM_UP; sale++) await sell();
// This resets the counts.
await session.post("Profiler.takePreciseCoverage");
await sell();
const { result } = await session.post("Profiler.takePreciseCoverage");
print(result.flatMap(callsOf));
process.exit();

async function connect(terminalToken: string): Promise<void> {
  const headers = { Upgrade: "websocket" };
  const { webSocket } = await send("GET", "/terminal/connect", { token: terminalToken, headers });
  if (webSocket === null) throw new Error("the terminal could not connect");
  const ready = Promise.withResolvers<void>();
  const say = (frame: object): void => webSocket.send(JSON.stringify(signed({ ...frame }, terminal.secret)));
  webSocket.addEventListener("message", ({ data }) => {
    const { type, nonce, requestId, attempt } = JSON.parse(String(data)) as Record<string, string>;
    if (type === "welcome") say({ type: "hello", nonce, ...VERSIONS, memory: "memory", open: [] });
    if (type === "ready") ready.resolve();
    if (type !== "request") return;
    webSocket.send(JSON.stringify({ type: "accepted", requestId, attempt }));
    say({ type: "result", requestId, statusCode: "00", responseCode: "00", ...VERSIONS, ...MASKED_RESULT });
  });
  webSocket.accept();
  await ready.promise;
}

async function sell(): Promise<void> {
  const { posId, merchantId, signingKey } = account;
  const sale = {
    transType: "sale",
    posId,
    merchantId,
    deviceId: terminal.terminalId,
    referenceId: crypto.randomUUID().slice(0, 20),
    transData: { transAmt: "12.50", paymentMethod: "bankCard" },
    apiVersion: "v1",
    datetime: new Date().toISOString().replaceAll(/[-:T]|\..*/gu, ""),
  };
  const body = signed(sale, signingKey);
  const { body: answer } = await call("POST", "/api/transfer", { token, address, body });
  if (answer["statusCode"] !== "00") throw new Error(`the sale was not approved: ${JSON.stringify(answer)}`);
  await delay(AFTERWARDS);
}

function callsOf({ url, functions }: Profiler.ScriptCoverage): { path: string; name: string; count: number }[] {
  const path = url.startsWith(ROOT.href) ? relative(ROOT.pathname, new URL(url).pathname) : "";
  if (!path.startsWith("src/")) return [];
  const source = readFileSync(path, "utf8");
  return functions.flatMap(({ functionName, ranges: [range] }) => {
    if (range === undefined || range.count === 0) return [];
    const line = source.slice(0, range.startOffset).split("\n").length;
    return [{ path, name: `${functionName} (line ${line})`, count: range.count }];
  });
}

function print(called: { path: string; name: string; count: number }[]): void {
  if (process.argv.includes("--each")) for (const { path, name, count } of called) log(`${count}\t${path}\t${name}`);
  const files = new Set(called.map(({ path }) => path));
  const calls = called.reduce((sum, { count }) => sum + count, 0);
  log(`A warm sale runs through ${files.size} files and ${called.length} functions: ${calls} calls.`);
}
