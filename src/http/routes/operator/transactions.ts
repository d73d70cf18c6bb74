/** The operator's view of a terminal's journal, and the last word on what a terminal cannot settle itself. */
import { createFactory } from "hono/factory";
import { PAGE_ROWS } from "../../../limits.ts";
import { audit } from "../../../storage/audit.ts";
import { findTerminal } from "../../../storage/terminals.ts";
import { terminalStub } from "../../../terminal/stub.ts";
import type { JournalEntry, KeptEntry } from "../../../terminal/transfer-calls.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import type { TransactionAnswer, TransactionPage } from "../../answers/operator.ts";
import { readBody } from "../../body.ts";
import { type Refusal, refuse } from "../../errors.ts";
import type { OperatorEnvironment } from "../../operator.ts";
import { resolution } from "../../messages/operator.ts";
import { numberedPageQuery } from "../../messages/pages.ts";
import { pageOf, query } from "../../pages.ts";

const REQUEST_ID = /^[1-9][0-9]{9}$/u;

export const transactions = createFactory<OperatorEnvironment>().createApp();

transactions.get("/operator/terminals/:terminalId/transactions", query(numberedPageQuery), async (c) => {
  const terminal = await findTerminal(c.env.DATABASE, c.req.param("terminalId"));
  if (terminal === null) return refuse(c, notFound("terminal"));
  const { cursor = null, limit = PAGE_ROWS } = c.req.valid("query");
  const rows = await terminalStub(c.env, terminal.terminalId).transactions(cursor, limit + 1);
  return c.json(pageOf(rows, limit, ({ requestId }) => requestId, view) satisfies TransactionPage);
});

transactions.post("/operator/terminals/:terminalId/transactions/:requestId/resolve", async (c) => {
  const body = await readBody(c, resolution);
  if (!body.ok) return refuse(c, body.refusal);
  const { statusCode, reason } = body.value;
  const terminal = await findTerminal(c.env.DATABASE, c.req.param("terminalId"));
  const requestId = c.req.param("requestId");
  if (terminal === null) return refuse(c, notFound("terminal"));
  if (!REQUEST_ID.test(requestId)) return refuse(c, notFound("transaction"));
  const outcome = await terminalStub(c.env, terminal.terminalId).resolve(Number(requestId), statusCode, reason);
  switch (outcome.kind) {
    case "not-found":
      return refuse(c, notFound("transaction"));
    case "not-open":
      return refuse(c, {
        kind: "conflict",
        message: "Only a transaction that is pending, or past its end, can be resolved.",
      });
    case "resolved":
      await audit(c.env.DATABASE, {
        at: Date.now(),
        actor: c.get("operator"),
        action: "transaction.resolve",
        target: terminal.terminalId,
        details: { requestId, statusCode, reason },
      }).run();
      return c.json(view(outcome.entry));
  }
});

function notFound(what: "terminal" | "transaction"): Refusal {
  return { kind: "not_found", message: `There is no such ${what}.` };
}

/** Times as ISO 8601 in UTC, as everywhere in the operator's calls. */
function view({
  receivedAt,
  endsAt,
  settledAt,
  stages,
  conflicts,
  evidence,
  outcome,
  ...entry
}: JournalEntry): TransactionAnswer {
  return {
    ...entry,
    // The assertion: its details are as the result's check left them.
    outcome: outcome as TransactionAnswer["outcome"],
    receivedAt: isoWithOffset(receivedAt, "UTC"),
    endsAt: isoWithOffset(endsAt, "UTC"),
    settledAt: settledAt === null ? null : isoWithOffset(settledAt, "UTC"),
    stages: stages.map(({ stage, at }) => ({ stage, at: isoWithOffset(at, "UTC") })),
    conflicts: kept(conflicts),
    evidence: kept(evidence),
  };
}

function kept(entries: KeptEntry[]) {
  return entries.map(({ at, report }) => ({ at: isoWithOffset(at, "UTC"), report }));
}
