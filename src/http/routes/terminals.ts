/** An account's terminals. */
import { audit } from "../../storage/audit.ts";
import { findTerminal, type Terminal, terminalsOf } from "../../storage/terminals.ts";
import { isoWithOffset } from "../../time/zone.ts";
import type { TerminalDetails, TerminalList } from "../answers/account.ts";
import type { Done } from "../answers/fields.ts";
import { requireAccount } from "../authentication.ts";
import { applyPrebinding, confirmStatuses, statusOf, unbindTerminal } from "../bindings.ts";
import { invalid } from "../body.ts";
import { factory } from "../context.ts";
import { type Refusal, refuse } from "../errors.ts";

export const terminals = factory.createApp();

terminals.get("/api/terminals", requireAccount, async (c) => {
  const { posId } = c.get("account");
  const rows = await confirmStatuses(c.env, await terminalsOf(c.env.DATABASE, posId));
  const data = rows
    // D1 follows the objects: one that has just left the account is not listed.
    .filter(({ live }) => live === null || live.posId === posId)
    .map(({ terminalId, isVT, live }) => ({ terminalId, connected: live?.connected ?? false, isVT }));
  return c.json({ data } satisfies TerminalList);
});

terminals.get("/api/terminals/:terminalId", requireAccount, async (c) => {
  const { posId, timezone } = c.get("account");
  const terminal = await ownTerminal(c.env, posId, c.req.param("terminalId"));
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

terminals.delete("/api/terminals/:terminalId", requireAccount, async (c) => {
  const { posId } = c.get("account");
  const terminal = await ownTerminal(c.env, posId, c.req.param("terminalId"));
  if (terminal === null) return refuse(c, NOT_FOUND);
  const { terminalId } = terminal;
  const outcome = await unbindTerminal(c.env, terminal, posId);
  switch (outcome.kind) {
    case "busy": {
      const message = "The terminal has a transaction running; try again when it has ended.";
      return refuse(c, invalid([{ path: "terminalId", message }], message));
    }
    case "not-bound":
      return refuse(c, NOT_FOUND);
    case "unbound":
      await audit(c.env.DATABASE, {
        at: Date.now(),
        actor: `account:${posId}`,
        action: "terminal.unbind",
        target: terminalId,
        details: { posId },
      }).run();
      await applyPrebinding(c.env, [terminalId]);
      return c.json({ code: 20000, message: "The terminal is unbound." } satisfies Done);
    default:
      return outcome satisfies never;
  }
});

/** Somebody else's terminal and none at all look the same. */
const NOT_FOUND: Refusal = { kind: "not_found", message: "The account has no such terminal." };

async function ownTerminal(env: Env, posId: string, terminalId: string): Promise<Terminal | null> {
  const terminal = await findTerminal(env.DATABASE, terminalId);
  return terminal?.status === "enrolled" && terminal.boundPosId === posId ? terminal : null;
}
