/** The resources of parts 2.1 to 2.5 of the interface. */
import * as z from "zod";
import { duration } from "../time/duration.ts";
import { CHANNEL_NAME_LENGTH, WEB_ADDRESS_LENGTH } from "../lengths.ts";
import { ACCESS_TOKEN_LIFE, BIND_KEY_LIFE, CONNECTED_WITHIN, PREBIND_ENTRIES, TERMINAL_TOKEN_LIFE } from "../limits.ts";
import {
  connection,
  currency,
  isVT,
  merchantId,
  stringField,
  object,
  patternField,
  posId,
  terminalId,
  timeField,
  boundedField,
} from "./fields.ts";

export const done = object("Success.", {
  code: z.literal(20000).meta({ description: "20000: success." }),
  message: stringField("The result, for people.", "Done."),
});

export const tokenPair = object("An access token and a refresh token.", {
  access: object("For the calls of the account.", {
    token: stringField(
      "The access token, sent as `Authorization: Bearer`.",
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.access",
    ),
    expiresAt: timeField(
      `The earlier of ${duration(ACCESS_TOKEN_LIFE)} from now and the next 12 AM in the account's time zone.`,
    ),
  }),
  refresh: object("For a new pair when the access token has expired.", {
    token: stringField(
      "The refresh token, only for `/auth/refresh` and `/auth/logout`.",
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.refresh",
    ),
    expiresAt: timeField("The next 12 AM in the account's time zone."),
  }),
});

export const bindKey = object("A key that binds a terminal to the account.", {
  key: z
    .string()
    .regex(/^[0-9A-HJKMNP-TV-Z]{8}$/)
    .meta({
      description: "Eight characters of Crockford's base32, typed in any case. Valid for one terminal, once.",
      examples: ["7K3Q9ZXM"],
    }),
  expiresAt: timeField(`${duration(BIND_KEY_LIFE)} from now.`),
});

export const prebindList = z
  .object({
    data: z.array(terminalId).meta({ description: `At most ${PREBIND_ENTRIES} terminal ids, in the order sent.` }),
  })
  .meta({ description: "The terminals on the account's prebind list.", examples: [{ data: ["T-1001", "T-1002"] }] });

const connected = z.boolean().meta({
  description: `Whether the terminal is connected: its socket is open and was active within ${duration(CONNECTED_WITHIN)}.`,
});

export const terminal = object("A terminal of the account.", { terminalId, connected, isVT });

export const terminalList = z
  .object({
    data: z.array(terminal),
    notAsked: z
      .int()
      .optional()
      .meta({
        description:
          "Present in the list of an account with many terminals: of so many, `connected` is the database's last value.",
        examples: [20],
      }),
  })
  .meta({
    description: "The terminals bound to the account, sorted by id.",
    examples: [
      {
        data: [
          { terminalId: "T-1001", connected: true, isVT: 0 },
          { terminalId: "VT-1", connected: false, isVT: 1 },
        ],
      },
    ],
  });

export const terminalDetails = object("A terminal of the account with its connection.", {
  ...terminal.shape,
  ...connection(),
});

export const channel = object("An e-wallet channel.", {
  name: boundedField(
    CHANNEL_NAME_LENGTH,
    "The channel's name: the value of `paymentChannel` in a transfer.",
    "Touch 'n Go",
  ),
  status: z.literal([0, 1]).meta({ description: "0: inactive. 1: active.", examples: [1] }),
  currency: z.array(currency).meta({ description: "The currencies that the channel supports." }),
  logoUrl3: boundedField(
    WEB_ADDRESS_LENGTH,
    "The URL of the channel's logo.",
    "https://example.com/logos/touch-n-go.png",
  ),
});

export const channelList = object("The channels, sorted by name. Empty if no channel supports the currency.", {
  data: z.array(channel),
});

export const terminalToken = object("A token for `/terminal/bind` and `/terminal/connect`.", {
  token: stringField("The terminal's token for bind and connect.", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.terminal"),
  expiresAt: timeField(`${duration(TERMINAL_TOKEN_LIFE)} from now.`, "UTC"),
  serverTime: z.int().meta({
    description: "The gateway's time in epoch milliseconds. A terminal sets its clock by it at least hourly.",
    examples: [1795428900000],
  }),
});

export const activatedTerminal = object("The terminal of the code, with its secret.", {
  terminalId,
  secret: patternField(
    /^[A-Za-z0-9_-]{43}$/,
    "The terminal's secret: 32 random bytes in base64url. Only in this response.",
    "c2hvd24gb25jZSwgaGVyZSBhbmQgbmV2ZXIgYWdhaW4",
  ),
  serverTime: terminalToken.shape.serverTime,
});

export const bound = object("The account that the terminal now works for.", { posId, merchantId });

export const health = z
  .object({ status: z.literal("ok").meta({ description: "Always `ok`." }) })
  .meta({ description: "The service is up and has its secrets.", examples: [{ status: "ok" }] });
