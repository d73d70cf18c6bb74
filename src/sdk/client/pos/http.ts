import { exchangeInTime } from "../deadline.ts";
import { isOwnRefusal } from "../own-refusal.ts";
import type { Problem } from "../../../protocol/problem.ts";
import { TRANSFER_STAGES, type StageMessage } from "../../../protocol/stages.ts";
import type { PosProblem } from "./error.ts";
import type { Setup } from "./options.ts";
import { readServerEvents } from "./server-events.ts";
import { MINUTE, type Milliseconds } from "../../../protocol/time/units.ts";

/** One HTTP exchange may take so long: the life of a request, the queue, and a margin. */
export const POS_HTTP_WITHIN = 2 * MINUTE;

export interface HttpCall {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path with its leading slash, and the query. */
  path: string;
  token?: string;
  body?: object;
  prefer?: string;
  /**
   * Asks for a stream, and gets the stages of a transfer as they arrive. A gateway without streams answers as usual.
   */
  onStage?: ((stage: StageMessage) => void) | undefined;
  /** Whether a body with status 2xx is the gateway's. Without it: any JSON object. Anything else is a lost answer. */
  isAnswer?: ((body: Uint8Array<ArrayBuffer>) => boolean) | undefined;
  /** The connection counts as dead after it. */
  within?: Milliseconds;
  signal?: AbortSignal | undefined;
}

/** Leaves out undefined members. */
export function withQuery(path: string, members: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export type HttpOutcome =
  | { kind: "answer"; headers: Headers; body: Uint8Array<ArrayBuffer> }
  /** The gateway's own 4xx. Repeating the same message does not help. */
  | { kind: "refused"; problem: PosProblem }
  /**
   * If `taken`, the gateway may have accepted the message. `retryAfter` is the wait that the gateway asked for, and
   * `cause` the platform's error.
   */
  | { kind: "unavailable"; problem: PosProblem; taken: boolean; retryAfter: Milliseconds; cause?: unknown };

/**
 * Never throws, and never follows a redirect, which would send the token elsewhere. Only the gateway's own refusals are
 * refusals (`isOwnRefusal`); every other answer without the form of the gateway's is a lost answer, whatever its status.
 */
export async function exchange(
  { address, fetch }: Pick<Setup, "address" | "fetch">,
  call: HttpCall,
): Promise<HttpOutcome> {
  try {
    const { response, body } = await exchangeInTime(
      fetch,
      { within: call.within ?? POS_HTTP_WITHIN, signal: call.signal },
      (signal) =>
        new Request(address + call.path, {
          method: call.method,
          headers: makeHeaders(call),
          redirect: "manual",
          signal,
          ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        }),
      async (answered) => ({ response: answered, body: await readBody(answered, call.onStage) }),
    );
    const { isAnswer = isJsonObject } = call;
    if (!response.ok) return readRefusal(address, response, body);
    return isAnswer(body) ? { kind: "answer", headers: response.headers, body } : lostAnswer(address, response);
  } catch (cause) {
    const problem: PosProblem = call.signal?.aborted
      ? { kind: "aborted", message: "Stopped by the caller." }
      : { kind: "unreachable", message: `The gateway at ${address} could not be reached, or the connection broke.` };
    return { kind: "unavailable", problem, taken: true, retryAfter: 0, cause };
  }
}

/** Returns the body, or the result of a stream of stages. Throws if a stream breaks before its result. */
async function readBody(response: Response, onStage: HttpCall["onStage"]): Promise<Uint8Array<ArrayBuffer>> {
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
  if (!isStream) return new Uint8Array(await response.arrayBuffer());
  const result = await readServerEvents(response, "result", ({ event, data }) => {
    const stage = event === "stage" ? readStage(data) : null;
    if (stage !== null) onStage?.(stage);
  });
  if (result === null) throw new Error("the stream ended without a result");
  return new Uint8Array(new TextEncoder().encode(result));
}

/** Null if the stage is invalid or unknown to this client. */
function readStage(text: string): StageMessage | null {
  try {
    const { stage, at } = JSON.parse(text) as Partial<StageMessage>;
    const isKnown = stage !== undefined && TRANSFER_STAGES.includes(stage);
    return isKnown && typeof at === "string" ? { stage, at } : null;
  } catch {
    return null;
  }
}

function makeHeaders({ token, body, prefer, onStage }: HttpCall): Headers {
  const headers = new Headers();
  if (onStage !== undefined) headers.set("Accept", "text/event-stream, application/json;q=0.9");
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (prefer !== undefined) headers.set("Prefer", prefer);
  return headers;
}

/** An answer that is not the gateway's: a proxy's error, the login page of a hotel's network. It proves nothing. */
export function lostAnswer(
  address: string,
  { status, headers }: Pick<Response, "status" | "headers">,
): HttpOutcome & { kind: "unavailable" } {
  return { kind: "unavailable", problem: unexpectedAnswer(address, status, headers), taken: true, retryAfter: 0 };
}

function unexpectedAnswer(address: string, status: number, headers: Headers): PosProblem {
  const kind = "unexpected_answer";
  const type = headers.get("Content-Type") ?? "of no type";
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && /^(?:application\/json|text\/event-stream)/.test(type)) {
    return { kind, message: `The answer from ${address} does not match the interface.` };
  }
  const answer = isSuccess ? type : `${type}, with status ${status}`;
  const fix = "Check baseUrl, and whether the network wants you to log in.";
  return { kind, status, message: `What answered at ${address} is not the gateway: the answer is ${answer}. ${fix}` };
}

const KINDS: Partial<Record<number, PosProblem["kind"]>> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  429: "rate_limited",
};

function readRefusal(address: string, response: Response, body: Uint8Array<ArrayBuffer>): HttpOutcome {
  const { status } = response;
  const described = describedProblem(body);
  const isOwn = isOwnRefusal(status, described);
  const retryAfter = secondsToWait(response.headers.get("Retry-After")) * 1_000;
  if (status < 500 && !isOwn) {
    return { ...lostAnswer(address, response), retryAfter: status === 429 ? retryAfter : 0 };
  }
  const kind = status >= 500 ? "unreachable" : (KINDS[status] ?? "refused");
  const said = isOwn ? described : {};
  const problem: PosProblem = { kind, status, message: `The gateway at ${address} answered ${status}.`, ...said };
  if (status < 500 && status !== 429) return { kind: "refused", problem };
  return { kind: "unavailable", problem, taken: status >= 500, retryAfter };
}

function isJsonObject(body: Uint8Array<ArrayBuffer>): boolean {
  return parseMembers(body) !== null;
}

/** Null for a body that is not a JSON object. */
export function parseMembers(body: Uint8Array<ArrayBuffer>): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function describedProblem(body: Uint8Array<ArrayBuffer>): Partial<PosProblem> {
  const { message, code, doc, traceId, details } = parseMembers(body) ?? {};
  const said: Partial<PosProblem> = {};
  if (typeof message === "string") said.message = message;
  if (typeof code === "number") said.code = code;
  if (typeof doc === "string") said.doc = doc;
  if (typeof traceId === "string") said.traceId = traceId;
  if (Array.isArray(details)) said.details = details.filter(isDetail).map(inOptions);
  return said;
}

/** The client signs, so a wrong signature is a wrong key. */
function inOptions(detail: Problem): Problem {
  if (detail.path !== "signature") return detail;
  return { path: "signingKey", message: "This is not the account's signing key. Pass the one last shown for it." };
}

function isDetail(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "path" in value && "message" in value;
}

/** `Retry-After` in seconds (RFC 9110 also knows a date). */
function secondsToWait(value: string | null): number {
  if (value === null) return 0;
  if (/^\d+$/.test(value)) return Number(value);
  const [until, now] = [Date.parse(value), Date.now()];
  return Number.isNaN(until) ? 0 : Math.max(0, (until - now) / 1_000);
}
