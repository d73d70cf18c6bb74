/** Signs the requests of "Test Request" in the page: the key is sent nowhere. */
import { signed } from "../../client/signature.ts";
import { formatDatetime } from "../../time/datetime.ts";

/**
 * Signs the request if its body still has an example's signature, and replaces the other example values that must be
 * fresh. A body that the reader has signed stays unchanged.
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
    // A cancel's `referenceId` names the transaction; a reference has at most 20 characters.
    ["referenceId", "transType" in body ? crypto.randomUUID().slice(0, 20) : body["referenceId"]],
  ]);
  const filled = Object.entries(body).map(([name, value]) => [
    name,
    isExample(value) && fresh.has(name) ? fresh.get(name) : value,
  ]);
  const text = JSON.stringify(await signed(Object.fromEntries(filled), key));
  return new Request(request, { method: request.method, body: text });
}

/** Empty if the text is not a JSON object: the gateway reports that. */
function membersOf(text: string): Record<string, unknown> {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(text)));
  } catch {
    return {};
  }
}
