/** The only parser of request bodies: bounded, UTF-8, strict JSON, no card data. */
import { sensitiveMembers } from "../../../protocol/card-data/sensitive-data.ts";
import { BODY_BYTES } from "../../../protocol/limits.ts";
import { err, ok, type Result } from "../../../protocol/result.ts";
import {
  decodeUtf8,
  isJsonObject,
  type JsonNumbers,
  type JsonObject,
  type JsonResult,
  parseJson,
} from "../../../protocol/signing/json.ts";
import type { RequestContext } from "../middleware/context.ts";
import { invalid, type Refusal } from "../middleware/errors.ts";

/**
 * JSON is UTF-8 (RFC 8259, section 8.1): no other charset is accepted. `utf8` is its other label
 * (https://encoding.spec.whatwg.org/#names-and-labels). Other parameters are ignored.
 */
const JSON_TYPE = /^application\/json\s*(?:;(?!\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))).*)?$/i;

/** No compression (RFC 9110, section 8.4): a small body could unfold to a huge one. */
const UNENCODED = /^\s*(?:identity\s*)?$/iu;

/** A function requires plain numbers, which every language writes alike, for the bodies for which it returns true. */
type BodyNumbers = JsonNumbers | ((body: JsonObject) => boolean);

/**
 * Reads the JSON object in the request. Returns 400 for everything else: no body, more than BODY_BYTES, another content
 * type, bytes that are not UTF-8, JSON that `parseJson` refuses or that is no object, and track data, a PIN or a card
 * verification code anywhere (I6). Unknown members are checked too: a client that sends card data must learn of it even
 * if the gateway would ignore the member.
 *
 * @param numbers `plain` for a body that is signed; a function for one that may be
 */
export async function readJsonObject(
  c: RequestContext,
  numbers: BodyNumbers = "any",
): Promise<Result<JsonObject, Refusal>> {
  const body = await readOptionalJsonObject(c, numbers);
  if (!body.ok) return body;
  return body.value === null ? wrong("Send a JSON object.") : ok(body.value);
}

/** Like `readJsonObject`, for calls that need no body: null if it is empty, with any content type. */
export async function readOptionalJsonObject(
  c: RequestContext,
  numbers: BodyNumbers = "any",
): Promise<Result<JsonObject | null, Refusal>> {
  if (!UNENCODED.test(c.req.header("Content-Encoding") ?? "")) {
    await cancel(c.req.raw);
    return wrong("The body is compressed. Send it uncompressed, without the header Content-Encoding.");
  }
  const most = c.get("bodyBytes") ?? BODY_BYTES;
  const bytes = await readBounded(c.req.raw, most);
  if (bytes === "too-big") return wrong(`The body is too large. Send at most ${most} bytes.`);
  if (bytes === "broken") return wrong("The body is incomplete. Send the request again.");
  if (bytes.length === 0) return ok(null);
  if (!JSON_TYPE.test(c.req.header("Content-Type") ?? "")) return wrong("Send Content-Type: application/json.");
  const text = decodeUtf8(bytes);
  if (text === null) return wrong("Encode the body in UTF-8.");
  const parsed = parseBody(text, numbers);
  if (!parsed.ok) return err(invalid(parsed.error));
  const { value } = parsed;
  if (!isJsonObject(value)) return wrong("Send a JSON object.");
  const sensitive = sensitiveMembers(value);
  if (sensitive.length > 0) return err(invalid(sensitive));
  return ok(value);
}

function parseBody(text: string, numbers: BodyNumbers): JsonResult {
  if (typeof numbers !== "function") return parseJson(text, numbers);
  const plain = parseJson(text, "plain");
  if (plain.ok) return plain;
  const any = parseJson(text, "any");
  return any.ok && isJsonObject(any.value) && numbers(any.value) ? plain : any;
}

function wrong(message: string): Result<never, Refusal> {
  return err(invalid([{ path: "", message }]));
}

/** What is left unread of a body could fail the connection before its client has read the answer. */
async function cancel({ body }: Request): Promise<void> {
  // The client may be gone.
  await body?.cancel().catch(() => undefined);
}

/**
 * Reads a body with an acceptable Content-Length in one piece, because HTTP ends it there (RFC 9112, section 6.3), and
 * one that says that it is too large not at all. Counts every other body while it arrives, and stops at the first byte
 * over the limit.
 */
async function readBounded(request: Request, most: number): Promise<Uint8Array | "too-big" | "broken"> {
  if (request.body === null) return new Uint8Array(0);
  const announced = request.headers.get("Content-Length");
  const length = announced !== null && /^[0-9]+$/.test(announced) ? Number(announced) : null;
  if (length === null) return readCounting(request.body, most);
  if (length > most) {
    await cancel(request);
    return "too-big";
  }
  try {
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.length > most ? "too-big" : bytes;
  } catch {
    return "broken";
  }
}

async function readCounting(
  stream: ReadableStream<Uint8Array>,
  most: number,
): Promise<Uint8Array | "too-big" | "broken"> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > most) {
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
