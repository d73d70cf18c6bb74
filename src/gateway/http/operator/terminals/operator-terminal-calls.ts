import * as z from "zod";
import { displayName, identifier, optionalField, removable, textField, zeroOrOne } from "../../validation/fields.ts";
import { MERCHANT_ID_LENGTH, NONCE_LENGTH, TERMINAL_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { type FilterValues, TERMINAL_FILTERS } from "../../../../protocol/operator-filters.ts";
import { listQuery } from "../filters.ts";
import { makePage } from "../../middleware/pages.ts";
import {
  applyPrebinding,
  forgetPrebinding,
  type Live,
  confirmStatuses,
  askStatus,
  unbindTerminal,
} from "../../../binding/binding.ts";
import { noteMade } from "../../../coordinator/rpc.ts";
import { randomKey, seal } from "../../../secrets/sealing.ts";
import { logError } from "../../../lib/log.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { auditAlways, type AuditEntry, auditDetails, entryBy } from "../../../d1/audit.ts";
import {
  type TerminalInShop,
  type TerminalRow,
  changeTerminal,
  findTerminal,
  findTerminalInShop,
  insertTerminal,
  listTerminals,
  retireTerminal,
  withdrawTerminal,
} from "../../../d1/terminals.ts";
import { findAccount } from "../../../d1/accounts.ts";
import { terminalObject } from "../../../d1/objects.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import { SECOND } from "../../../../protocol/time/units.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import { DATABASE_AWAY, type Refusal, refuse, refusalOfFailure, answerDone } from "../../middleware/errors.ts";
import { inTime } from "../../middleware/time-limit.ts";
import { body, noQuery, query } from "../../validation/validators.ts";
import { operatorFactory, forAdmins, forSupport, forViewers } from "../authentication.ts";
import { NO_TERMINAL, RETIRED, requireEnrolled, requireTerminal, validTerminalId } from "./lookup.ts";
import type {
  OperatorTerminalDetails,
  TerminalAnswer,
  TerminalPage,
  TerminalWithSecret,
} from "../../../../protocol/schemas/operator.ts";
import {
  filterNotes,
  noSuch,
  PAGE_NOTES,
  RETIRED_OR_BUSY,
  SHORT_PAGES,
  changesSomething,
  removableName,
} from "../words.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";

export const terminalListQuery = listQuery(TERMINAL_FILTERS);

const terminalChanges = z
  .object({ merchantId: optionalField(identifier(MERCHANT_ID_LENGTH)), name: removable(displayName) })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: "Send at least one of merchantId, name.",
  });

export const newTerminal = z.object({
  terminalId: identifier(TERMINAL_ID_LENGTH),
  isVT: zeroOrOne,
  merchantId: optionalField(identifier(MERCHANT_ID_LENGTH)),
  name: optionalField(displayName),
  enrolmentId: optionalField(textField(NONCE_LENGTH)),
});

type TerminalFilter = FilterValues<typeof TERMINAL_FILTERS>;

/** Terminals whose objects one call asks for a filter, and how long it goes on asking: the caller follows `next`. */
const ASKED = 5 * PAGE_ROWS;
const ASKED_WITHIN = 2 * SECOND;

export const operatorTerminalCalls = operatorFactory.createApp();

const BUSY: Refusal = {
  kind: "conflict",
  message: "The terminal has a transaction in progress. Try again when it has ended.",
};

const BOUND: Refusal = {
  kind: "conflict",
  message:
    "Unbind the terminal first. It is bound to an account of another merchant, and would go on taking money for that account.",
};

const TAKEN: Refusal = {
  kind: "conflict",
  message: "This terminalId is in use, or was used before, possibly with different capitalisation. Choose another.",
};

describeMessages(({ said, requestSchema }) => ({
  NewTerminal: requestSchema(
    newTerminal,
    {
      terminalId: said("The terminal's unique id, `deviceId` in transfers. Never reused.", "T-1001"),
      isVT: said("1: a virtual terminal. 0: any other terminal.", 0),
      merchantId: said(
        "Assigns the terminal to a merchant: only that merchant's accounts can bind it, with a key or by their prebind " +
          "list.",
        "M-1001",
      ),
      name: said("The operator's own name for it.", "Counter 3"),
      enrolmentId: said(
        "A text that identifies this enrolment, such as a UUID. If its response was lost, send the same again: the terminal " +
          "gets another secret. Not if someone else has enrolled it meanwhile, or has replaced its secret: then 409.",
        "0b6e0f0e-6a56-4d6c-9b1c-3f6d3b1a2c11",
      ),
    },
    said("A new terminal.", { terminalId: "T-1001", isVT: 0, merchantId: "M-1001" }),
  ),
  TerminalChanges: requestSchema(
    terminalChanges,
    {
      merchantId: said("The merchant that it is assigned to from now on.", "M-1001"),
      name: removableName("Counter 3"),
    },
    {
      description: "The changes of a terminal, at least one field.",
      examples: [{ name: "Counter 3" }],
      ...changesSomething(Object.keys(terminalChanges.shape)),
    },
  ),
}));

operatorTerminalCalls.post("/operator/terminals", forAdmins, noQuery, body(newTerminal), async (c) => {
  const { terminalId, isVT, merchantId = null, name = null, enrolmentId = null } = c.req.valid("json");
  const keys = c.get("keys");
  const createdAt = Date.now();
  const secret = randomKey();
  const entry = (more: AuditEntry["details"]): AuditEntry =>
    entryBy(c.get("operator"), "terminal.enrol", terminalId, {
      details: { ...auditDetails({ isVT, merchantId }), ...more },
      after: { isVT, merchantId, name },
    });

  // D1 comes first, because its row reserves the id.
  const row = { terminalId, isVT, merchantId, name, createdAt, sealedUnder: keys.current.kid };
  const isNew = await inTime(insertTerminal(c.env.DATABASE, row, entry({})));
  // The object decides whether it is the same enrolment again. An id in another case must not create an object.
  const isKnown = async () => (await inTime(findTerminal(c.env.DATABASE, terminalId))) !== null;
  if (!isNew && (enrolmentId === null || !(await isKnown()))) return refuse(c, TAKEN);
  const withdraw = () =>
    isNew ? withdrawTerminal(c.env.DATABASE, terminalId, entry({ withdrawn: true })) : Promise.resolve();
  try {
    const sealedSecret = seal(keys, secret, "terminal-secret", terminalId);
    const enrolment = { terminalId, isVT, merchantId, name, createdAt, sealedSecret, enrolmentId };
    const { kind } = await terminalStub(c.env, terminalId).enrol(enrolment);
    if (kind === "taken") {
      await withdraw();
      return refuse(c, TAKEN);
    }
    if (!isNew) await auditAlways(c.env.DATABASE, entry({ again: true })).run();
    await noteMade(c.env, terminalObject(terminalId));
  } catch (error) {
    logError("enrolment_failed", error, { traceId: c.get("traceId"), terminal: terminalId });
    await withdraw();
    return refuse(c, refusalOfFailure(c, error));
  }
  await applyPrebinding(c.env, [terminalId]);
  const terminal = await findTerminalInShop(c.env.DATABASE, terminalId);
  if (terminal === null) throw new Error("A terminal that was just enrolled is not there.");
  return c.json({ ...terminalView({ ...terminal, live: null }), secret } satisfies TerminalWithSecret, 201);
});

describeCall(operatorTerminalCalls, () => ({
  tag: "Operator terminals",
  operationId: "enrolTerminal",
  summary: "Enrol a terminal",
  description: "Creates a terminal and its secret. Only this response has the secret.",
  body: "The new terminal.",
  answers: {
    201: ["The terminal, with its secret.", "EnrolledTerminalWithSecret"],
    409: "The terminalId is in use, or was used before, in any case, and not by this `enrolmentId`.",
  },
}));

operatorTerminalCalls.get("/operator/terminals", forViewers, query(terminalListQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  return c.json((await confirmedPage(c.env, filter, cursor, limit)) satisfies TerminalPage);
});

describeCall(operatorTerminalCalls, () => ({
  tag: "Operator terminals",
  operationId: "listEnrolledTerminals",
  summary: "List terminals",
  description:
    `A page of terminals, ordered by id, including retired ones. ${SHORT_PAGES} ` +
    "`connected` and `offlineSince` are the current state, also for the filters: the terminals are asked.",
  query: { ...PAGE_NOTES, ...filterNotes(TERMINAL_FILTERS) },
  answers: { 200: ["A page.", "EnrolledTerminalPage"] },
}));

/**
 * D1 learns late that a terminal froze, so the objects decide which terminals are on the page. Rows are scanned once.
 */
async function confirmedPage(env: Env, filter: TerminalFilter, cursor: string, limit: number): Promise<TerminalPage> {
  const isLive = filter.connected !== undefined || filter.offlineSince !== undefined;
  const rows = isLive ? PAGE_ROWS : limit;
  const until = Date.now() + ASKED_WITHIN;
  const data: TerminalAnswer[] = [];
  let next: string | null = cursor;
  for (let asked = 0; next !== null && asked < ASKED && data.length < limit && Date.now() <= until; asked += rows) {
    const found = await listTerminals(env.DATABASE, filter, next, rows + 1);
    const page = makePage(
      found,
      rows,
      ({ terminalId }) => terminalId,
      (row) => row,
    );
    const confirmed = (await confirmStatuses(env, page.data)).map(terminalView);
    data.push(...confirmed.filter((terminal) => fits(terminal, filter)));
    ({ next } = page);
    if (found.judgedTo !== null) break;
  }
  if (data.length <= limit) return { data, next };
  const shown = data.slice(0, limit);
  return { data: shown, next: shown.at(-1)?.terminalId ?? null };
}

function fits(
  { connected, offlineSince }: TerminalAnswer,
  { connected: wanted, offlineSince: before }: TerminalFilter,
) {
  const isOld = before === undefined || (offlineSince !== null && Date.parse(offlineSince) < before);
  return isOld && (wanted ?? connected) === connected;
}

operatorTerminalCalls.get("/operator/terminals/:terminalId", forViewers, noQuery, validTerminalId, async (c) => {
  const terminal = await findTerminalInShop(c.env.DATABASE, c.req.valid("param").terminalId);
  if (terminal === null) return refuse(c, NO_TERMINAL);
  const live = terminal.status === "retired" ? null : await askStatus(c.env, terminal.terminalId);
  return c.json({
    ...terminalView({ ...terminal, live }),
    connectedSince: timeOrNull(live?.connectedSince),
    terminalSn: live?.terminalSn ?? null,
  } satisfies OperatorTerminalDetails);
});

describeCall(operatorTerminalCalls, () => ({
  tag: "Operator terminals",
  operationId: "getEnrolledTerminal",
  summary: "Read a terminal",
  description: "One terminal, with its connection and versions. Its secret is never shown.",
  answers: { 200: ["The terminal.", "EnrolledTerminalDetails"], 404: noSuch("terminal") },
}));

operatorTerminalCalls.patch(
  "/operator/terminals/:terminalId",
  forAdmins,
  noQuery,
  requireEnrolled,
  body(terminalChanges),
  async (c) => {
    const terminal = c.get("terminal");
    const { terminalId } = terminal;
    const changes = c.req.valid("json");
    if (await leavesItsShop(c.env.DATABASE, terminal, changes.merchantId)) return refuse(c, BOUND);
    const changed = (["merchantId", "name"] as const).filter((member) => changes[member] !== undefined);
    const after = Object.fromEntries(changed.map((member) => [member, changes[member] ?? null]));
    const before = Object.fromEntries(changed.map((member) => [member, terminal[member]]));
    const values = { details: auditDetails(after), before, after };
    const entry = entryBy(c.get("operator"), "terminal.change", terminalId, values);
    await inTime(changeTerminal(c.env.DATABASE, terminalId, changes, entry));
    // In case D1 has been restored from an older copy.
    await terminalStub(c.env, terminalId).describe(changes);
    // An account of the new merchant may be waiting for this terminal.
    if (changes.merchantId !== undefined) await applyPrebinding(c.env, [terminalId]);
    const found = await findTerminalInShop(c.env.DATABASE, terminalId);
    if (found === null) return refuse(c, NO_TERMINAL);
    return c.json(terminalView({ ...found, live: await askStatus(c.env, terminalId) }) satisfies TerminalAnswer);
  },
);

describeCall(operatorTerminalCalls, () => ({
  tag: "Operator terminals",
  operationId: "changeTerminal",
  summary: "Change a terminal",
  description:
    "Changes the fields in the body. Unbind the terminal before you assign it to another merchant than that of its " +
    "account: a bound terminal takes money for its account, whatever its merchantId is. An account of the new merchant " +
    "with the terminal on its prebind list gets it immediately.",
  body: "The changes.",
  answers: {
    200: ["The terminal as it is now.", "EnrolledTerminal"],
    404: noSuch("terminal"),
    409: "The terminal is retired, or is bound to an account of another merchant.",
  },
}));

operatorTerminalCalls.delete("/operator/terminals/:terminalId", forAdmins, noQuery, requireTerminal, async (c) => {
  const [terminalId, known] = [c.get("terminalId"), c.get("known")];
  if (known?.status === "retired") return refuse(c, RETIRED);
  const outcome = await terminalStub(c.env, terminalId).retire(c.get("operator"));
  if (outcome.kind === "busy") return refuse(c, BUSY);
  if (outcome.kind === "not-enrolled") {
    if (known === null) return refuse(c, DATABASE_AWAY);
    await retireTerminal(c.env.DATABASE, terminalId, entryBy(c.get("operator"), "terminal.retire", terminalId));
  }
  if (known !== null && known.boundPosId !== null) await forgetPrebinding(c.env, known.boundPosId, terminalId);
  return answerDone(c, "The terminal is retired.");
});

describeCall(operatorTerminalCalls, () => ({
  tag: "Operator terminals",
  operationId: "retireTerminal",
  summary: "Retire a terminal",
  description: "Unbinds the terminal, deletes its secret and closes its socket, permanently. Its journal stays.",
  answers: { 200: ["The terminal is retired.", "Done"], 404: noSuch("terminal"), 409: RETIRED_OR_BUSY },
}));

operatorTerminalCalls.delete(
  "/operator/terminals/:terminalId/binding",
  forSupport,
  noQuery,
  requireEnrolled,
  async (c) => {
    const outcome = await unbindTerminal(c.env, c.get("terminal"), null, { actor: c.get("operator") });
    switch (outcome.kind) {
      case "busy":
        return refuse(c, BUSY);
      case "not-bound":
        return refuse(c, { kind: "not_found", message: "The terminal is not bound." });
      case "unbound":
        await applyPrebinding(c.env, [c.get("terminal").terminalId]);
        return answerDone(c, "The terminal is unbound.");
      default:
        return outcome satisfies never;
    }
  },
);

describeCall(operatorTerminalCalls, () => ({
  tag: "Operator terminals",
  operationId: "removeTerminalBinding",
  summary: "Unbind a terminal",
  description: "Removes the terminal from its account and from that account's prebind list.",
  answers: {
    200: ["The terminal is unbound.", "Done"],
    404: "There is no such terminal, or it is not bound, or no operator is set.",
    409: RETIRED_OR_BUSY,
  },
}));

/** Whether the terminal would sell for one merchant while it is assigned to another. */
async function leavesItsShop(
  db: D1Database,
  { boundPosId, merchantId }: TerminalRow,
  wanted: string | undefined,
): Promise<boolean> {
  if (boundPosId === null || wanted === undefined || wanted === merchantId) return false;
  const account = await inTime(findAccount(db, boundPosId));
  return account !== null && account.merchantId !== wanted;
}

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
    // The object is more current. If it is not asked, D1 has its last report.
    offlineSince: connected ? null : timeOrNull(live?.offlineSince ?? terminal.offlineSince),
    lastHeartbeat: timeOrNull(live?.lastHeard ?? terminal.lastHeartbeat),
    softwareVersion: live?.softwareVersion ?? null,
    contested: live?.contested ?? false,
    createdAt: utc(createdAt),
  };
}

function timeOrNull(epochMs: number | null | undefined): string | null {
  return epochMs === null || epochMs === undefined ? null : utc(epochMs);
}
