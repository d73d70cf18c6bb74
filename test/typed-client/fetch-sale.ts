/**
 * What a POS's developer writes with openapi-typescript and the published document: logs in, signs a sale, sends it,
 * believes only a signed answer.
 */
import createClient from "openapi-fetch";
import type { components, paths } from "./gateway.d.ts";
import { isSigned, signatureOf } from "./signature.ts";

type Sale = components["schemas"]["SaleRequest"];
type Answer = components["schemas"]["TransferResponse"];

const { BASE_URL = "", POS_ID = "", PASSWORD = "", MERCHANT_ID = "", DEVICE_ID = "" } = process.env;

const client = createClient<paths>({ baseUrl: BASE_URL });

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
    if (error !== undefined) throw new Error(`${error.code} ${error.message} ${JSON.stringify(error.details)}`);
    if (!isSigned(data) || data.referenceId !== body.referenceId) throw new Error("This is not the gateway's answer.");
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
