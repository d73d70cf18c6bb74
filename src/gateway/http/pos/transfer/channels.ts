/**
 * The e-wallet channels, from a copy in this isolate: a transfer rarely waits for D1, and continues without it. A
 * change by the operator counts here at once, and everywhere after `CHANNELS_FRESH`.
 */
import { log } from "../../../lib/log.ts";
import type { Channel, ChannelState } from "../../../../protocol/accounts.ts";
import type { Problem } from "../../../../protocol/problem.ts";
import { listChannels } from "../../../d1/shops.ts";
import { withTimeout } from "../../../lib/with-timeout.ts";
import { MINUTE, SECOND, type EpochMs } from "../../../../protocol/time/units.ts";

/** An operator's change of a channel counts everywhere after this time. */
const CHANNELS_FRESH = MINUTE;

/** A transfer waits this long for D1's list of channels. Then the last copy counts. */
const CHANNELS_WAIT = 2 * SECOND;

/** After D1 has failed, the last copy counts for this long before D1 is asked again. */
const CHANNELS_RETRY = 10 * SECOND;

interface Copy {
  channels: readonly Channel[] | null;
  /** The time at which to ask D1 again. */
  askAt: EpochMs;
}

const copies = new WeakMap<D1Database, Copy>();

/**
 * Returns the channels as D1 has them, or had them last; null if D1 never answered.
 *
 */
export async function readChannels(database: D1Database, now: EpochMs): Promise<readonly Channel[] | null> {
  const copy = copies.get(database) ?? forgetChannels(database);
  if (copy.channels !== null && now < copy.askAt) return copy.channels;
  try {
    const channels = await withTimeout(CHANNELS_WAIT, listChannels(database, null));
    // The answer goes into the earlier copy: if that was dropped meanwhile, it may be older than the change.
    Object.assign(copy, { channels, askAt: now + CHANNELS_FRESH });
    return channels;
  } catch (error) {
    log("warning", "channels_not_read", { detail: String(error) });
    // Without a copy, the next transfer asks again: it needs the list.
    copy.askAt = now + CHANNELS_RETRY;
    return copy.channels;
  }
}

/** Call this when the operator has changed a channel: the next transfer asks D1. */
export function forgetChannels(database: D1Database): Copy {
  const copy: Copy = { channels: null, askAt: 0 };
  copies.set(database, copy);
  return copy;
}

/** A message names at most this many channels, because the verdict travels in a header. */
const NAMED_CHANNELS = 20;

export interface ChannelVerdict {
  channel: ChannelState;
  problems: Problem[];
}

/**
 * A known channel is inactive if it is switched off, or does not support the account's currency. Any other name is
 * invalid.
 *
 * @param channels null: they cannot be read
 */
export function judgeChannel(
  name: string,
  channels: readonly Pick<Channel, "name" | "status" | "currency">[] | null,
  currency: string,
): ChannelVerdict {
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
