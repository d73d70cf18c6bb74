import type { Fetch } from "../../sdk/client/pos.ts";
import { platformFetch } from "../../sdk/client/deadline.ts";
import { readServerEvents } from "../../sdk/client/pos/server-events.ts";
import { hasValidSignature } from "../../sdk/client/signature.ts";
import { signedForm } from "../../protocol/signing/canonical.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export interface SignedExchange {
  method: "POST";
  path: string;
  sentAt: EpochMs;
  /** The text byte for byte. */
  text: string;
  body: JsonObject;
  /** What the signature covers. */
  signedText: string;
  prefer: string | null;
  /** Null until the answer arrives; "broken" if the connection ended without one. */
  answer: MessageAnswer | "broken" | null;
}

export interface MessageAnswer {
  at: EpochMs;
  status: number;
  text: string;
  /** Null if the body is not a JSON object. */
  body: JsonObject | null;
  traceId: string | null;
  /** The gateway returned a stored answer and processed nothing again. */
  replayed: boolean;
  /** It is checked with the account's signing key. Errors are not signed. */
  signature: "right" | "wrong" | "none";
}

/** Called when a message is sent, and again with the same `sentAt` and `text` when its answer arrives. */
type OnMessage = (message: SignedExchange) => void;

const TRANSFERS = new Set(["/api/transfer", "/api/transfer/cancel"]);

/**
 * A `fetch` that reports every transfer's messages.
 *
 * @param losesAnswer whether the answer to this message does not reach the POS, although the gateway sends it
 */
export function recordingFetch(
  signingKey: string,
  onMessage: OnMessage,
  losesAnswer: (message: JsonObject) => boolean,
): Fetch {
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (!TRANSFERS.has(pathname)) return platformFetch(request);
    const text = await request.clone().text();
    const body = parsedObject(text) ?? {};
    const message: SignedExchange = {
      method: "POST",
      path: pathname,
      sentAt: Date.now(),
      text,
      body,
      signedText: signedForm(body),
      prefer: request.headers.get("Prefer"),
      answer: null,
    };
    onMessage(message);
    const record = async (response: Response): Promise<void> => {
      const answer = await readAnswer(response, signingKey).catch(() => null);
      onMessage({ ...message, answer: answer ?? "broken" });
    };
    try {
      const response = await platformFetch(request);
      if (losesAnswer(body)) {
        await response.text();
        throw new TypeError("The scenario lost this answer.");
      }
      const recorded = record(response.clone());
      // The client reads a stream while it arrives.
      if (!isStream(response)) await recorded;
      return response;
    } catch (error) {
      onMessage({ ...message, answer: "broken" });
      throw error;
    }
  };
}

function isStream({ headers }: Response): boolean {
  return headers.get("Content-Type") === "text/event-stream";
}

/** Returns null for a stream that ended without its result. */
async function readAnswer(response: Response, signingKey: string): Promise<MessageAnswer | null> {
  const text = isStream(response) ? await readServerEvents(response, "result", () => undefined) : await response.text();
  if (text === null) return null;
  const at = Date.now();
  const body = parsedObject(text);
  const isClaimed = body !== null && typeof body["signature"] === "string";
  return {
    at,
    status: response.status,
    text,
    body,
    traceId: response.headers.get("X-Request-Id"),
    replayed: response.headers.get("Idempotent-Replayed") === "true",
    signature: !isClaimed ? "none" : (await hasValidSignature(body, signingKey)) ? "right" : "wrong",
  };
}

function parsedObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
