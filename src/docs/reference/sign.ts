/** Signs what "Test Request" sends, in the page: the key is sent nowhere. */
import { signed } from "../../client/signature.ts";
import { formatDatetime } from "../../time/datetime.ts";

/**
 * The request with a signature of its own if its body still has an example's. Whatever else is an example's and must be
 * fresh is replaced, too. A body that somebody has signed themselves stays as it is.
 *
 * @param contract the text of the contract, with all examples
 * @throws Error, for the reader: the body needs a signature, and there is no key
 */
export async function signedRequest(request: Request, contract: string, key: string): Promise<Request> {
  const body = membersOf(await request.clone().text());
  const isExample = (value: unknown): boolean => typeof value === "string" && contract.includes(JSON.stringify(value));
  if (!isExample(body["signature"])) return request;
  if (key === "") throw new Error("This call is signed. Close this window and enter the key at the top of the page.");
  const fresh = new Map<string, unknown>([
    ["datetime", formatDatetime(Date.now())],
    ["nonce", crypto.randomUUID()],
    ["call", `${request.method} ${new URL(request.url).pathname}`],
    // A cancel's names the transaction; a reference has at most 20 characters.
    ["referenceId", "transType" in body ? crypto.randomUUID().slice(0, 20) : body["referenceId"]],
  ]);
  const filled = Object.entries(body).map(([name, value]) => [
    name,
    isExample(value) && fresh.has(name) ? fresh.get(name) : value,
  ]);
  const text = JSON.stringify(await signed(Object.fromEntries(filled), key));
  return new Request(request, { method: request.method, body: text });
}

/** None if the text is no JSON object: the gateway says so. */
function membersOf(text: string): Record<string, unknown> {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(text)));
  } catch {
    return {};
  }
}
