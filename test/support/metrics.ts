/** What the gateway's metrics say, as monitoring systems read them. */
import { judge } from "./contract.ts";
import { OPERATOR_TOKEN, send } from "./gateway.ts";

export async function metricsText(): Promise<string> {
  const [method, path] = ["GET", "/operator/metrics"] as const;
  const answer = await send(method, path, { token: OPERATOR_TOKEN });
  const { status, headers } = answer;
  judge({ method, path, status, headers, body: undefined });
  const type = headers.get("Content-Type");
  if (type !== "text/plain; version=0.0.4; charset=utf-8") throw new Error(`the metrics are ${type}`);
  return answer.text();
}

/** Reads the value of one series. */
export async function metricValue(series: string): Promise<number> {
  const line = (await metricsText()).split("\n").find((one) => one.startsWith(`pos_gateway_${series} `));
  return Number(line?.split(" ").at(-1) ?? Number.NaN);
}
