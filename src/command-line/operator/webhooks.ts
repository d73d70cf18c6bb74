/** The operators' own webhooks, for alerts. */
import { change, changed, type Command, shown } from "./command.ts";
import type { AlertWebhookList } from "../../protocol/schemas/alerts.ts";
import { ALERT_TYPES } from "../../protocol/alerts.ts";
import type { PingAnswer } from "../../protocol/webhooks.ts";
import { pingProblem } from "../commands.ts";
import { CommandError } from "./client.ts";

export const WEBHOOKS: Record<string, Command> = {
  webhooks: {
    usage: "webhooks",
    does: "the operators' own webhooks, for alerts",
    run: async (call) => {
      const { data } = await call.operator.get<AlertWebhookList>("/webhooks");
      return shown(call, data, ({ id, url, disabledBy, behind, nextAttempt, alerts }) => {
        const told = ALERT_TYPES.filter((type) => alerts[type] !== null).map((type) => `${type}=${alerts[type]}`);
        return { id, url, disabledBy, behind, nextAttempt, alerts: told.join(" ") };
      });
    },
  },
  "webhooks add": {
    usage: "webhooks add URL [--alerts TYPE=MINUTES,…]",
    does: "alerts an address, and shows the secret of its signatures once",
    arguments: [1, 1],
    flags: ["alerts"],
    run: async ({ operator, args: [url], flags: { alerts } }) =>
      changed(await operator.call("POST", "/webhooks", { url, alerts })),
  },
  "webhooks test": {
    usage: "webhooks test ID",
    does: "posts a ping to it, and shows the answer",
    arguments: [1, 1],
    run: async ({ operator, args: [id = ""] }) => {
      const answer = await operator.call("POST", `/webhooks/${encodeURIComponent(id)}/test`);
      const problem = answer.status === 200 ? pingProblem(answer.body as PingAnswer) : null;
      if (problem !== null) throw new CommandError(problem);
      return changed(answer);
    },
  },
  "webhooks set": change(
    "webhooks set ID --alerts TYPE=MINUTES,…",
    "changes what it is told, and after how many minutes",
    (id) => `Change what ${id} is told?`,
    { method: "PATCH", flags: ["alerts"], body: ({ alerts }) => ({ alerts }) },
  ),
  "webhooks disable": change("webhooks disable ID", "stops its alerts", (id) => `Stop the alerts of ${id}?`, {
    method: "PATCH",
    body: () => ({ enabled: false }),
  }),
  "webhooks enable": change(
    "webhooks enable ID",
    "continues after the last that it has received",
    (id) => `Enable ${id}?`,
    {
      method: "PATCH",
      body: () => ({ enabled: true }),
    },
  ),
  "webhooks new-secret": change(
    "webhooks new-secret ID",
    "replaces its secret, and shows the new one once",
    (id) => `Replace the secret of ${id}? The previous one also signs for a day.`,
    { method: "POST", path: "/secret" },
  ),
  "webhooks delete": change("webhooks delete ID", "deletes it permanently", (id) => `Delete ${id} permanently?`, {
    method: "DELETE",
  }),
};
