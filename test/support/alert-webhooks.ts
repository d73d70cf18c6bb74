/** The operators' webhooks, as an operator makes and removes them. */
import type { AlertWebhook, AlertWebhookWithSecret } from "../../src/protocol/schemas/alerts.ts";
import { ALERT_TYPES, type AlertSettings } from "../../src/protocol/alerts.ts";
import { operator } from "./gateway.ts";

export const PATH = "/operator/webhooks";
export const ADDRESS = "https://pager.example.com/hooks/long-and-secret-path";

/** Only these types are told. */
export function only(settings: Partial<AlertSettings>): AlertSettings {
  return { ...(Object.fromEntries(ALERT_TYPES.map((type) => [type, null])) as AlertSettings), ...settings };
}

export async function add(settings: Partial<AlertSettings>): Promise<AlertWebhookWithSecret> {
  const { status, body } = await operator<AlertWebhookWithSecret>("POST", PATH, {
    url: ADDRESS,
    alerts: only(settings),
  });
  if (status !== 201) throw new Error(`no webhook: ${status} ${JSON.stringify(body)}`);
  return body;
}

export async function all(): Promise<AlertWebhook[]> {
  return (await operator<{ data: AlertWebhook[] }>("GET", PATH)).body.data;
}

export async function removeAll(): Promise<void> {
  for (const { id } of await all()) await operator("DELETE", `${PATH}/${id}`);
}
