/** What an account's till sends and is answered, in words. */
import { PREBIND_ENTRIES } from "../../limits.ts";
import {
  bindKey,
  channel,
  channelList,
  prebindList,
  terminal,
  terminalDetails,
  terminalList,
  tokenPair,
} from "../../http/answers/account.ts";
import { done, health } from "../../http/answers/fields.ts";
import { loginRequest, prebindRequest } from "../../http/messages/account.ts";
import { type Component, made, taken } from "../json-schema.ts";

export const accountRequests: Record<string, Component> = {
  LoginRequest: taken(
    loginRequest,
    {
      posId: { description: "The account, as the operator named it.", examples: ["POS-1001"] },
      password: { description: "Its password, as it is.", format: "password", examples: ["correct horse battery"] },
    },
    { description: "Who logs in.", examples: [{ posId: "POS-1001", password: "correct horse battery" }] },
  ),
  PrebindRequest: taken(
    prebindRequest,
    {
      uniqueIds: {
        description:
          `Terminal ids. The first ${PREBIND_ENTRIES} count, the rest is not even looked at; duplicates count once; [] ` +
          "clears the list. A terminal need not be enrolled yet.",
        examples: [["T-1001", "T-1002"]],
      },
    },
    { description: "The new list.", examples: [{ uniqueIds: ["T-1001", "T-1002"] }] },
  ),
};

export const accountAnswers: Record<string, Component> = {
  TokenPair: made(tokenPair),
  BindKey: made(bindKey),
  Done: made(done),
  PrebindList: made(prebindList, { examples: [{ data: ["T-1001", "T-1002"] }] }),
  Terminal: made(terminal),
  TerminalList: made(terminalList, {
    examples: [
      {
        data: [
          { terminalId: "T-1001", connected: true, isVT: 0 },
          { terminalId: "VT-1", connected: false, isVT: 1 },
        ],
      },
    ],
  }),
  TerminalDetails: made(terminalDetails),
  Channel: made(channel),
  ChannelList: made(channelList),
  Health: made(health),
};
