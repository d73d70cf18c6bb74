import * as z from "zod";
import { accountPath } from "../accounts/requests.ts";
import { webhookPath } from "../../webhooks/requests.ts";

export const accountWebhookPath = z.object({ ...accountPath.shape, ...webhookPath.shape });

export const webhookSwitch = z.object({ enabled: z.boolean({ error: "Send true or false." }) });
