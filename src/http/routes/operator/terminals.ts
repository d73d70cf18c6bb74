/** The operator's terminals. */
import { createFactory } from "hono/factory";
import { randomKey, seal } from "../../../keys/sealing.ts";
import { PAGE_ROWS } from "../../../limits.ts";
import { takeOffList } from "../../../storage/prebinding.ts";
import type { AuditAction, AuditEntry } from "../../../storage/audit.ts";
import { audit } from "../../../storage/audit.ts";
import {
  findTerminal,
  insertTerminal,
  listTerminals,
  noteNewSecret,
  retireTerminal,
  type Terminal,
  withdrawTerminal,
} from "../../../storage/terminals.ts";
import { terminalStub } from "../../../terminal/stub.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import type { Done } from "../../answers/fields.ts";
import type {
  OperatorTerminalDetails,
  TerminalAnswer,
  TerminalPage,
  TerminalSecret,
  TerminalWithSecret,
} from "../../answers/operator.ts";
import { applyPrebinding, confirmStatuses, statusOf, type TerminalWithStatus, unbindTerminal } from "../../bindings.ts";
import { readBody } from "../../body.ts";
import { type Refusal, refuse } from "../../errors.ts";
import { logError } from "../../log.ts";
import { newTerminal } from "../../messages/operator.ts";
import type { OperatorEnvironment } from "../../operator.ts";
import { pageQuery } from "../../messages/pages.ts";
import { pageOf, query } from "../../pages.ts";

export const terminals = createFactory<OperatorEnvironment>().createApp();

terminals.post("/operator/terminals", async (c) => {
  const body = await readBody(c, newTerminal);
  if (!body.ok) return refuse(c, body.refusal);
  const { terminalId, isVT, merchantId = null, name = null } = body.value;
  const keys = c.get("keys");
  const createdAt = Date.now();
  const secret = randomKey();
  const entry = (details: AuditEntry["details"]): AuditEntry => ({
    at: createdAt,
    actor: c.get("operator"),
    action: "terminal.enrol",
    target: terminalId,
    details: { isVT, ...(merchantId === null ? {} : { merchantId }), ...details },
  });

  // D1 first: its row is what makes the id taken.
  const row = { terminalId, isVT, merchantId, name, createdAt, sealedUnder: keys.current.kid };
  if (!(await insertTerminal(c.env.DATABASE, row, entry({})))) {
    return refuse(c, { kind: "conflict", message: "This terminalId is taken, or was once." });
  }
  try {
    await terminalStub(c.env, terminalId).enrol({ terminalId, isVT, sealedSecret: seal(keys, secret, terminalId) });
  } catch (error) {
    logError("enrolment failed", error, { requestId: c.get("requestId"), terminal: terminalId });
    await withdrawTerminal(c.env.DATABASE, terminalId, entry({ withdrawn: true }));
    return refuse(c, { kind: "internal_server_error" });
  }
  await applyPrebinding(c.env, [terminalId]);
  const terminal = await findTerminal(c.env.DATABASE, terminalId);
  if (terminal === null) throw new Error("A terminal that was just enrolled is not there.");
  return c.json({ ...terminalView({ ...terminal, live: null }), secret } satisfies TerminalWithSecret, 201);
});

terminals.get("/operator/terminals", query(pageQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS } = c.req.valid("query");
  const rows = await listTerminals(c.env.DATABASE, cursor, limit + 1);
  const page = pageOf(
    rows,
    limit,
    ({ terminalId }) => terminalId,
    (row) => row,
  );
  const data = (await confirmStatuses(c.env, page.data)).map(terminalView);
  return c.json({ ...page, data } satisfies TerminalPage);
});

terminals.get("/operator/terminals/:terminalId", async (c) => {
  const terminal = await findTerminal(c.env.DATABASE, c.req.param("terminalId"));
  if (terminal === null) return refuse(c, NO_TERMINAL);
  const live = terminal.status === "retired" ? null : await statusOf(c.env, terminal.terminalId);
  return c.json({
    ...terminalView({ ...terminal, live }),
    connectedSince: timeOrNull(live?.connectedSince),
    lastHeartbeat: timeOrNull(live?.lastHeartbeat),
    softwareVersion: live?.softwareVersion ?? null,
    terminalSn: live?.terminalSn ?? null,
  } satisfies OperatorTerminalDetails);
});

terminals.delete("/operator/terminals/:terminalId", async (c) => {
  const found = await enrolled(c.env, c.req.param("terminalId"));
  if (!found.ok) return refuse(c, found.refusal);
  const { terminalId, boundPosId } = found.terminal;
  const outcome = await terminalStub(c.env, terminalId).retire();
  if (outcome.kind === "busy") return refuse(c, BUSY);
  await retireTerminal(c.env.DATABASE, terminalId, entryOf(c.get("operator"), "terminal.retire", terminalId));
  if (boundPosId !== null) await takeOffList(c.env.DATABASE, boundPosId, terminalId);
  return c.json({ code: 20000, message: "The terminal is retired." } satisfies Done);
});

terminals.post("/operator/terminals/:terminalId/secret", async (c) => {
  const found = await enrolled(c.env, c.req.param("terminalId"));
  if (!found.ok) return refuse(c, found.refusal);
  const { terminalId, isVT } = found.terminal;
  const keys = c.get("keys");
  const secret = randomKey();
  const sealedSecret = seal(keys, secret, terminalId);
  const object = terminalStub(c.env, terminalId);
  // Enrolled again first: this also mends an enrolment that ended between D1 and the object.
  await object.enrol({ terminalId, isVT, sealedSecret });
  await object.changeSecret(sealedSecret);
  const entry = entryOf(c.get("operator"), "terminal.secret", terminalId);
  await noteNewSecret(c.env.DATABASE, terminalId, keys.current.kid, entry);
  return c.json({ terminalId, secret } satisfies TerminalSecret);
});

terminals.delete("/operator/terminals/:terminalId/binding", async (c) => {
  const found = await enrolled(c.env, c.req.param("terminalId"));
  if (!found.ok) return refuse(c, found.refusal);
  const { terminalId, boundPosId } = found.terminal;
  const outcome = await unbindTerminal(c.env, found.terminal, null);
  switch (outcome.kind) {
    case "busy":
      return refuse(c, BUSY);
    case "not-bound":
      return refuse(c, { kind: "not_found", message: "The terminal is not bound." });
    case "unbound": {
      const details = boundPosId === null ? {} : { posId: boundPosId };
      await audit(c.env.DATABASE, {
        ...entryOf(c.get("operator"), "terminal.unbind", terminalId),
        details,
      }).run();
      await applyPrebinding(c.env, [terminalId]);
      return c.json({ code: 20000, message: "The terminal is unbound." } satisfies Done);
    }
    default:
      return outcome satisfies never;
  }
});

const NO_TERMINAL: Refusal = { kind: "not_found", message: "There is no such terminal." };
const BUSY: Refusal = {
  kind: "conflict",
  message: "The terminal has a transaction running; try again when it has ended.",
};

async function enrolled(
  env: Env,
  terminalId: string,
): Promise<{ ok: true; terminal: Terminal } | { ok: false; refusal: Refusal }> {
  const terminal = await findTerminal(env.DATABASE, terminalId);
  if (terminal === null) return { ok: false, refusal: NO_TERMINAL };
  if (terminal.status === "retired") {
    return { ok: false, refusal: { kind: "conflict", message: "The terminal is retired." } };
  }
  return { ok: true, terminal };
}

function entryOf(actor: string, action: AuditAction, target: string): AuditEntry {
  return { at: Date.now(), actor, action, target, details: {} };
}

function terminalView(terminal: TerminalWithStatus): TerminalAnswer {
  const { terminalId, isVT, merchantId, name, status, boundPosId, createdAt, live } = terminal;
  return {
    terminalId,
    isVT,
    merchantId,
    name,
    status,
    posId: boundPosId,
    connected: live?.connected ?? false,
    createdAt: isoWithOffset(createdAt, "UTC"),
  };
}

function timeOrNull(epochMs: number | null | undefined): string | null {
  return epochMs === null || epochMs === undefined ? null : isoWithOffset(epochMs, "UTC");
}
