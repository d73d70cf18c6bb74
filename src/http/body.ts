/** Reads a request's body: bounded, as UTF-8, parsed once. */
import type * as z from "zod";
import { BODY_BYTES } from "../limits.ts";
import { decodeUtf8, type JsonObject, parseJson } from "../signing/json.ts";
import { sensitiveMembers } from "../terminal/sensitive-data.ts";
import type { RequestContext } from "./context.ts";
import type { Problem } from "../signing/problem.ts";
import type { Refusal } from "./errors.ts";
import { problemsOf } from "../validation/problems.ts";

export type JsonObjectResult = { ok: true; value: JsonObject } | { ok: false; refusal: Refusal };

/** JSON is UTF-8 (RFC 8259, section 8.1): a charset may be named, but no other. Further parameters mean nothing. */
const JSON_TYPE = /^application\/json\s*(?:;(?!\s*charset\s*=(?!\s*"?utf-8"?\s*(?:;|$))).*)?$/i;

/**
 * The JSON object that the request carries. Refused with 400: no body, more than 16 KiB, another content type, bytes
 * that are not UTF-8, what is not JSON as this service takes it, JSON that is not an object, and one that carries track
 * data, a PIN or a card verification code anywhere (I6): also where the member is unknown and would be ignored, since
 * who sends it once sends it always, and has to learn of it.
 */
export async function readJsonObject(c: RequestContext): Promise<JsonObjectResult> {
  const body = await readOptionalJsonObject(c);
  return body.ok && body.value === null ? wrong("Send a JSON object.") : (body as JsonObjectResult);
}

/** Like `readJsonObject`, for calls that need no body: null where there is none, whatever its content type says. */
export async function readOptionalJsonObject(
  c: RequestContext,
): Promise<{ ok: true; value: JsonObject | null } | { ok: false; refusal: Refusal }> {
  const bytes = await readBounded(c.req.raw);
  if (bytes === "too-big") return wrong(`Send at most ${BODY_BYTES} bytes.`);
  if (bytes === "broken") return wrong("The body ended early; send the request again.");
  if (bytes.length === 0) return { ok: true, value: null };
  if (!JSON_TYPE.test(c.req.header("Content-Type") ?? "")) return wrong("Send Content-Type: application/json.");
  const text = decodeUtf8(bytes);
  if (text === null) return wrong("Encode the body in UTF-8.");
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, refusal: { kind: "invalid_request", problems: parsed.problems } };
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrong("Send a JSON object.");
  const sensitive = sensitiveMembers(value);
  if (sensitive.length > 0) return { ok: false, refusal: { kind: "invalid_request", problems: sensitive } };
  return { ok: true, value };
}

/** Reads the body and holds it against `schema`. */
export async function readBody<Output>(
  c: RequestContext,
  schema: z.ZodType<Output>,
): Promise<{ ok: true; value: Output; message: JsonObject } | { ok: false; refusal: Refusal }> {
  const body = await readJsonObject(c);
  if (!body.ok) return body;
  const parsed = schema.safeParse(body.value);
  if (!parsed.success) return { ok: false, refusal: invalid(problemsOf(parsed.error)) };
  return { ok: true, value: parsed.data, message: body.value };
}

/** A 400 with these problems. */
export function invalid(problems: Problem[], message?: string): Refusal {
  return message === undefined ? { kind: "invalid_request", problems } : { kind: "invalid_request", problems, message };
}

function wrong(message: string): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: invalid([{ path: "", message }]) };
}

/**
 * A body whose length is announced is read in one piece: HTTP ends it there (RFC 9112, section 6.3). What announces
 * nothing, or too much, is counted while it arrives, and no longer read from the first byte too many.
 */
async function readBounded(request: Request): Promise<Uint8Array | "too-big" | "broken"> {
  if (request.body === null) return new Uint8Array(0);
  const announced = request.headers.get("Content-Length");
  const fits = announced !== null && /^[0-9]+$/.test(announced) && Number(announced) <= BODY_BYTES;
  if (!fits) return readCounting(request.body);
  try {
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.length > BODY_BYTES ? "too-big" : bytes;
  } catch {
    return "broken";
  }
}

async function readCounting(stream: ReadableStream<Uint8Array>): Promise<Uint8Array | "too-big" | "broken"> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > BODY_BYTES) {
        await reader.cancel();
        return "too-big";
      }
      chunks.push(value);
    }
  } catch {
    return "broken";
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
