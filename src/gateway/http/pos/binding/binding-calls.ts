/** How an account gets terminals: keys that a terminal binds itself with, and the list of terminals to bind. */
import * as z from "zod";
import { TERMINAL_ID_LENGTH } from "../../../../protocol/lengths.ts";
import {
  BIND_KEYS_AN_HOUR,
  BIND_KEY_LIFE,
  OPEN_BIND_KEYS,
  PREBIND_CHANGES_AN_HOUR,
  PREBIND_ENTRIES,
} from "../../../../protocol/limits.ts";
import { BIND_KEY_FORM, codeDigest, drawCode } from "../../../secrets/short-codes.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { SECOND, type EpochMs } from "../../../../protocol/time/units.ts";
import { identifier, textField } from "../../validation/fields.ts";
import { accountStub } from "../../../account/rpc.ts";
import { applyPrebinding } from "../../../binding/binding.ts";
import {
  type PrebindListItem,
  insertBindKey,
  readPrebindList,
  listPrebound,
  replacePrebound,
} from "../../../d1/binding.ts";
import { requireAccount } from "../../middleware/authentication.ts";
import { factory } from "../../middleware/context.ts";
import { answerDone, type Refusal, refuse } from "../../middleware/errors.ts";
import type { BindKey, PrebindList } from "../../../../protocol/accounts.ts";
import { MAY_BE_SIGNED, checkSigned, isSignedCall, readCallOrigin, signedCall } from "../../middleware/signed-call.ts";
import { lenientQuery, noQuery, signableBody } from "../../validation/validators.ts";
import { qrPng } from "./qr-png.ts";
import { maskCardNumbers } from "../../../../protocol/card-data/card-numbers.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";

/**
 * A bind key is drawn at most this often until it is not in use: two of 2^40 keys rarely collide, five in a row never.
 */
const BIND_KEY_DRAWS = 5;

const entry = textField(TERMINAL_ID_LENGTH);

/**
 * Ignores entries beyond the tenth, as the interface says, whatever they are. A wrong entry among the first ten is
 * refused, because a list without it would replace the list that the account has.
 */
const prebindRequest = z.object({
  uniqueIds: z
    .array(z.unknown(), { error: `Send an array of up to ${PREBIND_ENTRIES} terminal ids; [] clears the list.` })
    .transform((entries, context) => {
      const listed = new Set<string>();
      for (const [index, value] of entries.slice(0, PREBIND_ENTRIES).entries()) {
        const read = entry.safeParse(value);
        if (read.success) listed.add(read.data);
        else context.addIssue({ code: "custom", path: [index], message: read.error.issues[0]?.message });
      }
      return [...listed];
    }),
});

describeMessages(({ said, requestSchema, fieldSchema, signed }) => ({
  PrebindRequest: requestSchema(
    prebindRequest.extend(signedCall.partial().shape),
    {
      ...signed.callNotes("POST /api/prebind-terminals"),
      uniqueIds: {
        description:
          `Terminal ids. Only the first ${PREBIND_ENTRIES} entries count, duplicates once; [] clears the list. A terminal ` +
          `need not be enrolled yet. These entries are strings of 1 to ${TERMINAL_ID_LENGTH} characters.`,
        prefixItems: Array.from({ length: PREBIND_ENTRIES }, () => fieldSchema(entry)),
        examples: [["T-1001", "T-1002"]],
      },
    },
    said("The new list.", { uniqueIds: ["T-1001", "T-1002"] }),
  ),
}));

/** An id that an operator can enrol. */
const enrollable = identifier(TERMINAL_ID_LENGTH);

/** `image` asks for a QR code; every other value means JSON. */
const bindKeyQuery = z.object({ option: z.string().optional() });

export const bindingCalls = factory.createApp();

bindingCalls.get("/api/bind-terminal-key", requireAccount, lenientQuery(bindKeyQuery), async (c) => {
  const { posId, timezone } = c.get("account");
  const allowed = await accountStub(c.env, posId).drawsBindKey(readCallOrigin(c));
  if (allowed.kind === "too-many") return refuse(c, tooManyChanges(allowed.retryAt));
  const now = Date.now();
  const expires = now + BIND_KEY_LIFE;
  const masterKey = c.get("keys").current;
  let key: string | null = null;
  for (let draw = 0; draw < BIND_KEY_DRAWS && key === null; draw++) {
    const drawn = drawCode(BIND_KEY_FORM);
    const row = { digest: codeDigest(BIND_KEY_FORM, masterKey, drawn), kid: masterKey.kid, posId, expiresAt: expires };
    if (await insertBindKey(c.env.DATABASE, row, now, OPEN_BIND_KEYS)) key = drawn;
  }
  if (key === null) throw new Error("Could not create an unused bind key.");

  const expiresAt = isoWithOffset(expires, timezone);
  if (c.req.valid("query").option !== "image") return c.json({ key, expiresAt } satisfies BindKey);
  return c.body(qrPng(key), 200, { "Content-Type": "image/png", "X-Bind-Key-Expires-At": expiresAt });
});

describeCall(bindingCalls, ({ said, headers }) => ({
  tag: "Terminals",
  operationId: "getBindTerminalKey",
  summary: "Create a bind key for a terminal",
  description:
    `Returns a new key for one terminal, valid for ${duration(BIND_KEY_LIFE)}. An account has at most ${OPEN_BIND_KEYS} ` +
    `open keys; one more invalidates the oldest. It can create ${BIND_KEYS_AN_HOUR} in an hour (UTC).`,
  query: {
    option: said("`image` returns the key as a QR code. Any other value, or none, returns JSON.", "image"),
  },
  answers: {
    200: {
      description: "The key, as JSON or as a QR code of exactly its text.",
      headers: {
        ...headers(),
        "X-Bind-Key-Expires-At": {
          $ref: "#/components/headers/X-Bind-Key-Expires-At",
          description: "Only with `option=image`.",
        },
      },
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/BindKey" } },
        "image/png": { schema: { type: "string", contentMediaType: "image/png" } },
      },
    },
  },
}));

const signable = signableBody(prebindRequest, isSignedCall);

bindingCalls.post("/api/prebind-terminals", requireAccount, noQuery, signable, checkSigned, async (c) => {
  const listed = c.req.valid("json").uniqueIds;
  const { posId } = c.get("account");
  // The same list again changes nothing, and must leave no traces: a leaked token could fill the audit log with them.
  const isSame = JSON.stringify(await listPrebound(c.env.DATABASE, posId)) === JSON.stringify(listed);
  let before = listed;
  if (!isSame) {
    const allowed = await accountStub(c.env, posId).replacesPrebound(listed, readCallOrigin(c));
    if (allowed.kind === "too-many") return refuse(c, tooManyChanges(allowed.retryAt));
    before = await replacePrebound(c.env.DATABASE, posId, listed);
  }
  // With the terminals removed from the list: they may now be on exactly one other list.
  await applyPrebinding(c.env, [...new Set([...listed, ...before])]);
  const results = prebindResults(await readPrebindList(c.env.DATABASE, posId), posId);
  return answerDone(
    c,
    [isSame ? "The prebind list has not changed." : "The prebind list is replaced.", ...results].join(" "),
  );
});

describeCall(bindingCalls, () => ({
  tag: "Terminals",
  operationId: "replacePrebindList",
  summary: "Replace the prebind list",
  description:
    "Terminals on this list are bound to the account without a key, as soon as they are enrolled or connect. " +
    "A terminal must be unbound, assigned to the account's merchant by the operator, and not on the list of " +
    `another such account. Only the first ${PREBIND_ENTRIES} entries count. Each call replaces the list; \`[]\` clears it. ` +
    `An account can change its list ${PREBIND_CHANGES_AN_HOUR} times in an hour (UTC). ${MAY_BE_SIGNED}`,
  body: { description: "The new list.", schema: "PrebindRequest" },
  answers: { 200: ["The list is replaced. `message` has the result for each entry.", "Done"] },
}));

function tooManyChanges(retryAt: EpochMs): Refusal {
  const now = Date.now();
  const retryAfterSeconds = Math.max(Math.ceil((retryAt - now) / SECOND), 1);
  return { kind: "rate_limit_exceeded", retryAfterSeconds };
}

bindingCalls.get("/api/prebind-terminals", requireAccount, async (c) => {
  return c.json({ data: await listPrebound(c.env.DATABASE, c.get("account").posId) } satisfies PrebindList);
});

describeCall(bindingCalls, () => ({
  tag: "Terminals",
  operationId: "getPrebindList",
  summary: "Read the prebind list",
  description: "Returns the terminal ids on the prebind list.",
  answers: { 200: ["The list.", "PrebindList"] },
}));

const BECAME = {
  bound: "Bound",
  impossible: "Never possible, because a terminal id has only letters, digits, '.', '_' and '-'",
  foreign: "Not assigned to this merchant by the operator",
  elsewhere: "Already bound elsewhere",
  contested: "Also on another account's list",
  later: "Bound at the next connection",
} as const;

type Became = keyof typeof BECAME;

/** A sentence for each state that some of the listed terminals have. */
function prebindResults(terminals: PrebindListItem[], posId: string): string[] {
  const groups = new Map<Became, string[]>();
  for (const terminal of terminals) {
    const became = judgeItem(terminal, posId);
    const shown = maskCardNumbers(terminal.terminalId);
    groups.set(became, [...(groups.get(became) ?? []), became === "impossible" ? JSON.stringify(shown) : shown]);
  }
  return [...groups].map(([became, ids]) => `${BECAME[became]}: ${ids.join(", ")}.`);
}

/**
 * I6: a terminal that is not assigned to the account's merchant gets the same word whether it exists or not, so that
 * nobody can find out which ids are enrolled.
 */
function judgeItem({ terminalId, isAssigned, boundPosId, isContested }: PrebindListItem, posId: string): Became {
  if (boundPosId === posId) return "bound";
  if (!enrollable.safeParse(terminalId).success) return "impossible";
  if (!isAssigned) return "foreign";
  if (boundPosId !== null) return "elsewhere";
  return isContested ? "contested" : "later";
}
