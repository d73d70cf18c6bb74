import { applyPrebinding, forgetPrebinding } from "../../../binding/prebinding.ts";
import { confirmStatuses, statusOf, type TerminalWithStatus } from "../../../binding/statuses.ts";
import { unbindTerminal } from "../../../binding/unbinding.ts";
import { randomKey, seal } from "../../../keys/sealing.ts";
import { logError } from "../../../log.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import type { AuditEntry } from "../../../storage/audit.ts";
import {
  findTerminal,
  insertTerminal,
  listTerminals,
  retireTerminal,
  withdrawTerminal,
} from "../../../storage/terminals.ts";
import { terminalStub } from "../../../terminal/stub.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { type Refusal, refuse } from "../../errors.ts";
import type { Done } from "../../openapi/fields.ts";
import { inTime } from "../../time-limit.ts";
import { body, noQuery, query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { pageOf, pageQuery } from "../pages.ts";
import { requireEnrolled, requireTerminal, RETIRED, validTerminalId } from "./lookup.ts";
import { newTerminal } from "./requests.ts";
import type {
  OperatorTerminalDetails,
  TerminalAnswer,
  TerminalPage,
  TerminalSecret,
  TerminalWithSecret,
} from "./responses.ts";

export const terminals = operatorFactory.createApp();

const BUSY: Refusal = {
  kind: "conflict",
  message: "The terminal has a transaction running; try again when it has ended.",
};

terminals.post("/operator/terminals", noQuery, body(newTerminal), async (c) => {
  const { terminalId, isVT, merchantId = null, name = null } = c.req.valid("json");
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

  // D1 first: its row reserves the id.
  const row = { terminalId, isVT, merchantId, name, createdAt, sealedUnder: keys.current.kid };
  if (!(await inTime(insertTerminal(c.env.DATABASE, row, entry({}))))) {
    return refuse(c, { kind: "conflict", message: "This terminalId is taken, or was once." });
  }
  try {
    await terminalStub(c.env, terminalId).enrol({
      terminalId,
      isVT,
      sealedSecret: seal(keys, secret, "terminal-secret", terminalId),
    });
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

terminals.get("/operator/terminals/:terminalId", noQuery, validTerminalId, requireTerminal, async (c) => {
  const terminal = c.get("terminal");
  const live = terminal.status === "retired" ? null : await statusOf(c.env, terminal.terminalId);
  return c.json({
    ...terminalView({ ...terminal, live }),
    connectedSince: timeOrNull(live?.connectedSince),
    lastHeartbeat: timeOrNull(live?.lastHeartbeat),
    softwareVersion: live?.softwareVersion ?? null,
    terminalSn: live?.terminalSn ?? null,
  } satisfies OperatorTerminalDetails);
});

terminals.delete(
  "/operator/terminals/:terminalId",
  noQuery,
  validTerminalId,
  requireTerminal,
  requireEnrolled,
  async (c) => {
    const { terminalId, boundPosId } = c.get("terminal");
    const outcome = await terminalStub(c.env, terminalId).retire(c.get("operator"));
    if (outcome.kind === "busy") return refuse(c, BUSY);
    if (outcome.kind === "not-enrolled") {
      const entry = {
        at: Date.now(),
        actor: c.get("operator"),
        action: "terminal.retire",
        target: terminalId,
      } as const;
      await retireTerminal(c.env.DATABASE, terminalId, { ...entry, details: {} });
    }
    if (boundPosId !== null) await forgetPrebinding(c.env, boundPosId, terminalId);
    return c.json({ code: 20000, message: "The terminal is retired." } satisfies Done);
  },
);

terminals.post(
  "/operator/terminals/:terminalId/secret",
  noQuery,
  validTerminalId,
  requireTerminal,
  requireEnrolled,
  async (c) => {
    const { terminalId, isVT } = c.get("terminal");
    const secret = randomKey();
    const sealedSecret = seal(c.get("keys"), secret, "terminal-secret", terminalId);
    const change = () => terminalStub(c.env, terminalId).changeSecret(sealedSecret, c.get("operator"));
    let outcome = await change();
    if (outcome.kind === "not-enrolled") {
      // The enrolment stopped between D1 and the object.
      await terminalStub(c.env, terminalId).enrol({ terminalId, isVT, sealedSecret });
      outcome = await change();
    }
    if (outcome.kind === "retired") return refuse(c, RETIRED);
    return c.json({ terminalId, secret } satisfies TerminalSecret);
  },
);

terminals.delete(
  "/operator/terminals/:terminalId/binding",
  noQuery,
  validTerminalId,
  requireTerminal,
  requireEnrolled,
  async (c) => {
    const outcome = await unbindTerminal(c.env, c.get("terminal"), null, c.get("operator"));
    switch (outcome.kind) {
      case "busy":
        return refuse(c, BUSY);
      case "not-bound":
        return refuse(c, { kind: "not_found", message: "The terminal is not bound." });
      case "unbound":
        await applyPrebinding(c.env, [c.get("terminal").terminalId]);
        return c.json({ code: 20000, message: "The terminal is unbound." } satisfies Done);
      default:
        return outcome satisfies never;
    }
  },
);

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
