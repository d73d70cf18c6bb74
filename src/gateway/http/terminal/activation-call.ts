/** A terminal exchanges the activation code that somebody typed at it for its id and its secret. */
import * as z from "zod";
import type { ActivatedTerminal } from "../../../protocol/accounts.ts";
import { ACTIVATION_CODE_TYPED_LENGTH } from "../../../protocol/lengths.ts";
import { findTerminalByCode } from "../../d1/activation-codes.ts";
import { ACTIVATION_CODE_FORM, codeDigests, readCode } from "../../secrets/short-codes.ts";
import { randomKey, seal } from "../../secrets/sealing.ts";
import type { ActivationOutcome } from "../../terminal/rpc.ts";
import { terminalStub } from "../../terminal/rpc.ts";
import { unauthorizedRefusal } from "../middleware/authentication.ts";
import { factory, type RequestContext } from "../middleware/context.ts";
import { describeCall, describeMessages } from "../middleware/describe.ts";
import { refuse, repeatBy } from "../middleware/errors.ts";
import { countMalformed } from "../middleware/malformed.ts";
import { activationChecks, checkRates, countFailure, loginChecks } from "../middleware/rate-limit.ts";
import { inTime } from "../middleware/time-limit.ts";
import { textField } from "../validation/fields.ts";
import { body, noQuery } from "../validation/validators.ts";

const activationRequest = z.object({
  activationCode: textField(ACTIVATION_CODE_TYPED_LENGTH)
    .regex(ACTIVATION_CODE_FORM.typed, { error: "Send the code as shown: 12 letters and digits." })
    .transform((typed) => readCode(ACTIVATION_CODE_FORM, typed)),
});

describeMessages(({ said, requestSchema }) => ({
  ActivationRequest: requestSchema(
    activationRequest,
    {
      activationCode: said(
        "The code as shown, in any case, with or without dashes. I and L count as 1, O as 0.",
        "7K3Q-9ZXM-D4TA",
      ),
    },
    said("The code that the operator created for this terminal.", { activationCode: "7K3Q-9ZXM-D4TA" }),
  ),
}));

export const activationCall = factory.createApp();

const ASK_FOR_ANOTHER = repeatBy(
  "Send the same code again. If it was used by then, ask the operator for another: the secret was lost.",
);

/** No terminal has such an id: the limit is of all guesses from one network. */
const GUESSES = "activation code";

type ActivationRefusal = Exclude<ActivationOutcome["kind"], "activated">;

activationCall.post(
  "/terminal/activate",
  ASK_FOR_ANOTHER,
  countMalformed("terminal"),
  noQuery,
  body(activationRequest),
  async (c) => {
    const tooManyCalls = await checkRates(activationChecks(c));
    if (tooManyCalls !== null) return refuse(c, tooManyCalls);
    const keys = c.get("keys");
    const digests = codeDigests(ACTIVATION_CODE_FORM, keys, c.req.valid("json").activationCode ?? "");
    const terminalId = await inTime(findTerminalByCode(c.env.DATABASE, digests));
    if (terminalId === null) return refuseCode(c, "wrong");
    c.get("facts").terminal = terminalId;
    const secret = randomKey();
    const sealedSecret = seal(keys, secret, "terminal-secret", terminalId);
    // Without a time limit: the answer has a secret that must not be lost.
    const { kind } = await terminalStub(c.env, terminalId).activate(digests, sealedSecret);
    if (kind !== "activated") return refuseCode(c, kind);
    return c.json({ terminalId, secret, serverTime: Date.now() } satisfies ActivatedTerminal);
  },
);

async function refuseCode(c: RequestContext, kind: ActivationRefusal): Promise<Response> {
  c.get("facts").reason = `activation code ${kind}`;
  if (kind === "busy") return refuse(c, { kind: "conflict", message: PROBLEMS.busy });
  const tooMany = await countFailure(loginChecks(c, "terminal", GUESSES));
  return refuse(c, tooMany ?? unauthorizedRefusal(PROBLEMS[kind]));
}

/** Who sends a used or expired code has had it: the answer tells a stranger nothing. */
const PROBLEMS: Record<ActivationRefusal, string> = {
  wrong: "The activation code is wrong, or a newer one replaced it. Compare it, or ask the operator for another.",
  used:
    "The activation code was used. If this device did not get its secret, ask the operator for another code: it ends " +
    "what the first one gave, also on a device that should not have it.",
  expired: "The activation code has expired. Ask the operator for another.",
  busy: "The terminal has a payment in progress. Send the same code again when it has ended; the code stays valid.",
};

describeCall(activationCall, () => ({
  tag: "Terminal",
  operationId: "activateTerminal",
  summary: "Activate a terminal",
  description:
    "Exchanges an activation code for the terminal's id and secret. The code works once, and only this response has the " +
    "secret: if it was lost, the operator creates another code. A secret that the terminal had before ends immediately, and " +
    "its socket is closed. Not signed: a terminal has no secret yet. Wrong codes are limited per network.",
  body: "The activation code.",
  answers: {
    200: ["The terminal's id and secret. Store the secret before you do anything else.", "ActivatedTerminal"],
    401: "The code is wrong, used or expired, or a newer one replaced it.",
    409: "The terminal has a payment in progress. The code stays valid.",
    429: true,
  },
}));
