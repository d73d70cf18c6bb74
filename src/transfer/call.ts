/** What the terminal's object is asked, for each kind of message. */
import type { Channel } from "../protocol/accounts.ts";
import type { Problem } from "../protocol/problem.ts";
import type { TerminalStub } from "../terminal/stub.ts";
import type { TransferReply } from "../terminal/transfer-calls.ts";
import type { Admitted } from "./admit.ts";
import type { TransferMessage } from "./message.ts";
import { datetimeProblems } from "./problems.ts";
import { channelVerdict, merchantProblems } from "./verdicts.ts";

export type ObjectCall = (stub: TerminalStub) => Promise<TransferReply>;

/**
 * The call, with the verdicts of now: they count only for a transaction that the object does not know. Judged once, by
 * the time of arrival: a try that was lost may still get there, so none may be judged differently later.
 *
 * @param channels all that there are, where the message names one
 * @param detached the asker does not wait for the outcome
 * @param stages the asker is told the stages
 */
export function callFor(
  message: TransferMessage,
  { terms: account, recorded }: Admitted,
  channels: readonly Channel[],
  detached: boolean,
  stages: boolean,
  now: number,
): ObjectCall {
  const { posId, referenceId, datetime, ask } = message;
  const { merchantId, currency, timezone, version } = account;
  const problems: Problem[] = [
    ...(ask.kind === "cancel" ? [] : merchantProblems(ask.merchantId, merchantId)),
    ...datetimeProblems(datetime, now),
  ];
  const question = {
    posId,
    referenceId,
    account: { merchantId, currency, timezone, version },
    arrivedAt: now,
    recorded,
    ...(stages ? { stages } : {}),
  };
  switch (ask.kind) {
    case "cancel":
      return (stub) => stub.cancel({ ...question, problems });
    case "question": {
      const { transType, namedTransId, namedReferenceId } = ask;
      return (stub) => stub.inquire({ ...question, problems, transType, namedTransId, namedReferenceId });
    }
    case "transaction": {
      const { transType, terms, details } = ask;
      const channel = channelVerdict(terms.paymentChannel, channels, currency);
      if (channel.kind === "unknown") problems.push(...channel.problems);
      const channelInactive = channel.kind === "inactive";
      return (stub) =>
        stub.submit({ ...question, problems, transType, terms, details, channelInactive, patient: detached });
    }
    default:
      return ask satisfies never;
  }
}
