import * as z from "zod";
import { accountPath } from "../accounts/requests.ts";
import { webhookPath } from "../../webhooks/requests.ts";

export const accountWebhookPath = z.object({ ...accountPath.shape, ...webhookPath.shape });

const ONLY_OFF = "Send false: an operator can only stop an endpoint; its account enables it again.";

export const webhookStop = z.object({ enabled: z.literal(false, { error: ONLY_OFF }) });
