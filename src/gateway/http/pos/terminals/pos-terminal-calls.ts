import * as z from "zod";
import { identifier } from "../../validation/fields.ts";
import { TERMINAL_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { ASKED_TERMINALS } from "../../../../protocol/limits.ts";
import {
  applyPrebinding,
  confirmStatuses,
  isConnectionOpen,
  askStatus,
  unbindTerminal,
} from "../../../binding/binding.ts";
import { type TerminalRow, findTerminal, listAccountTerminals } from "../../../d1/terminals.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { requireAccount } from "../../middleware/authentication.ts";
import { factory } from "../../middleware/context.ts";
import { type Refusal, invalid, refuse, answerDone } from "../../middleware/errors.ts";
import { inTime } from "../../middleware/time-limit.ts";
import { MAY_BE_SIGNED, checkSigned, isSignedCall, readCallOrigin } from "../../middleware/signed-call.ts";
import { noQuery, path, signableBody } from "../../validation/validators.ts";
import type { TerminalDetails, TerminalList } from "../../../../protocol/accounts.ts";
import { describeCall } from "../../middleware/describe.ts";

export const terminalPath = z.object({ terminalId: identifier(TERMINAL_ID_LENGTH) });

export const posTerminalCalls = factory.createApp();

/** The same answer serves another account's terminal. */
const NOT_FOUND: Refusal = { kind: "not_found", message: "The account has no such terminal." };

const oneTerminal = path(terminalPath, NOT_FOUND);

posTerminalCalls.get("/api/terminals", requireAccount, async (c) => {
  const { posId } = c.get("account");
  const rows = await listAccountTerminals(c.env.DATABASE, posId);
  const open = rows.filter(isConnectionOpen);
  const asked = new Set(open.slice(0, ASKED_TERMINALS));
  const confirmed = await confirmStatuses(c.env, [...asked]);
  const statuses = new Map(confirmed.map(({ terminalId, live }) => [terminalId, live]));
  const data = rows
    .map((row) => ({ ...row, live: statuses.get(row.terminalId) ?? null }))
    // D1 lags behind the objects, so a terminal that has just left the account is skipped.
    .filter(({ live }) => live === null || live.posId === posId)
    .map((row) => ({
      terminalId: row.terminalId,
      connected: statuses.has(row.terminalId) ? (row.live?.connected ?? false) : row.connected === 1,
      isVT: row.isVT,
    }));
  const notAsked = open.length - asked.size;
  return c.json((notAsked === 0 ? { data } : { data, notAsked }) satisfies TerminalList);
});

describeCall(posTerminalCalls, () => ({
  tag: "Terminals",
  operationId: "listTerminals",
  summary: "List the account's terminals",
  description:
    "Returns the terminals bound to the account and whether each is connected now. At most " +
    `${ASKED_TERMINALS} terminals are asked, in the order of their ids; for the others \`connected\` is the ` +
    "database's last value, and `notAsked` is their number.",
  answers: { 200: ["The terminals.", "TerminalList"] },
}));

posTerminalCalls.get("/api/terminals/:terminalId", requireAccount, noQuery, oneTerminal, async (c) => {
  const { posId, timezone } = c.get("account");
  const terminal = await ownTerminal(c.env, posId, c.req.valid("param").terminalId);
  const live = terminal === null ? null : await askStatus(c.env, terminal.terminalId);
  if (terminal === null || (live !== null && live.posId !== posId)) return refuse(c, NOT_FOUND);
  const time = (epochMs: number | null | undefined): string | null =>
    epochMs === null || epochMs === undefined ? null : isoWithOffset(epochMs, timezone);
  return c.json({
    terminalId: terminal.terminalId,
    connected: live?.connected ?? false,
    isVT: terminal.isVT,
    connectedSince: time(live?.connectedSince),
    lastHeartbeat: time(live?.lastHeartbeat),
    softwareVersion: live?.softwareVersion ?? null,
    terminalSn: live?.terminalSn ?? null,
  } satisfies TerminalDetails);
});

describeCall(posTerminalCalls, () => ({
  tag: "Terminals",
  operationId: "getTerminal",
  summary: "Read one terminal",
  description: "Returns one terminal of the account with its connection and versions.",
  answers: { 200: ["The terminal.", "TerminalDetails"], 404: "The account has no such terminal." },
}));

const signable = signableBody(z.object({}), isSignedCall);

posTerminalCalls.delete(
  "/api/terminals/:terminalId",
  requireAccount,
  noQuery,
  oneTerminal,
  signable,
  checkSigned,
  async (c) => {
    const { posId } = c.get("account");
    const terminal = await ownTerminal(c.env, posId, c.req.valid("param").terminalId);
    if (terminal === null) return refuse(c, NOT_FOUND);
    const { terminalId } = terminal;
    const outcome = await unbindTerminal(c.env, terminal, posId, {
      actor: `account:${posId}`,
      origin: readCallOrigin(c),
    });
    switch (outcome.kind) {
      case "busy": {
        const message = "The terminal has a transaction in progress. Try again when it has ended.";
        return refuse(c, invalid([{ path: "terminalId", message }], message));
      }
      case "not-bound":
        return refuse(c, NOT_FOUND);
      case "unbound":
        await applyPrebinding(c.env, [terminalId]);
        return answerDone(c, "The terminal is unbound.");
      default:
        return outcome satisfies never;
    }
  },
);

describeCall(posTerminalCalls, ({ signed }) => ({
  tag: "Terminals",
  operationId: "unbindTerminal",
  summary: "Unbind a terminal",
  description:
    "Removes the terminal from the account and from its prebind list. Returns 400 while the terminal has a transaction " +
    "in progress. A pending transaction does not prevent it, and stays with the account. " +
    MAY_BE_SIGNED,
  body: {
    description: "Optional: the signed call.",
    schema: "SignedCall",
    examples: {
      unbind: {
        summary: "Unbind T-1001",
        value: signed.signedExample("DELETE /api/terminals/T-1001", "000000000007", {}),
      },
    },
  },
  answers: {
    200: ["The terminal is unbound.", "Done"],
    400: "The terminal has a transaction in progress, or the call must be signed. `details` says which.",
    404: "The account has no such terminal.",
  },
}));

async function ownTerminal(env: Env, posId: string, terminalId: string): Promise<TerminalRow | null> {
  const terminal = await inTime(findTerminal(env.DATABASE, terminalId));
  return terminal?.status === "enrolled" && terminal.boundPosId === posId ? terminal : null;
}
