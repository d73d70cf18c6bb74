/** How an account gets terminals: keys that a terminal binds itself with, and the list of terminals to bind. */
import * as z from "zod";
import * as answers from "../../protocol/schemas/accounts.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import { BIND_KEY_LIFE, OPEN_BIND_KEYS } from "../../protocol/limits/keys.ts";
import { bindKeyDigest, drawBindKey } from "../../keys/bind-keys.ts";
import { BIND_KEY_DRAWS } from "../../keys/limits.ts";
import { duration } from "../../time/duration.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { text } from "../../validation/fields.ts";
import { accountStub } from "../../rpc/account.ts";
import { applyPrebinding } from "../../binding/binding.ts";
import {
  type ListedTerminal,
  insertBindKey,
  listedTerminals,
  listPrebound,
  replacePrebound,
} from "../../storage/binding.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { done } from "../errors.ts";
import type { BindKey, PrebindList } from "../../protocol/accounts.ts";
import { checkSigned, isSigned, originOf, signedCall } from "../signed-call.ts";
import { noQuery, query, signableBody } from "../validation/validators.ts";
import { requestSchema, said } from "../../contracts/json-schema.ts";
import { MAY_BE_SIGNED, callNotes } from "../openapi/signed.ts";
import { type Family, queryParameters } from "../openapi/operation.ts";
import { headers } from "../openapi/refusals.ts";
import { qrPng } from "./qr-png.ts";
import { maskCardNumbers } from "../../card-data/card-numbers.ts";

const entry = text(TERMINAL_ID_LENGTH);

/**
 * Ignores entries beyond the tenth. An entry that cannot be a terminal id is ignored too, and `leftOut` has its
 * position, counted from 1.
 */
export const prebindRequest = z.object({
  uniqueIds: z
    .array(z.unknown(), { error: `Send an array of up to ${PREBIND_ENTRIES} terminal ids; [] clears the list.` })
    .transform((entries) => {
      const listed = new Set<string>();
      const leftOut: number[] = [];
      for (const [index, value] of entries.slice(0, PREBIND_ENTRIES).entries()) {
        const { success, data } = entry.safeParse(value);
        if (success) listed.add(data);
        else leftOut.push(index + 1);
      }
      return { listed: [...listed], leftOut };
    }),
});

/** `image` asks for a QR code; every other value means JSON. */
const bindKeyQuery = z.object({ option: z.string().optional() });

export const binding = factory.createApp();

binding.get("/api/bind-terminal-key", requireAccount, query(bindKeyQuery), async (c) => {
  const { posId, timezone } = c.get("account");
  const now = Date.now();
  const expires = now + BIND_KEY_LIFE;
  const masterKey = c.get("keys").current;
  let key: string | null = null;
  for (let draw = 0; draw < BIND_KEY_DRAWS && key === null; draw++) {
    const drawn = drawBindKey();
    const row = { digest: bindKeyDigest(masterKey, drawn), kid: masterKey.kid, posId, expiresAt: expires };
    if (await insertBindKey(c.env.DATABASE, row, now, OPEN_BIND_KEYS)) key = drawn;
  }
  if (key === null) throw new Error("Could not create an unused bind key.");

  const expiresAt = isoWithOffset(expires, timezone);
  if (c.req.valid("query").option !== "image") return c.json({ key, expiresAt } satisfies BindKey);
  return c.body(qrPng(key), 200, { "Content-Type": "image/png", "X-Bind-Key-Expires-At": expiresAt });
});

const signable = signableBody(prebindRequest, isSigned);

binding.post("/api/prebind-terminals", requireAccount, noQuery, signable, checkSigned, async (c) => {
  const { listed, leftOut } = c.req.valid("json").uniqueIds;
  const { posId } = c.get("account");
  await accountStub(c.env, posId).replacesPrebound(listed, originOf(c));
  const before = await replacePrebound(c.env.DATABASE, posId, listed);
  // With the terminals removed from the list: they may now be on exactly one other list.
  await applyPrebinding(c.env, [...new Set([...listed, ...before])]);
  const message = prebindMessage(await listedTerminals(c.env.DATABASE, posId), posId, leftOut);
  return done(c, message);
});

binding.get("/api/prebind-terminals", requireAccount, noQuery, async (c) => {
  return c.json({ data: await listPrebound(c.env.DATABASE, c.get("account").posId) } satisfies PrebindList);
});

export function bindingContract(): Family {
  return {
    tag: "Terminals",
    caller: "access",
    requests: {
      PrebindRequest: requestSchema(
        prebindRequest.extend(signedCall.partial().shape),
        {
          ...callNotes("POST /api/prebind-terminals"),
          uniqueIds: said(
            `Terminal ids. Only the first ${PREBIND_ENTRIES} entries count, duplicates once; [] clears the list. A terminal ` +
              `need not be enrolled yet. Entries are strings of 1 to ${TERMINAL_ID_LENGTH} characters; others are ignored.`,
            ["T-1001", "T-1002"],
          ),
        },
        said("The new list.", { uniqueIds: ["T-1001", "T-1002"] }),
      ),
    },
    responses: {
      BindKey: answers.bindKey,
      PrebindList: answers.prebindList,
    },
    operations: {
      "GET /api/bind-terminal-key": {
        operationId: "getBindTerminalKey",
        summary: "Create a bind key for a terminal",
        description:
          `Returns a new key for one terminal, valid for ${duration(BIND_KEY_LIFE)}. An account has at most ${OPEN_BIND_KEYS} ` +
          "open keys; one more invalidates the oldest.",
        parameters: queryParameters(bindKeyQuery, {
          option: said("`image` returns the key as a QR code. Any other value, or none, returns JSON.", "image"),
        }),
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
      },
      "POST /api/prebind-terminals": {
        operationId: "replacePrebindList",
        summary: "Replace the prebind list",
        description:
          "Terminals on this list are bound to the account without a key, as soon as they are enrolled or connect. " +
          "A terminal must be unbound, assigned to the account's merchant by the operator, and not on the list of " +
          `another such account. Only the first ${PREBIND_ENTRIES} entries count. Each call replaces the list; \`[]\` clears it. ${MAY_BE_SIGNED}`,
        body: ["The new list.", "PrebindRequest"],
        answers: { 200: ["The list is replaced. `message` has the result for each entry.", "Done"] },
      },
      "GET /api/prebind-terminals": {
        operationId: "getPrebindList",
        summary: "Read the prebind list",
        description: "Returns the terminal ids on the prebind list.",
        answers: { 200: ["The list.", "PrebindList"] },
      },
    },
  };
}

const BECAME = {
  bound: "Bound",
  waiting: "Waiting for enrolment",
  foreign: "Not assigned to this merchant",
  elsewhere: "Already bound elsewhere",
  contested: "Also on another account's list",
  later: "Bound at the next connection",
} as const;

type Became = keyof typeof BECAME;

function prebindMessage(terminals: ListedTerminal[], posId: string, leftOut: number[]): string {
  const groups = new Map<Became, string[]>();
  for (const terminal of terminals) {
    const became = becameOf(terminal, posId);
    groups.set(became, [...(groups.get(became) ?? []), maskCardNumbers(terminal.terminalId)]);
  }
  const results = [...groups].map(([became, ids]) => `${BECAME[became]}: ${ids.join(", ")}.`);
  const entries = leftOut.length === 1 ? "entry" : "entries";
  if (leftOut.length > 0) {
    results.push(`Ignored: ${entries} ${leftOut.join(", ")} (send strings of 1 to ${TERMINAL_ID_LENGTH} characters).`);
  }
  return ["The prebind list is replaced.", ...results].join(" ");
}

/** I6: says nothing else about a terminal of another merchant. */
function becameOf({ isEnrolled, isAssigned, boundPosId, isContested }: ListedTerminal, posId: string): Became {
  if (boundPosId === posId) return "bound";
  if (!isEnrolled) return "waiting";
  if (!isAssigned) return "foreign";
  if (boundPosId !== null) return "elsewhere";
  return isContested ? "contested" : "later";
}
