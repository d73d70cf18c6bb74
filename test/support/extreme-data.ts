/** The longest data that the gateway may have, as an operator's page may read it. */
import type { Page } from "playwright-core";

const AMOUNT = "999999999999.99";
const CURRENCIES = ["MYR", "USD", "EUR", "GBP", "JPY", "SGD", "THB", "IDR", "VND", "KRW"];
const COUNT = 99_999_999;
const MONEY = CURRENCIES.map((currency) => ({ currency, count: COUNT, transAmt: AMOUNT }));

const word = (length: number): string => "W".repeat(length);

/** By the name of a member: a value of it that is as long as it may be, in one word. */
const LONGEST: Record<string, unknown> = {
  turnover: MONEY,
  amounts: MONEY,
  transAmt: AMOUNT,
  cashAmt: AMOUNT,
  count: COUNT,
  "00": COUNT,
  "11": COUNT,
  shopName: word(100),
  name: word(100),
  title: word(100),
  detail: word(200),
  host: word(200),
  actor: word(64),
  responseCode: word(32),
  responseText: word(128),
  softwareVersion: word(40),
  terminalSn: word(40),
  referenceId: word(20),
  terminalId: word(60),
  deviceId: word(60),
  posId: word(24),
  merchantId: word(100),
  target: word(60),
  cardLastFour: "9999",
  note: word(128),
};

function extremeValue(value: unknown, name: string): unknown {
  if (value === null) return null;
  if (Object.hasOwn(LONGEST, name)) return LONGEST[name];
  if (Array.isArray(value)) return value.map((one) => extremeValue(one, ""));
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, extremeValue(inner, key)]));
}

function extremeIncident(kind: string): Record<string, unknown> {
  const { title, detail, posId, merchantId } = LONGEST;
  return { kind, id: kind, title, detail, posId, merchantId, since: new Date(0).toISOString() };
}

/** Everything that the page reads until it is unrouted has the shape of the gateway's answer, and the longest values. */
export async function makeExtreme(page: Page): Promise<void> {
  await page.route(/\/operator\/(?!console)/u, async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const response = await route.fetch();
    if (!response.ok()) return route.fulfill({ response });
    const json = extremeValue(await response.json(), "") as Record<string, unknown>;
    if ("incidents" in json) json["incidents"] = ["conflict", "offline", "webhook"].map(extremeIncident);
    return route.fulfill({ response, json });
  });
}
