import { applyPrebinding, forgetPrebinding } from "../../../binding/prebinding.ts";
import { confirmStatuses, statusOf, type Live } from "../../../binding/statuses.ts";
import { unbindTerminal } from "../../../binding/unbinding.ts";
import { noteMade } from "../../../keeper/stub.ts";
import { randomKey, seal } from "../../../keys/sealing.ts";
import { logError } from "../../../log.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { type AuditEntry, detailsOf } from "../../../storage/audit.ts";
import {
  changeTerminal,
  findTerminalInShop,
  insertTerminal,
  listTerminals,
  retireTerminal,
  type TerminalInShop,
  withdrawTerminal,
} from "../../../storage/terminals.ts";
import { terminalObject } from "../../../storage/untold.ts";
import { terminalStub } from "../../../terminal/stub.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { type Refusal, refuse } from "../../errors.ts";
import type { Done } from "../../openapi/fields.ts";
import { inTime } from "../../time-limit.ts";
import { body, noQuery, query } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { pageOf } from "../../pages.ts";
import { NO_TERMINAL, requireEnrolled, requireTerminal, RETIRED, validTerminalId } from "./lookup.ts";
import { newTerminal, terminalChanges, terminalQuery } from "./requests.ts";
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
  message: "The terminal has a transaction in progress. Try again when it has ended.",
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
    after: { isVT, merchantId, name },
  });

  // D1 first: its row reserves the id.
  const row = { terminalId, isVT, merchantId, name, createdAt, sealedUnder: keys.current.kid };
  if (!(await inTime(insertTerminal(c.env.DATABASE, row, entry({}))))) {
    return refuse(c, {
      kind: "conflict",
      message: "This terminalId is in use, or was used before, maybe in another case. Choose another.",
    });
  }
  try {
    await terminalStub(c.env, terminalId).enrol({
      terminalId,
      isVT,
      merchantId,
      name,
      createdAt,
      sealedSecret: seal(keys, secret, "terminal-secret", terminalId),
    });
    await noteMade(c.env, terminalObject(terminalId));
  } catch (error) {
    logError("enrolment failed", error, { traceId: c.get("traceId"), terminal: terminalId });
    await withdrawTerminal(c.env.DATABASE, terminalId, entry({ withdrawn: true }));
    return refuse(c, { kind: "internal_server_error" });
  }
  await applyPrebinding(c.env, [terminalId]);
  const terminal = await findTerminalInShop(c.env.DATABASE, terminalId);
  if (terminal === null) throw new Error("A terminal that was just enrolled is not there.");
  return c.json({ ...terminalView({ ...terminal, live: null }), secret } satisfies TerminalWithSecret, 201);
});

terminals.get("/operator/terminals", query(terminalQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listTerminals(c.env.DATABASE, filter, cursor, limit + 1);
  const page = pageOf(
    found,
    limit,
    ({ terminalId }) => terminalId,
    (row) => row,
  );
  const data = (await confirmStatuses(c.env, page.data)).map(terminalView);
  // Their objects know better than D1.
  const confirmed = data.filter(({ connected }) => connected === (filter.connected ?? connected));
  return c.json({ ...page, data: confirmed } satisfies TerminalPage);
});

terminals.get("/operator/terminals/:terminalId", noQuery, validTerminalId, async (c) => {
  const terminal = await findTerminalInShop(c.env.DATABASE, c.req.valid("param").terminalId);
  if (terminal === null) return refuse(c, NO_TERMINAL);
  const live = terminal.status === "retired" ? null : await statusOf(c.env, terminal.terminalId);
  return c.json({
    ...terminalView({ ...terminal, live }),
    connectedSince: timeOrNull(live?.connectedSince),
    softwareVersion: live?.softwareVersion ?? null,
    terminalSn: live?.terminalSn ?? null,
  } satisfies OperatorTerminalDetails);
});

terminals.patch(
  "/operator/terminals/:terminalId",
  noQuery,
  validTerminalId,
  requireTerminal,
  requireEnrolled,
  body(terminalChanges),
  async (c) => {
    const { terminalId, merchantId, name } = c.get("terminal");
    const changes = c.req.valid("json");
    const after = {
      ...(changes.merchantId === undefined ? {} : { merchantId: changes.merchantId }),
      ...(changes.name === undefined ? {} : { name: changes.name }),
    };
    const before = {
      ...(changes.merchantId === undefined ? {} : { merchantId }),
      ...(changes.name === undefined ? {} : { name }),
    };
    await inTime(
      changeTerminal(c.env.DATABASE, terminalId, changes, {
        at: Date.now(),
        actor: c.get("operator"),
        action: "terminal.change",
        target: terminalId,
        details: detailsOf(after),
        before,
        after,
      }),
    );
    // In case that D1 is restored.
    await terminalStub(c.env, terminalId).describe(changes);
    // An account of the new merchant may have been waiting for this terminal.
    if (changes.merchantId !== undefined) await applyPrebinding(c.env, [terminalId]);
    const terminal = await findTerminalInShop(c.env.DATABASE, terminalId);
    if (terminal === null) return refuse(c, NO_TERMINAL);
    const live = await statusOf(c.env, terminalId);
    return c.json(terminalView({ ...terminal, live }) satisfies TerminalAnswer);
  },
);

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
    const { terminalId, isVT, merchantId, name, createdAt } = c.get("terminal");
    const secret = randomKey();
    const sealedSecret = seal(c.get("keys"), secret, "terminal-secret", terminalId);
    const change = () => terminalStub(c.env, terminalId).changeSecret(sealedSecret, c.get("operator"));
    let outcome = await change();
    if (outcome.kind === "not-enrolled") {
      // The enrolment stopped between D1 and the object.
      await terminalStub(c.env, terminalId).enrol({ terminalId, isVT, merchantId, name, createdAt, sealedSecret });
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

function terminalView(terminal: TerminalInShop & Live): TerminalAnswer {
  const { terminalId, isVT, merchantId, name, status, boundPosId, shopName, createdAt, live } = terminal;
  const connected = live?.connected ?? false;
  return {
    terminalId,
    isVT,
    merchantId,
    name,
    status,
    posId: boundPosId,
    shopName,
    connected,
    // The object knows better. If it is not asked, D1 has its last report.
    offlineSince: connected ? null : timeOrNull(live?.offlineSince ?? terminal.offlineSince),
    lastHeartbeat: timeOrNull(live?.lastHeard ?? terminal.lastHeartbeat),
    createdAt: isoWithOffset(createdAt, "UTC"),
  };
}

function timeOrNull(epochMs: number | null | undefined): string | null {
  return epochMs === null || epochMs === undefined ? null : isoWithOffset(epochMs, "UTC");
}
