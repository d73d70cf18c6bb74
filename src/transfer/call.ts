/** The call to the terminal's object for each kind of message. */
import type { Channel } from "../protocol/accounts.ts";
import type { Problem } from "../protocol/problem.ts";
import type { TransferCall } from "../terminal/transfer-calls.ts";
import type { Admitted } from "./admit.ts";
import type { TransferMessage } from "./message.ts";
import { datetimeProblems } from "./problems.ts";
import { channelVerdict, merchantProblems } from "./verdicts.ts";

/**
 * The call with today's checks, which apply only to a transaction that the object does not know. They use the time of
 * arrival: a lost attempt may still arrive, so a later one must not be judged differently.
 *
 * @param channels all channels, if the message names one; null if they cannot be read
 * @param detached the caller does not wait for the outcome
 * @param stages the caller gets the stages
 */
export function callFor(
  message: TransferMessage,
  { terms: account, recorded }: Admitted,
  channels: readonly Channel[] | null,
  detached: boolean,
  stages: boolean,
  now: number,
): TransferCall {
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
    stages,
  };
  switch (ask.kind) {
    case "cancel":
      return { call: "cancel", question: { ...question, problems } };
    case "question": {
      const { transType, namedTransId, namedReferenceId } = ask;
      return { call: "inquire", question: { ...question, problems, transType, namedTransId, namedReferenceId } };
    }
    case "transaction": {
      const { transType, terms, details } = ask;
      const { channel, problems: wrong } = channelVerdict(terms.paymentChannel, channels, currency);
      const submission = { ...question, problems: [...problems, ...wrong], transType, terms, details, channel };
      return { call: "submit", question: { ...submission, detached } };
    }
    default:
      return ask satisfies never;
  }
}
