/** The same sale with @hey-api/openapi-ts, which generates functions. */
import { client } from "./hey/client.gen.ts";
import { listEvents, login, transfer } from "./hey/sdk.gen.ts";
import type { SaleRequest } from "./hey/types.gen.ts";
import { isSigned, signatureOf } from "./signature.ts";

const { BASE_URL = "", POS_ID = "", PASSWORD = "", MERCHANT_ID = "", DEVICE_ID = "" } = process.env;

client.setConfig({ baseUrl: BASE_URL });
const session = await login({ body: { posId: POS_ID, password: PASSWORD } });
if (session.data === undefined) throw new Error(session.error.message);
client.setConfig({ auth: session.data.access.token });

const sale: Omit<SaleRequest, "signature"> = {
  transType: "sale",
  posId: POS_ID,
  merchantId: MERCHANT_ID,
  deviceId: DEVICE_ID,
  referenceId: `H-${Date.now()}`,
  transData: { transAmt: "12.50", paymentMethod: "bankCard", printCount: 0 },
  apiVersion: "v1",
  datetime: new Date().toISOString().replace(/[-:]|\..*/g, ""),
};

const refused = await transfer({ body: { ...sale, signature: "" } });
const [problem] = refused.error?.details ?? [];
if (problem?.path !== "signature") throw new Error("An unsigned sale was not refused.");

const { data, error } = await transfer({ body: { ...sale, signature: signatureOf(sale) } });
if (data === undefined) throw new Error(`${error.code} ${error.message} ${JSON.stringify(error.details)}`);
if (!isSigned(data) || data.referenceId !== sale.referenceId) throw new Error("This is not the gateway's answer.");
if (data.transType === "inquiry" || data.transType === "getLast") throw new Error("I asked for a sale.");

const page = await listEvents({ query: { after: 0 } });
const last: number = page.data?.data.at(-1)?.number ?? 0;
console.log(JSON.stringify({ statusCode: data.statusCode, ...data.transData, last }));
