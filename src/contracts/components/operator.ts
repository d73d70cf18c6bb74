/** What an operator sends and is answered, in words. */
import { PREVIOUS_SIGNING_KEY_LIFE } from "../../limits.ts";
import { duration } from "../../time/duration.ts";
import * as answers from "../../http/answers/operator.ts";
import {
  accountChanges,
  channelDetails,
  keyRotation,
  newAccount,
  newTerminal,
  resolution,
} from "../../http/messages/operator.ts";
import { type Component, made, taken } from "../json-schema.ts";

const ACCOUNT = {
  posId: "POS-1001",
  merchantId: "M-1001",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Corner shop, till 1",
};

const account = {
  password: {
    description: "Of any characters, counted as they are composed (NFC). Kept as a hash.",
    format: "password",
    examples: ["correct horse battery"],
  },
  merchantId: { description: "The merchant that the account sells for.", examples: [ACCOUNT.merchantId] },
  currency: { description: "Of all its transfers: ISO 4217, in any case.", examples: [ACCOUNT.currency] },
  timezone: {
    description: "Name of an IANA time zone: it decides when the account's day ends, and `transDateTime`.",
    examples: [ACCOUNT.timezone],
  },
  name: { description: "The operator's own name for it.", examples: [ACCOUNT.name] },
};

const status = {
  description: "A suspended account gets 403; suspending ends its sessions and cancels what is queued.",
  examples: ["suspended"],
};

export const operatorRequests: Record<string, Component> = {
  NewAccount: taken(
    newAccount,
    { posId: { description: "The account's name, never given twice.", examples: [ACCOUNT.posId] }, ...account },
    { description: "A new account.", examples: [{ ...ACCOUNT, password: "correct horse battery" }] },
  ),
  AccountChanges: taken(
    accountChanges,
    { status, ...account, password: { ...account.password, description: "A new one ends the account's sessions." } },
    {
      description: "What changes; at least one member. Members that are missing, null or empty stay as they are.",
      examples: [{ status: "suspended" }],
      not: {
        properties: Object.fromEntries(Object.keys(accountChanges.shape).map((name) => [name, { enum: [null, ""] }])),
      },
    },
  ),
  KeyRotation: taken(
    keyRotation,
    {
      revokePrevious: {
        description: `true: the key before is dead at once. Else it is taken for ${duration(PREVIOUS_SIGNING_KEY_LIFE)} more.`,
        examples: [false],
      },
    },
    { description: "How the key changes.", examples: [{ revokePrevious: false }] },
  ),
  NewTerminal: taken(
    newTerminal,
    {
      terminalId: {
        description: "The terminal's unique id, `deviceId` in transfers; never given twice.",
        examples: ["T-1001"],
      },
      isVT: { description: "1: a virtual terminal. 0: any other terminal.", examples: [0] },
      merchantId: {
        description:
          "Assigns the terminal to a merchant: then only an account of that merchant can bind it, by a key or by its " +
          "prebind list.",
        examples: ["M-1001"],
      },
      name: { description: "The operator's own name for it.", examples: ["Counter 3"] },
    },
    { description: "A new terminal.", examples: [{ terminalId: "T-1001", isVT: 0, merchantId: "M-1001" }] },
  ),
  ChannelDetails: taken(
    channelDetails,
    {
      status: { description: "0: inactive. 1: active.", examples: [1] },
      currency: { description: "The currencies that the channel supports.", examples: [["MYR", "SGD"]] },
      logoUrl3: {
        description: "Where the channel's logo is: an absolute URL.",
        examples: ["https://example.com/logos/touch-n-go.png"],
      },
    },
    {
      description: "An e-wallet channel.",
      examples: [{ status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logos/touch-n-go.png" }],
    },
  ),
  Resolution: taken(
    resolution,
    {
      statusCode: { description: "`00`: money moved. `11`: no money moved, and none will.", examples: ["11"] },
      reason: {
        description: "For people; the POS gets it as `responseText`. Card numbers in it are masked.",
        examples: ["The terminal's host has no such payment."],
      },
    },
    {
      description: "How the transaction ended.",
      examples: [{ statusCode: "11", reason: "The terminal's host has no such payment." }],
    },
  ),
};

export const operatorAnswers: Record<string, Component> = {
  Account: made(answers.account),
  AccountWithKey: made(answers.accountWithKey),
  AccountPage: made(answers.accountPage),
  SigningKey: made(answers.signingKey),
  EnrolledTerminal: made(answers.terminal),
  EnrolledTerminalWithSecret: made(answers.terminalWithSecret),
  EnrolledTerminalPage: made(answers.terminalPage),
  EnrolledTerminalDetails: made(answers.terminalDetails),
  TerminalSecret: made(answers.terminalSecret),
  ChannelPage: made(answers.channelPage),
  Transaction: made(answers.transaction),
  TransactionPage: made(answers.transactionPage),
  AuditEntry: made(answers.auditEntry),
  AuditPage: made(answers.auditPage),
  Reseal: made(answers.reseal),
};
