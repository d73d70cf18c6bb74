/** What the words of a call may need besides words. Only the site's build has it. */
import { listAnswer } from "./operation.ts";
import { headers, invalidRequest } from "./refusals.ts";
import { fieldSchema, requestSchema, withExamples } from "./json-schema.ts";
import { TERMINAL_EXAMPLES } from "./terminal-examples.ts";
import { EVENT_EXAMPLES, EVENT_SUMMARIES } from "../../../protocol/schemas/event-examples.ts";
import { EXAMPLES, LOCAL_TIME, LOGIN_EXAMPLES } from "./examples.ts";
import { WEBHOOK_EXAMPLES } from "../pos/webhooks/examples.ts";
import * as signed from "./signed.ts";

export const KIT = {
  said: withExamples,
  requestSchema,
  fieldSchema,
  listAnswer,
  invalidRequest,
  headers,
  /** Members of signed messages, and signed examples. */
  signed,
  EXAMPLES,
  LOCAL_TIME,
  LOGIN_EXAMPLES,
  EVENT_EXAMPLES,
  EVENT_SUMMARIES,
  TERMINAL_EXAMPLES,
  WEBHOOK_EXAMPLES,
};

export type Kit = typeof KIT;
