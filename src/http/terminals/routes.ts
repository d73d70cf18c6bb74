import { applyPrebinding } from "../../binding/prebinding.ts";
import { confirmStatuses, statusOf } from "../../binding/statuses.ts";
import { unbindTerminal } from "../../binding/unbinding.ts";
import { findTerminal, type Terminal, terminalsOf } from "../../storage/terminals.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { invalid, type Refusal, refuse } from "../errors.ts";
import type { Done } from "../openapi/fields.ts";
import { inTime } from "../time-limit.ts";
import { noQuery, path } from "../validation/validators.ts";
import { terminalPath } from "./requests.ts";
import type { TerminalDetails } from "../../protocol/accounts.ts";
import type { TerminalList } from "./responses.ts";

export const terminals = factory.createApp();

/** Does not reveal whether another account has the terminal. */
const NOT_FOUND: Refusal = { kind: "not_found", message: "The account has no such terminal." };

const oneTerminal = path(terminalPath, NOT_FOUND);

terminals.get("/api/terminals", requireAccount, noQuery, async (c) => {
  const { posId } = c.get("account");
  const rows = await confirmStatuses(c.env, await terminalsOf(c.env.DATABASE, posId));
  const data = rows
    // D1 lags behind the objects: skips a terminal that has just left the account.
    .filter(({ live }) => live === null || live.posId === posId)
    .map(({ terminalId, isVT, live }) => ({ terminalId, connected: live?.connected ?? false, isVT }));
  return c.json({ data } satisfies TerminalList);
});

terminals.get("/api/terminals/:terminalId", requireAccount, noQuery, oneTerminal, async (c) => {
  const { posId, timezone } = c.get("account");
  const terminal = await ownTerminal(c.env, posId, c.req.valid("param").terminalId);
  const live = terminal === null ? null : await statusOf(c.env, terminal.terminalId);
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

terminals.delete("/api/terminals/:terminalId", requireAccount, noQuery, oneTerminal, async (c) => {
  const { posId } = c.get("account");
  const terminal = await ownTerminal(c.env, posId, c.req.valid("param").terminalId);
  if (terminal === null) return refuse(c, NOT_FOUND);
  const { terminalId } = terminal;
  const outcome = await unbindTerminal(c.env, terminal, posId, `account:${posId}`);
  switch (outcome.kind) {
    case "busy": {
      const message = "The terminal has a transaction in progress. Try again when it has ended.";
      return refuse(c, invalid([{ path: "terminalId", message }], message));
    }
    case "not-bound":
      return refuse(c, NOT_FOUND);
    case "unbound":
      await applyPrebinding(c.env, [terminalId]);
      return c.json({ code: 20000, message: "The terminal is unbound." } satisfies Done);
    default:
      return outcome satisfies never;
  }
});

async function ownTerminal(env: Env, posId: string, terminalId: string): Promise<Terminal | null> {
  const terminal = await inTime(findTerminal(env.DATABASE, terminalId));
  return terminal?.status === "enrolled" && terminal.boundPosId === posId ? terminal : null;
}
