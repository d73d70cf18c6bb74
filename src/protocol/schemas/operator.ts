import * as z from "zod";
import { AUDIT_ACTIONS } from "../audit-actions.ts";
import {
  HOST_LENGTH,
  MERCHANT_ID_LENGTH,
  NAME_LENGTH,
  POS_ID_LENGTH,
  RESULT_LENGTHS,
  TERMINAL_ID_LENGTH,
} from "../lengths.ts";
import { channel } from "./accounts.ts";
import {
  connection,
  countField,
  currency,
  isVT,
  merchantId,
  stringField,
  object,
  posId,
  patternField,
  terminalId,
  timeField,
  timezone,
  boundedField,
} from "./fields.ts";
import { behind, cursor, disabledBy, enabled, skipped, webhookId } from "./webhooks.ts";
import type { WebhookState } from "../webhooks.ts";
import { REGIONS } from "../region.ts";

export const next = z
  .string()
  .max(TERMINAL_ID_LENGTH)
  .nullable()
  .meta({ description: "The `cursor` of the next page; null on the last page.", examples: [null] });

export function pageSchema<Row extends z.ZodType>(row: Row, description: string) {
  return object(description, { data: z.array(row), next });
}

export const createdAt = timeField("When it was made.", "UTC");

function shownOnce(what: string): z.ZodString {
  return patternField(
    /^[A-Za-z0-9_-]{43}$/,
    `${what}: 32 random bytes in base64url. Only in this response.`,
    "c2hvd24gb25jZSwgaGVyZSBhbmQgbmV2ZXIgYWdhaW4",
  );
}

export const account = object("An account of a point of sale.", {
  posId,
  merchantId,
  currency,
  timezone,
  name: boundedField(NAME_LENGTH, "The operator's name for it, or null.", "Corner shop, counter 1").nullable(),
  region: z
    .enum(REGIONS)
    .meta({
      description: `The region of the account's data that the operator chose: ${REGIONS.join(", ")}. Null: near its time zone.`,
      examples: ["apac"],
    })
    .nullable(),
  status: z
    .enum(["active", "suspended", "deleted"])
    .meta({ description: "A deleted account stays in the list; its posId is never reused." }),
  signedChanges: z
    .boolean()
    .meta({ description: "Whether the account must sign calls that unbind a terminal or replace its prebind list." }),
  createdAt,
});

const DRAWN = /^[A-Za-z0-9_-]{27}$/;
const DRAWN_EXAMPLE = "b25jZSBhbmQgbmV2ZXIgYWdhaW4";

export const accountWithKey = object(
  "A new account with its signing key, and its password if the gateway created it.",
  {
    ...account.shape,
    signingKey: shownOnce("The key that signs the account's transfers"),
    password: patternField(
      DRAWN,
      "The password that the gateway created: 20 random bytes in base64url. Only if the request had none. Shown here, " +
        "once, and never again.",
      DRAWN_EXAMPLE,
    ).optional(),
  },
);

export const drawnPassword = object("A password that the gateway created.", {
  posId,
  password: patternField(DRAWN, "20 random bytes in base64url. Only in this response.", DRAWN_EXAMPLE),
});

export const accountPage = pageSchema(account, "Accounts, ordered by posId.");

export const signingKey = object("A new signing key.", {
  posId,
  signingKey: accountWithKey.shape.signingKey,
  previousValidUntil: timeField("Until when the previous key stays valid; null if it does not.", "UTC").nullable(),
});

export const enrolledTerminal = object("A terminal.", {
  terminalId,
  isVT,
  merchantId: boundedField(
    MERCHANT_ID_LENGTH,
    "The merchant that the operator assigned it to, or null.",
    "M-1001",
  ).nullable(),
  name: boundedField(NAME_LENGTH, "The operator's name for it, or null.", "Counter 3").nullable(),
  status: z.enum(["enrolled", "retired"]).meta({ description: "A retired terminal stays in the list permanently." }),
  posId: boundedField(POS_ID_LENGTH, "The account that it is bound to, or null.", "POS-1001").nullable(),
  shopName: boundedField(
    NAME_LENGTH,
    "The name of the shop of its assigned merchant, otherwise of its account's merchant; null if there is none.",
    "Corner shop",
  ).nullable(),
  connected: z.boolean().meta({ description: "Whether it is connected now." }),
  offlineSince: timeField(
    "Its last activity, if it is offline, or a few seconds later; null if it is connected, or never was. If it is " +
      "after `lastHeartbeat`, nobody saw the loss, such as during a restart: it was at or before this time.",
    "UTC",
  ).nullable(),
  lastHeartbeat: timeField("Its last activity; null if it never did.", "UTC").nullable(),
  softwareVersion: boundedField(
    RESULT_LENGTHS.softwareVersion,
    "The version that it has reported; null if it is not connected, or has not reported one.",
    "2.4.1",
  ).nullable(),
  contested: z.boolean().meta({
    description:
      "Two devices with this terminal's identity take over each other's connection: sales go to either counter. Give the " +
      "terminal a new secret.",
    examples: [false],
  }),
  createdAt,
});

const secret = shownOnce("The terminal's secret");

export const enrolledTerminalWithSecret = object("A new terminal, with its secret.", {
  ...enrolledTerminal.shape,
  secret,
});

export const enrolledTerminalPage = pageSchema(enrolledTerminal, "Terminals, ordered by id, including retired ones.");

export const enrolledTerminalDetails = object("A terminal with its connection.", {
  ...enrolledTerminal.shape,
  ...connection("UTC"),
});

export const terminalSecret = object("A terminal's new secret.", {
  terminalId,
  secret,
  previousValidUntil: timeField(
    "Until when the replaced secret is valid, if the terminal does not log in with the new one before; null if it is not.",
    "UTC",
  ).nullable(),
});

export const activationCode = object("A code with which a terminal gets its secret.", {
  terminalId,
  activationCode: patternField(
    /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){2}$/,
    "Twelve characters of Crockford's base32, typed in any case, with or without the dashes. Valid once. Only in this " +
      "response.",
    "7K3Q-9ZXM-D4TA",
  ),
  expiresAt: timeField("Until when it can be used.", "UTC"),
});

export const shop = object("A shop: the name and time zone of a merchant.", {
  merchantId,
  name: boundedField(NAME_LENGTH, "The shop's name, for people.", "Corner shop"),
  timezone,
  createdAt,
});

export const shopPage = pageSchema(shop, "Shops, ordered by merchantId.");

export const channelPage = pageSchema(channel, "All channels, on one page.");

export const webhookState = object("An account's endpoint, as operators see it.", {
  id: webhookId,
  host: boundedField(HOST_LENGTH, "Its host. Only the account sees the rest of the address.", "books.example.com"),
  enabled,
  disabledBy,
  cursor,
  behind,
  skipped,
  nextAttempt: timeField(
    "When the next event is sent; null if there is none, or deliveries are disabled.",
    "UTC",
  ).nullable(),
}) satisfies z.ZodType<WebhookState>;

export const webhookStateList = object("An account's endpoints, as operators see them.", {
  data: z.array(webhookState),
});

const values = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]))
  .nullable();

export const auditEntry = object("A change.", {
  id: z
    .int()
    .min(1)
    .meta({ description: "The number of the row. Later rows have higher numbers.", examples: [42] }),
  at: timeField("The time of the change.", "UTC"),
  actor: stringField(
    "An operator's name, `account:` and a posId, or `terminal:` and a terminalId; `nobody` for an unknown token.",
    "alice",
  ),
  action: z.enum(AUDIT_ACTIONS).meta({ description: "The action." }),
  target: stringField(
    "A posId, a terminalId, a merchantId, a channel's name, the id of a master key, or the address of a refused caller.",
    "T-1001",
  ),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .meta({ description: "What changed, without any secret." }),
  before: values.meta({ description: "The replaced values; null if there are none." }),
  after: values.meta({ description: "The new values; null if there are none that may be shown." }),
});

export const auditPage = pageSchema(auditEntry, "Changes, newest first.");

const counts = z.object({
  accounts: countField("Accounts.", 100),
  terminals: countField("Terminals.", 100),
});

export const reseal = object("The result of a re-encryption, and what is left.", {
  current: stringField("The id of the current master key.", "2026-11"),
  resealed: counts.meta({ description: "How many this call has re-encrypted." }),
  failed: counts.meta({ description: "How many it could not re-encrypt. Call again." }),
  left: z
    .array(
      z.object({
        kid: stringField("The id of an older master key.", "2025-11"),
        ...counts.shape,
        bindKeys: countField("Bind keys that are stored with it. They expire in minutes.", 1),
        activationCodes: countField("Activation codes that are stored with it. They expire in days.", 0),
      }),
    )
    .meta({ description: "How much an older key still encrypts." }),
  droppable: z.array(z.string()).meta({
    description:
      "Older keys that encrypt nothing any more. Tokens that such a key signed end with their account's next " +
      "midnight: remove it from `MASTER_KEYS` a day after another key became the first one.",
  }),
});

export const resync = object("A resync: objects write their state to D1 again.", {
  objects: z
    .array(z.string().meta({ description: "`account:` or `terminal:`, and its id.", examples: ["account:POS-1001"] }))
    .nullable()
    .meta({ description: "The objects that were named and write their state again; null: none was named." }),
  running: z
    .enum(["created", "account", "terminal"])
    .nullable()
    .meta({ description: "Which objects the resync of all is at: first those made lately; null: it is not running." }),
  after: boundedField(TERMINAL_ID_LENGTH + "terminal:".length, "Up to which id it is, among them.", "POS-1001"),
  startedAt: timeField("When it began; null: there was none.", "UTC").nullable(),
  endedAt: timeField("When it ended or was stopped; null: it is running, or there was none.", "UTC").nullable(),
  resynced: countField("How many objects have written their state.", 1200),
  missing: countField("Rows of D1 of which there is no object: they are `retired` or `deleted` now.", 0),
  failed: countField("Objects that did not answer: repeat the resync, or name them.", 0),
});

export type AccountAnswer = z.infer<typeof account>;
export type AccountWithKey = z.infer<typeof accountWithKey>;
export type DrawnPassword = z.infer<typeof drawnPassword>;
export type AccountPage = z.infer<typeof accountPage>;
export type SigningKeyAnswer = z.infer<typeof signingKey>;
export type TerminalAnswer = z.infer<typeof enrolledTerminal>;
export type TerminalWithSecret = z.infer<typeof enrolledTerminalWithSecret>;
export type TerminalPage = z.infer<typeof enrolledTerminalPage>;
export type OperatorTerminalDetails = z.infer<typeof enrolledTerminalDetails>;
export type TerminalSecret = z.infer<typeof terminalSecret>;
export type ActivationCode = z.infer<typeof activationCode>;
export type ShopAnswer = z.infer<typeof shop>;
export type ShopPage = z.infer<typeof shopPage>;
export type ChannelPage = z.infer<typeof channelPage>;
export type WebhookStateList = z.infer<typeof webhookStateList>;
export type AuditAnswer = z.infer<typeof auditEntry>;
export type AuditPage = z.infer<typeof auditPage>;
export type ResealAnswer = z.infer<typeof reseal>;
export type ResyncAnswer = z.infer<typeof resync>;
