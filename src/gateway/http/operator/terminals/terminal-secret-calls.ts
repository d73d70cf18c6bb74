/** An operator replaces a terminal's secret, or creates a code with which the terminal gets one itself. */
import * as z from "zod";
import {
  ACTIVATION_CODE_HOURS,
  ACTIVATION_CODE_HOURS_AT_MOST,
  PREVIOUS_TERMINAL_SECRET_LIFE,
} from "../../../../protocol/limits.ts";
import type { ActivationCode, TerminalSecret } from "../../../../protocol/schemas/operator.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { HOUR } from "../../../../protocol/time/units.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import type { TerminalRow } from "../../../d1/terminals.ts";
import { insertActivationCode } from "../../../d1/activation-codes.ts";
import { ACTIVATION_CODE_FORM, codeDigest, drawCode } from "../../../secrets/short-codes.ts";
import type { MasterKeys } from "../../../secrets/master-keys.ts";
import { randomKey, seal } from "../../../secrets/sealing.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";
import { DATABASE_AWAY, refuse } from "../../middleware/errors.ts";
import { inTime } from "../../middleware/time-limit.ts";
import { optionalField } from "../../validation/fields.ts";
import { noQuery, optionalBody } from "../../validation/validators.ts";
import { forSupport, operatorFactory } from "../authentication.ts";
import { noSuch } from "../words.ts";
import { RETIRED, requireTerminal } from "./lookup.ts";

const secretChange = z.object({ revokePrevious: optionalField(z.boolean({ error: "Send true or false." })) });

const HOURS_WORDS = `Send a whole number from 1 to ${ACTIVATION_CODE_HOURS_AT_MOST}.`;

const codeRequest = z.object({
  validHours: optionalField(z.int({ error: HOURS_WORDS }).min(1).max(ACTIVATION_CODE_HOURS_AT_MOST)),
});

describeMessages(({ said, requestSchema }) => ({
  SecretChange: requestSchema(
    secretChange,
    {
      revokePrevious: said(
        "true: the replaced secret ends immediately, as for a stolen device. Otherwise it stays valid until the terminal logs " +
          `in with the new one, for ${duration(PREVIOUS_TERMINAL_SECRET_LIFE)} at most.`,
        false,
      ),
    },
    said("How the secret changes.", { revokePrevious: false }),
  ),
  ActivationCodeRequest: requestSchema(
    codeRequest,
    {
      validHours: said(`For how many hours the code can be used. ${ACTIVATION_CODE_HOURS} if it is missing.`, 24),
    },
    said("For how long.", { validHours: 24 }),
  ),
}));

export const terminalSecretCalls = operatorFactory.createApp();

const SECRET_PATH = "/operator/terminals/:terminalId/secret";

terminalSecretCalls.post(SECRET_PATH, forSupport, noQuery, requireTerminal, optionalBody(secretChange), async (c) => {
  const [terminalId, known, keys] = [c.get("terminalId"), c.get("known"), c.get("keys")];
  if (known?.status === "retired") return refuse(c, RETIRED);
  const secret = randomKey();
  const sealedSecret = seal(keys, secret, "terminal-secret", terminalId);
  const revokePrevious = c.req.valid("json").revokePrevious === true;
  const outcome = await askObject({ env: c.env, keys, known }, () => {
    return terminalStub(c.env, terminalId).changeSecret({ sealedSecret, revokePrevious, actor: c.get("operator") });
  });
  if (outcome.kind === "not-enrolled") return refuse(c, DATABASE_AWAY);
  if (outcome.kind === "retired") return refuse(c, RETIRED);
  const until = outcome.previousValidUntil;
  const previousValidUntil = until === null ? null : utc(until);
  return c.json({ terminalId, secret, previousValidUntil } satisfies TerminalSecret);
});

describeCall(terminalSecretCalls, () => ({
  tag: "Operator terminals",
  operationId: "replaceTerminalSecret",
  summary: "Replace a terminal's secret",
  description:
    "Only this response has the new secret. The previous one stays valid until the terminal logs in with the new one, " +
    `for ${duration(PREVIOUS_TERMINAL_SECRET_LIFE)} at most. With \`revokePrevious\` it ends immediately, and the socket is closed.`,
  body: "Optional.",
  answers: {
    200: ["The new secret.", "TerminalSecret"],
    404: noSuch("terminal"),
    409: "The terminal is retired.",
  },
}));

const CODE_PATH = "/operator/terminals/:terminalId/activation-code";

terminalSecretCalls.post(CODE_PATH, forSupport, noQuery, requireTerminal, optionalBody(codeRequest), async (c) => {
  const [terminalId, known, keys] = [c.get("terminalId"), c.get("known"), c.get("keys")];
  if (known?.status === "retired") return refuse(c, RETIRED);
  const { validHours = ACTIVATION_CODE_HOURS } = c.req.valid("json");
  const masterKey = keys.current;
  const code = drawCode(ACTIVATION_CODE_FORM);
  const digest = codeDigest(ACTIVATION_CODE_FORM, masterKey, code);
  const expiresAt = Date.now() + validHours * HOUR;
  // D1 first: until the object has the code, it cannot be used, and the last one can.
  await inTime(insertActivationCode(c.env.DATABASE, { terminalId, digest, kid: masterKey.kid, expiresAt }));
  const outcome = await askObject({ env: c.env, keys, known }, () => {
    return terminalStub(c.env, terminalId).createActivationCode({ digest, expiresAt }, c.get("operator"));
  });
  if (outcome.kind === "not-enrolled") return refuse(c, DATABASE_AWAY);
  if (outcome.kind === "retired") return refuse(c, RETIRED);
  const activationCode = code.replaceAll(/.{4}(?=.)/g, "$&-");
  return c.json({ terminalId, activationCode, expiresAt: utc(expiresAt) } satisfies ActivationCode);
});

describeCall(terminalSecretCalls, () => ({
  tag: "Operator terminals",
  operationId: "createActivationCode",
  summary: "Create a terminal's activation code",
  description:
    "A person types or scans the code at the terminal, which exchanges it for its id and a new secret " +
    "(`POST /terminal/activate`), once. Until then, the terminal's secret stays. A new code replaces the last one.",
  body: "Optional.",
  answers: {
    200: ["The code.", "ActivationCode"],
    404: noSuch("terminal"),
    409: "The terminal is retired.",
  },
}));

/** Asks the terminal's object. If the enrolment stopped between D1 and the object, completes it first. */
async function askObject<Outcome extends { kind: string }>(
  { env, keys, known }: { env: Env; keys: MasterKeys; known: TerminalRow | null },
  ask: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await ask();
  if (outcome.kind !== "not-enrolled" || known === null) return outcome;
  const { terminalId, isVT, merchantId, name, createdAt } = known;
  const sealedSecret = seal(keys, randomKey(), "terminal-secret", terminalId);
  await terminalStub(env, terminalId).enrol({ terminalId, isVT, merchantId, name, createdAt, sealedSecret });
  return ask();
}
