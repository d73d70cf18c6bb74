import * as z from "zod";
import * as answers from "../../protocol/schemas/accounts.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import { text } from "../../validation/fields.ts";
import { accountStub } from "../../rpc/account.ts";
import { applyPrebinding } from "../../binding/binding.ts";
import { type ListedTerminal, listedTerminals, listPrebound, replacePrebound } from "../../storage/binding.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { done } from "../errors.ts";
import type { PrebindList } from "../../protocol/accounts.ts";
import { checkSigned, isSigned, originOf, signedCall } from "../signed-call.ts";
import { noQuery, signableBody } from "../validation/validators.ts";
import { requestSchema } from "../../contracts/json-schema.ts";
import { MAY_BE_SIGNED, callNotes } from "../openapi/signed.ts";
import type { Family } from "../openapi/operation.ts";
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

export const prebinding = factory.createApp();

const signable = signableBody(prebindRequest, isSigned);

prebinding.post("/api/prebind-terminals", requireAccount, noQuery, signable, checkSigned, async (c) => {
  const { listed, leftOut } = c.req.valid("json").uniqueIds;
  const { posId } = c.get("account");
  await accountStub(c.env, posId).replacesPrebound(listed, originOf(c));
  const before = await replacePrebound(c.env.DATABASE, posId, listed);
  // With the terminals removed from the list: they may now be on exactly one other list.
  await applyPrebinding(c.env, [...new Set([...listed, ...before])]);
  const message = prebindMessage(await listedTerminals(c.env.DATABASE, posId), posId, leftOut);
  return done(c, message);
});

prebinding.get("/api/prebind-terminals", requireAccount, noQuery, async (c) => {
  return c.json({ data: await listPrebound(c.env.DATABASE, c.get("account").posId) } satisfies PrebindList);
});

export function prebindingContract(): Family {
  return {
    tag: "Terminals",
    caller: "access",
    requests: {
      PrebindRequest: requestSchema(
        prebindRequest.extend(signedCall.partial().shape),
        {
          ...callNotes("POST /api/prebind-terminals"),
          uniqueIds: {
            description:
              `Terminal ids. Only the first ${PREBIND_ENTRIES} entries count, duplicates once; [] clears the list. A terminal ` +
              `need not be enrolled yet. Entries are strings of 1 to ${TERMINAL_ID_LENGTH} characters; others are ignored.`,
            examples: [["T-1001", "T-1002"]],
          },
        },
        { description: "The new list.", examples: [{ uniqueIds: ["T-1001", "T-1002"] }] },
      ),
    },
    responses: {
      PrebindList: answers.prebindList,
    },
    operations: {
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
  const said = [...groups].map(([became, ids]) => `${BECAME[became]}: ${ids.join(", ")}.`);
  const entries = leftOut.length === 1 ? "entry" : "entries";
  if (leftOut.length > 0) {
    said.push(`Ignored: ${entries} ${leftOut.join(", ")} (send strings of 1 to ${TERMINAL_ID_LENGTH} characters).`);
  }
  return ["The prebind list is replaced.", ...said].join(" ");
}

/** I6: says nothing else about a terminal of another merchant. */
function becameOf({ isEnrolled, isAssigned, boundPosId, isContested }: ListedTerminal, posId: string): Became {
  if (boundPosId === posId) return "bound";
  if (!isEnrolled) return "waiting";
  if (!isAssigned) return "foreign";
  if (boundPosId !== null) return "elsewhere";
  return isContested ? "contested" : "later";
}
