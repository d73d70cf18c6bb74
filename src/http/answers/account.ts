/** What an account's till is answered, transfers apart. Types only for the Worker. */
import { ACCESS_TOKEN_LIFE, BIND_KEY_LIFE, CONNECTED_WITHIN, PREBIND_ENTRIES } from "../../limits.ts";
import { duration } from "../../time/duration.ts";
import * as z from "zod";
import { named, upTo } from "../../validation/described.ts";
import { CHANNEL_NAME_LENGTH, WEB_ADDRESS_LENGTH } from "../../validation/fields.ts";
import { connection, currency, isVT, terminalId, time } from "./fields.ts";

export const tokenPair = z
  .object({
    access: z
      .object({
        token: named(
          "The access token, sent as `Authorization: Bearer`.",
          "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.access",
        ),
        expiresAt: time(
          `The earlier of ${duration(ACCESS_TOKEN_LIFE)} from now and the next 12 AM in the account's time zone.`,
          "the account's time zone",
        ),
      })
      .meta({ description: "For the calls of the account." }),
    refresh: z
      .object({
        token: named(
          "The refresh token, good for `/auth/refresh` and `/auth/logout` alone.",
          "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.refresh",
        ),
        expiresAt: time("The next 12 AM in the account's time zone.", "the account's time zone"),
      })
      .meta({ description: "For a new pair when the access token has expired." }),
  })
  .meta({ description: "An access token and a refresh token." });

export const bindKey = z
  .object({
    key: z
      .string()
      .regex(/^[0-9A-HJKMNP-TV-Z]{8}$/)
      .meta({
        description: "Eight characters of Crockford's base32, typed in any case. Good for one terminal, once.",
        examples: ["7K3Q9ZXM"],
      }),
    expiresAt: time(`${duration(BIND_KEY_LIFE)} from now.`, "the account's time zone"),
  })
  .meta({ description: "A key with which a terminal binds itself to the account." });

export const prebindList = z
  .object({
    data: z
      .array(terminalId)
      .meta({ description: `At most ${PREBIND_ENTRIES} terminal ids, in the order in which they were sent.` }),
  })
  .meta({ description: "The terminals that the account waits for." });

const connected = z.boolean().meta({
  description: `Whether the terminal is connected now: its socket is open and was heard within ${duration(CONNECTED_WITHIN)}.`,
});

export const terminal = z.object({ terminalId, connected, isVT }).meta({ description: "A terminal of the account." });

export const terminalList = z
  .object({ data: z.array(terminal) })
  .meta({ description: "The terminals that are bound to the account, by their ids." });

export const terminalDetails = z
  .object({
    ...terminal.shape,
    ...connection("the account's time zone"),
  })
  .meta({ description: "A terminal of the account, with what is known of its connection." });

export const channel = z
  .object({
    name: upTo(CHANNEL_NAME_LENGTH, "The channel's name: what `paymentChannel` of a transfer says.", "Touch 'n Go"),
    status: z.literal([0, 1]).meta({ description: "0: inactive. 1: active.", examples: [1] }),
    currency: z.array(currency).meta({ description: "The currencies that the channel supports." }),
    logoUrl3: upTo(WEB_ADDRESS_LENGTH, "Where the channel's logo is.", "https://example.com/logos/touch-n-go.png"),
  })
  .meta({ description: "An e-wallet channel." });

export const channelList = z
  .object({ data: z.array(channel) })
  .meta({ description: "The channels, by their names; an empty list where none supports the currency." });

export type TokenPair = z.infer<typeof tokenPair>;
export type BindKey = z.infer<typeof bindKey>;
export type PrebindList = z.infer<typeof prebindList>;
export type TerminalList = z.infer<typeof terminalList>;
export type TerminalDetails = z.infer<typeof terminalDetails>;
export type Channel = z.infer<typeof channel>;
export type ChannelList = z.infer<typeof channelList>;
