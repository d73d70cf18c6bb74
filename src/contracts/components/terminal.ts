/** What a terminal sends and is answered over HTTP, in words. */
import { CLOCK_TOLERANCE } from "../../limits.ts";
import { duration } from "../../time/duration.ts";
import { bound, terminalToken } from "../../http/answers/terminal.ts";
import { bindRequest, terminalLoginRequest } from "../../http/messages/terminal.ts";
import { SIGNATURE } from "../../signing/signature.ts";
import { TERMINAL_EXAMPLES } from "../terminal-examples.ts";
import { type Component, made, taken } from "../json-schema.ts";

export const terminalRequests: Record<string, Component> = {
  TerminalLoginRequest: taken(
    terminalLoginRequest,
    {
      terminalId: { description: "The terminal, as the operator named it.", examples: ["T-0001"] },
      datetime: {
        description:
          "When the message was signed, in UTC: `YYYYMMDDTHHMMSS`, the `T` may be left out. Within " +
          `${duration(CLOCK_TOLERANCE)} of the gateway's clock;` +
          " where it is not, the answer's `serverTime` tells the time.",
        examples: ["20261120T021500"],
      },
      signature: {
        description:
          "HMAC-SHA-256 over the RFC 8785 form of the body without this member, keyed with the UTF-8 bytes of the " +
          "terminal's secret, in lowercase hexadecimal.",
        minLength: 64,
        pattern: SIGNATURE.source,
        examples: [TERMINAL_EXAMPLES.login.signature],
      },
    },
    { description: "Which terminal logs in. Its secret does not travel.", examples: [TERMINAL_EXAMPLES.login] },
  ),
  BindRequest: taken(
    bindRequest,
    {
      key: {
        description:
          "A bind key, as it was shown: in any case, with dashes anywhere; I and L are taken for 1, O for 0.",
        examples: ["7K3Q-9ZXM"],
      },
    },
    { description: "The key of the account to work for.", examples: [{ key: "7K3Q9ZXM" }] },
  ),
};

export const terminalAnswers: Record<string, Component> = {
  TerminalToken: made(terminalToken),
  Bound: made(bound),
};
