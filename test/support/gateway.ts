/** What tests do at the front door again and again: accounts, terminals, tokens, and calls with them. */
import { exports } from "cloudflare:workers";
import type { TokenPair } from "../../src/protocol/accounts.ts";
import { withSignature } from "../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../src/protocol/time/datetime.ts";
import { judge } from "./contract.ts";
import { noteSecrets } from "./secrets.ts";

export const BASE_URL = "https://gateway.test";
export const OPERATOR_TOKEN = "operator-token-of-the-test-run";

export interface CallOptions {
  token?: string;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The client's address; a new one for each call unless given, so that no test meets another one's rate limit. */
  address?: string;
  signal?: AbortSignal;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface ErrorBody {
  code: number;
  error: string;
  message: string;
  doc: string;
  traceId: string;
  details?: { path: string; message: string }[];
  serverTime?: number;
}

/** What does not depend on the message that the gateway has refused. */
export function withoutForm(body: ErrorBody | undefined): object {
  return { ...body, traceId: "", message: body?.message.replace(/a form of .+/u, "") };
}

export interface Account {
  posId: string;
  merchantId: string;
  password: string;
  currency: string;
  timezone: string;
  signingKey: string;
}

export interface EnrolledTerminal {
  terminalId: string;
  secret: string;
  isVT: 0 | 1;
}

export type { TokenPair as Tokens };

/** An identifier that no other test has: at most 20 characters where the prefix has at most seven. */
export function uniqueId(prefix: string): string {
  return `${prefix}-${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
}

export function uniqueAddress(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(3));
  return `10.${bytes.join(".")}`;
}

export function requestOf(base: string, method: string, path: string, options: CallOptions): Request {
  noteSecrets(options);
  const headers = new Headers({ "CF-Connecting-IP": options.address ?? uniqueAddress() });
  if (options.token !== undefined) headers.set("Authorization", `Bearer ${options.token}`);
  const init: RequestInit = { method, headers, ...(options.signal === undefined ? {} : { signal: options.signal }) };
  if (options.body !== undefined) {
    headers.set("Content-Type", "application/json");
    init.body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  return new Request(base + path, init);
}

/** One request through the front door, the response as it is. */
export function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  return exports.default.fetch(requestOf(BASE_URL, method, path, options));
}

/**
 * One request through the front door, the answer's JSON body read; `Body` is what the test expects it to be. Every answer must be
 * as the contract says.
 */
export async function call<Body = Record<string, unknown>>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<Body>> {
  const response = await send(method, path, options);
  const text = await response.text();
  const body = (text === "" ? {} : JSON.parse(text)) as Body;
  noteSecrets(body);
  const { status, headers } = response;
  judge({ method, path, status, headers, body: text === "" ? undefined : body, sent: options.body });
  return { status, headers, body };
}

/** One call of the operator `tester`. */
export function operator<Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  return call<Body>(method, path, { token: OPERATOR_TOKEN, body });
}

/** Asks again where the gateway is too busy to answer in time: how fast this machine is has nothing to do with the test. */
async function made<Body>(what: string, ask: () => Promise<Answer<Body>>, status: number): Promise<Body> {
  const { status: actual, body, headers } = await ask();
  if (actual === 429) {
    await scheduler.wait(Number(headers.get("Retry-After")) * 1_000);
    return made(what, ask, status);
  }
  if (actual !== status) throw new Error(`${what} failed: ${actual} ${JSON.stringify(body)}`);
  return body;
}

/**
 * A new account; what is not overridden is unique or plain. Its password is drawn by the gateway, so that no login has
 * to wait for its turn to be hashed.
 */
export async function createAccount(overrides: Partial<Omit<Account, "signingKey">> = {}): Promise<Account> {
  const account = {
    posId: uniqueId("pos"),
    merchantId: uniqueId("shop"),
    currency: "MYR",
    timezone: "Asia/Kuala_Lumpur",
    ...overrides,
  };
  const secrets = await made(
    "creating an account",
    () => operator<{ signingKey: string; password: string }>("POST", "/operator/accounts", account),
    201,
  );
  return { password: secrets.password, ...account, signingKey: secrets.signingKey };
}

/** A new account with a password that a person chose, and that no other account has. */
export function createAccountWithPassword(): Promise<Account> {
  return createAccount({ password: `password ${crypto.randomUUID()}` });
}

/** Makes a signed login at `now`, with `members` beside what it needs. */
export function signedLogin(
  account: { posId: string; signingKey: string },
  members: object = {},
  now: number = Date.now(),
): { signature: string } {
  const message = { posId: account.posId, datetime: formatDatetime(now), nonce: crypto.randomUUID(), ...members };
  return withSignature(message, account.signingKey);
}

export function login(account: { posId: string; password: string }): Promise<TokenPair> {
  const { posId, password } = account;
  return made("login", () => call<TokenPair>("POST", "/auth/login", { body: { posId, password } }), 200);
}

export async function accessToken(account: { posId: string; password: string }): Promise<string> {
  return (await login(account)).access.token;
}

/** Enrols a new terminal, bound to nobody. `merchantId` assigns it to a merchant. */
export async function enrolTerminal(
  overrides: { terminalId?: string; isVT?: 0 | 1; merchantId?: string; name?: string } = {},
): Promise<EnrolledTerminal> {
  const terminal = { terminalId: uniqueId("term"), isVT: 0 as 0 | 1, ...overrides };
  const { secret } = await made(
    "enrolling a terminal",
    () => operator<{ secret: string }>("POST", "/operator/terminals", terminal),
    201,
  );
  return { terminalId: terminal.terminalId, isVT: terminal.isVT, secret };
}

/** Makes a terminal's signed login message at `now`. */
export function loginMessage(
  { terminalId, secret }: { terminalId: string; secret: string },
  now: number = Date.now(),
): { signature: string } {
  return withSignature({ terminalId, datetime: formatDatetime(now), nonce: crypto.randomUUID() }, secret);
}

/** Makes a terminal's signed bind message at `now`. */
export function bindMessage(
  { secret }: { secret: string },
  key: string,
  now: number = Date.now(),
): { signature: string } {
  return withSignature({ key, datetime: formatDatetime(now) }, secret);
}

/** Logs a terminal in. Returns its token for bind and connect. */
export async function loginTerminal(terminal: Identity): Promise<string> {
  const ask = () => call<{ token: string }>("POST", "/terminal/login", { body: loginMessage(terminal) });
  return (await made("terminal login", ask, 200)).token;
}

/** A new bind key of the account that `token` is of. */
export async function bindKey(token: string): Promise<string> {
  return (await made("bind key", () => call<{ key: string }>("GET", "/api/bind-terminal-key", { token }), 200)).key;
}

type Identity = Pick<EnrolledTerminal, "terminalId" | "secret">;

/** Binds a terminal to an account, by a key, as both would do it. */
export async function bindTerminal(account: Account, terminal: Identity): Promise<void> {
  return bind(await accessToken(account), terminal);
}

/** The same for the account that `token` is of. */
export async function bind(token: string, terminal: Identity): Promise<void> {
  const body = bindMessage(terminal, await bindKey(token));
  const own = await loginTerminal(terminal);
  await made("bind", () => call("POST", "/terminal/bind", { token: own, body }), 200);
}

/** Makes a terminal that is bound to a new account. */
export async function boundPair(
  overrides: Parameters<typeof createAccount>[0] = {},
): Promise<{ account: Account; terminal: EnrolledTerminal }> {
  const [account, terminal] = await Promise.all([createAccount(overrides), enrolTerminal()]);
  await bindTerminal(account, terminal);
  return { account, terminal };
}

/** The account that a terminal is bound to, as the operator sees it; null: none. */
export async function boundTo(terminalId: string): Promise<unknown> {
  return (await operator("GET", `/operator/terminals/${terminalId}`)).body["posId"];
}

/** Opens a terminal's socket: the upgrade's answer, its `webSocket` not yet accepted. */
export async function connectTerminal(terminal: Identity): Promise<Response> {
  const token = await loginTerminal(terminal);
  return send("GET", "/terminal/connect", { token, headers: { Upgrade: "websocket" } });
}
