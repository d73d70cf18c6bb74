/** Delivers the entries of the terminal's outbox to D1 and accounts. */
import { NUMBER_BLOCK } from "../durable/storage/outbox.ts";
import type { OutboxReceiver } from "../durable/outbox-dispatcher.ts";
import { databaseReceiver } from "../durable/outbox-database.ts";
import { accountStub } from "../account/rpc.ts";
import type { NumberBlock } from "../coordinator/rpc.ts";
import { accountObject, noteBlock, readObjectName, terminalObject } from "../d1/objects.ts";
import { terminalStatement } from "../d1/terminals.ts";
import { deliverBinding } from "./binding.ts";
import { STATE } from "./outbox-entries.ts";
import { CONFLICT, deliverConflict, deliverOutcomes } from "./outcomes.ts";
import { toRowState } from "./presence.ts";
import { OUTCOME } from "./storage/journal.ts";
import type { TerminalContext } from "./context.ts";

export function terminalReceivers(
  state: Pick<DurableObjectState, "waitUntil">,
  env: Env,
  context: TerminalContext,
): OutboxReceiver[] {
  const { DATABASE: database } = env;
  const { records, lane, outbox } = context;
  const terminalId = (): string => records.terminalId ?? "";
  const toDatabase = databaseReceiver({
    context: state,
    database,
    outbox,
    object: () => terminalObject(terminalId()),
    changes: {
      [STATE.kind]: ({ version }) => {
        const { record } = records;
        if (record === null) return { statements: [] };
        const copy = toRowState(record, lane.lane.link.current?.heardAt ?? null);
        return { statements: [terminalStatement(database, record.terminalId, version, copy)] };
      },
      [NUMBER_BLOCK]: ({ payload }, now) => ({
        statements: [noteBlock(database, terminalId(), JSON.parse(payload ?? "") as NumberBlock, now)],
      }),
    },
  });
  const toAccounts: OutboxReceiver = {
    target: accountObject(""),
    isBatched: (kind) => kind === OUTCOME,
    async send(entries) {
      const [first] = entries;
      if (first === undefined) return () => [];
      const { id: posId } = readObjectName(first.target);
      const account = accountStub(env, posId);
      const { link } = lane.lane;
      const outcomes = { find: (requestId: number) => lane.find(requestId), terminalId: terminalId(), link };
      if (first.kind === OUTCOME) {
        const answers = await deliverOutcomes(outcomes, account, entries);
        return () => answers;
      }
      const judge =
        first.kind === CONFLICT
          ? await deliverConflict(outcomes, account, first)
          : await deliverBinding(context, account, posId, first);
      return (now) => [judge(now)];
    },
  };
  return [toDatabase, toAccounts];
}
