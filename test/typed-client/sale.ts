/**
 * What a till's developer writes with types from the published document: logs in, signs a sale, sends it, believes only
 * a signed answer. Nothing here is of the gateway's own code.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "./gateway.d.ts";

type Sale = components["schemas"]["SaleRequest"];
type Answer = components["schemas"]["TransferAnswer"];

const { BASE_URL = "", POS_ID = "", PASSWORD = "", SIGNING_KEY = "", MERCHANT_ID = "", DEVICE_ID = "" } = process.env;

/** RFC 8785, of messages whose numbers are integers. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

function signatureOf(message: object): string {
  const { signature: _none, ...unsigned } = message as { signature?: string };
  return createHmac("sha256", SIGNING_KEY).update(canonical(unsigned)).digest("hex");
}

// A transfer can be answered as a stream, too. This till reads JSON alone.
const client = createClient<paths, "application/json">({ baseUrl: BASE_URL });

const login = await client.POST("/auth/login", { body: { posId: POS_ID, password: PASSWORD } });
if (login.data === undefined) throw new Error(`${login.error.error}: ${login.error.message}`);
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${login.data.access.token}`);
  },
});

const terminals = await client.GET("/api/terminals");
const terminal = terminals.data?.data.find(({ terminalId }) => terminalId === DEVICE_ID);
if (terminal?.connected !== true) throw new Error(`${DEVICE_ID} is not connected.`);

const sale: Omit<Sale, "signature"> = {
  transType: "sale",
  posId: POS_ID,
  merchantId: MERCHANT_ID,
  deviceId: DEVICE_ID,
  referenceId: `R-${Date.now()}`,
  transData: { transAmt: "12.50", paymentMethod: "bankCard", printCount: 0 },
  apiVersion: "v1",
  datetime: new Date().toISOString().replace(/[-:]|\..*/g, ""),
};
const body: Sale = { ...sale, signature: signatureOf(sale) };

/** I send it again until it is known: that is all the recovery there is. */
async function outcome(): Promise<Answer> {
  for (;;) {
    const { data, error } = await client.POST("/api/transfer", { body });
    if (error !== undefined)
      throw new Error(`${error.code} ${error.message} ${"details" in error ? JSON.stringify(error.details) : ""}`);
    const signed = timingSafeEqual(Buffer.from(data.signature), Buffer.from(signatureOf(data)));
    if (!signed || data.referenceId !== body.referenceId) throw new Error("This is not the gateway's answer.");
    if (data.statusCode !== "22") return data;
  }
}

const answer = await outcome();
if (answer.transType === "inquiry" || answer.transType === "getLast") throw new Error("I asked for a sale.");
console.log(JSON.stringify({ statusCode: answer.statusCode, ...answer.transData }));

// What the types must not let pass.

/** An amount is a text. */
// @ts-expect-error -- a number
export const amount: Sale["transData"] = { transAmt: 12.5, paymentMethod: "bankCard" };
/** Cash is a text as well. */
// @ts-expect-error -- a number
export const cash: Sale["transData"] = { transAmt: "12.50", cashAmt: 0, paymentMethod: "bankCard" };
/** A wallet whose code the customer scans has a name. */
// @ts-expect-error -- none
export const wallet: Sale["transData"] = { transAmt: "12.50", paymentMethod: "qrCustScan" };
/** A message is signed. */
// @ts-expect-error -- it is not
export const unsigned: Sale = sale;
/** A path that is not there. */
// @ts-expect-error -- misspelt
export const path: keyof paths = "/api/transfers";
