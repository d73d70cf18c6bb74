/**
 * Checks that depend on the current state. They apply only to a request that the terminal's object does not know; a known
 * one is joined or replayed, whatever has changed since (I3).
 */
import type { Channel, ChannelState } from "../protocol/accounts.ts";
import type { Problem } from "../protocol/problem.ts";

export function merchantProblems(named: string, own: string): Problem[] {
  if (named === own) return [];
  return [
    {
      path: "merchantId",
      message: "This is not the account's merchant. Send the merchantId that the operator assigned.",
    },
  ];
}

/** So many channels are named at most: the verdict travels in a header. */
const NAMED_CHANNELS = 20;

export interface ChannelVerdict {
  channel: ChannelState;
  problems: Problem[];
}

/**
 * A known channel is inactive if it is switched off, or does not support the account's currency. Any other name is invalid.
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
