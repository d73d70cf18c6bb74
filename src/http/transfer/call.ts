/**
 * The call to the terminal's object for each kind of message. Checks of the current state apply only to a request that
 * the object does not know; a known one is joined or replayed, whatever has changed since (I3).
 */
import type { Channel, ChannelState } from "../../protocol/accounts.ts";
import type { Problem } from "../../protocol/problem.ts";
import type { TransferCall } from "../../rpc/transfers.ts";
import type { Admitted } from "../../rpc/account.ts";
import type { TransferMessage } from "./parse.ts";
import { datetimeProblems } from "../../signing/problems.ts";

interface Sent {
  message: TransferMessage;
  admitted: Admitted;
  /** All channels, if the message names one; null if they cannot be read. */
  channels: readonly Channel[] | null;
  /** The caller does not wait for the outcome. */
  detached: boolean;
  stages: boolean;
}

/**
 * The checks use the time of arrival: a lost attempt may still arrive, so a later one must not be judged differently.
 *
 * @param now the time of arrival, epoch milliseconds
 */
export function callFor({ message, admitted, channels, detached, stages }: Sent, now: number): TransferCall {
  const { terms: account, recorded } = admitted;
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

function merchantProblems(named: string, own: string): Problem[] {
  if (named === own) return [];
  return [
    {
      path: "merchantId",
      message: "This is not the account's merchant. Send the merchantId that the operator assigned.",
    },
  ];
}

/** The most channels that a message names: the verdict travels in a header. */
const NAMED_CHANNELS = 20;

interface ChannelVerdict {
  channel: ChannelState;
  problems: Problem[];
}

/**
 * A known channel is inactive if it is switched off, or does not support the account's currency. Any other name is
 * invalid.
 *
 * @param channels null: they cannot be read
 */
export function channelVerdict(
  name: string | undefined,
  channels: readonly Pick<Channel, "name" | "status" | "currency">[] | null,
  currency: string,
): ChannelVerdict {
  if (name === undefined) return { channel: "usable", problems: [] };
  if (channels === null) return { channel: "unread", problems: [] };
  const channel = channels.find((candidate) => candidate.name === name);
  const usable = channels.filter((candidate) => candidate.status === 1 && candidate.currency.includes(currency));
  if (channel !== undefined) return { channel: usable.includes(channel) ? "usable" : "inactive", problems: [] };
  const named = usable.slice(0, NAMED_CHANNELS).map((candidate) => candidate.name);
  const names = [...named, ...(usable.length > named.length ? ["or another of GET /api/ewallet-channels"] : [])].join(
    ", ",
  );
  const message =
    usable.length === 0
      ? `There is no such channel, and none for ${currency}. Use another paymentMethod.`
      : `There is no such channel. Send one of those for ${currency}: ${names}.`;
  return { channel: "inactive", problems: [{ path: "transData.paymentChannel", message }] };
}
