import type { TransferType } from "../../protocol/transfer-types.ts";
import { newReferenceId, type PosClient, type SaleRequest, type TransferTarget } from "../../client/pos.ts";
import { writePrivate } from "../private-file.ts";
import { fromCaller } from "../settings.ts";
import { UsageError } from "../invocation.ts";
import type { Call, Command, FlagName, Flags } from "./flags.ts";
import { dataShown, eventShown, totalsText, transactionLine, transferShown } from "./report.ts";
import { WEBHOOK_ACTIONS, webhooksCommand } from "./webhooks.ts";

function asks(
  usage: string,
  does: string,
  run: (call: Call, first: string) => Promise<unknown>,
  more: Pick<Command, "arguments" | "flags"> = {},
): Command {
  return { usage, does, ...more, run: async (call) => dataShown(await run(call, argument(call, 0))) };
}

const ONE = { arguments: [1, 1] } as const;

const TRANSFER: readonly FlagName[] = ["device", "reference", "label", "wait"];
const PRINTED: readonly FlagName[] = ["product", "promo", "copies", "metadata"];

/** The type checks that no transfer is missing. */
const TRANSFERS: Record<TransferType, Command> = {
  sale: {
    usage: "sale AMOUNT",
    does: "a purchase: 12.50",
    arguments: [1, 1],
    flags: [...TRANSFER, "method", "channel", "note", ...PRINTED],
    run: async (call) => {
      const { flags } = call;
      const means = meansOf(flags);
      const details = { transAmt: argument(call, 0), ...noted(flags), ...printed(flags) };
      return transferShown(await call.pos.sale({ ...target(call), ...details, ...means }, call.options));
    },
  },
  cashOut: {
    usage: "cashOut AMOUNT CASH",
    does: "a purchase with cash, by domestic debit card",
    arguments: [2, 2],
    flags: [...TRANSFER, "note", ...PRINTED],
    run: async (call) => {
      const amounts = { transAmt: argument(call, 0), cashAmt: argument(call, 1) };
      const request = { ...target(call), ...amounts, ...noted(call.flags), ...printed(call.flags) };
      return transferShown(await call.pos.cashOut(request, call.options));
    },
  },
  void: {
    usage: "void TRANSID",
    does: "reverses an approved sale or cashOut",
    arguments: [1, 1],
    flags: [...TRANSFER, ...PRINTED],
    run: async (call) => {
      const request = { ...target(call), transId: argument(call, 0), ...printed(call.flags) };
      return transferShown(await call.pos.void(request, call.options));
    },
  },
  inquiry: {
    usage: "inquiry [TRANSID]",
    does: "asks for its outcome, or for that of --about REFERENCE or --reference",
    arguments: [0, 1],
    flags: [...TRANSFER, "about"],
    run: async (call) => {
      const [transId] = call.args;
      const referenceId = call.flags.about;
      if (transId !== undefined && referenceId !== undefined) throw new UsageError("Use either TRANSID or --about.");
      const byReference = referenceId === undefined ? {} : { about: { referenceId } };
      const about = transId === undefined ? byReference : { about: { transId } };
      return transferShown(await call.pos.inquiry({ ...target(call), ...about }, call.options));
    },
  },
  getLast: {
    usage: "getLast",
    does: "the last transaction that reached the terminal",
    flags: TRANSFER,
    run: async (call) => transferShown(await call.pos.getLast(target(call), call.options)),
  },
};

export const events: Command = {
  usage: "events",
  does: "lists the account's events; --after NUMBER; --follow waits for more",
  flags: ["after", "follow"],
  run: async ({ pos, flags, options, print, complain }) => {
    const follow = flags.follow === true;
    const { after } = flags;
    const { signal, within } = options;
    const read = pos.events({
      follow,
      // Like `tail`: with --follow, it begins with new events; without, with the existing ones.
      ...(after === undefined && follow ? {} : { after: after ?? 0 }),
      signal,
      within,
      onProblem: once(complain),
      onSkipped: (skipped) => complain(`${skipped} events are missing here: they were deleted after 400 days.`),
    });
    for await (const event of read) print(eventShown(event));
    return null;
  },
};

/** Reports once that the gateway does not answer, and once that it is back. */
function once(complain: Call["complain"]): (problem: { message: string } | null) => void {
  let isDown = false;
  return (problem) => {
    if (problem === null) complain("Reading events again.");
    else if (!isDown) complain(`${problem.message} Trying again.`);
    isDown = problem !== null;
  };
}

const USUAL_LIMIT = 20;

type Filters = Parameters<PosClient["transactions"]>[0];

/** For people a line each, for programs a line of JSON each. */
const transactions: Command = {
  usage: "transactions",
  does: "transactions with their outcomes, newest first; --day --device --status --type --about --limit",
  flags: ["day", "device", "status", "type", "about", "limit"],
  run: async ({ pos, flags, options, print }) => {
    let left = flags.limit ?? USUAL_LIMIT;
    for await (const transaction of pos.transactions(filtersOf(flags), options)) {
      print({ data: transaction, lines: transactionLine(transaction) });
      if (--left === 0) break;
    }
    return null;
  },
};

const totals: Command = {
  usage: "totals",
  does: "totals of the open day, or --day DATE; --device ID",
  flags: ["day", "device"],
  run: async ({ pos, flags, options }) => {
    const told = await pos.totals({ day: flags.day, deviceId: flags.device }, options);
    return { data: told, lines: totalsText(told) };
  },
};

/** The gateway checks the filters and names the wrong ones. */
function filtersOf({ day, device, status, type, about }: Flags): Filters {
  return { day, deviceId: device, statusCode: status, transType: type, referenceId: about } as Filters;
}

export const COMMANDS: Record<string, Command> = {
  ...TRANSFERS,
  cancel: {
    usage: "cancel REFERENCE",
    does: "cancels the transaction with this reference, if it is not too late",
    arguments: [1, 1],
    flags: ["device", "wait"],
    run: async (call) => {
      const request = { deviceId: call.deviceId(), referenceId: argument(call, 0) };
      return transferShown(await call.pos.cancel(request, call.options));
    },
  },
  transactions,
  totals,
  events,
  terminals: asks("terminals", "the account's terminals", ({ pos, options }) => pos.terminals(options)),
  terminal: asks("terminal ID", "one terminal in detail", ({ pos, options }, id) => pos.terminal(id, options), ONE),
  unbind: asks(
    "unbind ID",
    "unbinds a terminal from the account",
    ({ pos, options }, id) => pos.unbind(id, options),
    ONE,
  ),
  bindKey: asks(
    "bindKey",
    "creates a key that binds a terminal; --image FILE: as a QR code",
    async ({ pos, flags, options }) => {
      if (flags.image === undefined) return pos.bindKey(options);
      const { image, expiresAt } = await pos.bindKeyImage(options);
      await writePrivate(fromCaller(flags.image), image).catch(() => {
        throw new UsageError(`The file ${flags.image} cannot be written.`);
      });
      return { image: flags.image, expiresAt };
    },
    { flags: ["image"] },
  ),
  prebind: asks(
    "prebind ID …",
    "replaces the list of terminals to bind without a key; --none empties it",
    async ({ pos, args, flags, options }) => {
      if ((flags.none === true) === args.length > 0) throw new UsageError("Name the terminals, or use --none.");
      return pos.prebind(args, options);
    },
    { arguments: [0, Infinity], flags: ["none"] },
  ),
  prebound: asks("prebound", "that list", ({ pos, options }) => pos.prebound(options)),
  channels: asks(
    "channels [CURRENCY]",
    "the e-wallet channels",
    ({ pos, args: [currency], options }) => pos.channels(currency, options),
    { arguments: [0, 1] },
  ),
  webhooks: asks("webhooks ACTION", WEBHOOK_ACTIONS, webhooksCommand, { arguments: [0, 2], flags: ["port", "after"] }),
  login: asks("login", "starts a session; every other command does this by itself", ({ pos, options }) =>
    pos.login(options),
  ),
  refresh: asks("refresh", "renews its tokens", ({ pos, options }) => pos.refresh(options)),
  logout: asks("logout", "ends it", ({ pos, options }) => pos.logout(options)),
};

function argument({ args }: Call, index: number): string {
  return args[index] ?? "";
}

function target(call: Call): TransferTarget {
  const deviceId = call.deviceId();
  const referenceId = call.flags.reference ?? newReferenceId();
  call.announce(referenceId);
  const { label } = call.flags;
  return { deviceId, referenceId, ...(label === undefined ? {} : { referenceLabel: label }) };
}

function meansOf({ method: paymentMethod = "bankCard", channel: paymentChannel }: Flags) {
  if (paymentMethod !== "qrCustScan") return { paymentMethod, paymentChannel };
  if (paymentChannel === undefined) throw new UsageError("--method qrCustScan needs --channel WALLET; see channels.");
  return { paymentMethod, paymentChannel };
}

function noted({ note }: Flags): Pick<SaleRequest, "note"> {
  return { note };
}

function printed({ product, promo, copies, metadata }: Flags) {
  return { productIndex: product, promoSale: promo, metadata, printCount: copies };
}
