import type { TransferType } from "../../protocol/transfer-types.ts";
import { writeFile } from "node:fs/promises";
import {
  type CallOptions,
  newReferenceId,
  type PosClient,
  type SaleRequest,
  type TransferAnswer,
  type TransferTarget,
} from "../../client/pos.ts";
import { fromCaller } from "../settings.ts";
import { UsageError } from "../invocation.ts";
import { events, totals, transactions } from "./records.ts";
import type { Call, Command, FlagName, Flags, Shown } from "./flags.ts";
import { WEBHOOK_ACTIONS, webhooksCommand } from "./webhooks.ts";

function simple(usage: string, does: string, run: (pos: PosClient, options: CallOptions) => Promise<unknown>): Command {
  return {
    usage,
    does,
    flags: [],
    run: async ({ pos, options }) => data(await run(pos, options)),
  };
}

const TRANSFER: readonly FlagName[] = ["device", "reference", "label", "wait"];
const PRINTED: readonly FlagName[] = ["product", "promo", "copies", "metadata"];

/** One command for each type of transfer. The type checks that none is missing. */
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
      return transfer(await call.pos.sale({ ...target(call), ...details, ...means }, call.options));
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
      return transfer(await call.pos.cashOut(request, call.options));
    },
  },
  void: {
    usage: "void TRANSID",
    does: "reverses an approved sale or cashOut",
    arguments: [1, 1],
    flags: [...TRANSFER, ...PRINTED],
    run: async (call) => {
      const request = { ...target(call), transId: argument(call, 0), ...printed(call.flags) };
      return transfer(await call.pos.void(request, call.options));
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
      return transfer(await call.pos.inquiry({ ...target(call), ...about }, call.options));
    },
  },
  getLast: {
    usage: "getLast",
    does: "the last transaction that reached the terminal",
    flags: TRANSFER,
    run: async (call) => transfer(await call.pos.getLast(target(call), call.options)),
  },
};

export const COMMANDS: Record<string, Command> = {
  ...TRANSFERS,
  cancel: {
    usage: "cancel REFERENCE",
    does: "cancels the transaction with this reference, if it is not too late",
    arguments: [1, 1],
    flags: ["device", "wait"],
    run: async (call) => {
      const request = { deviceId: call.deviceId(), referenceId: argument(call, 0) };
      return transfer(await call.pos.cancel(request, call.options));
    },
  },
  transactions,
  totals,
  events,
  terminals: simple("terminals", "the account's terminals", (pos, options) => pos.terminals(options)),
  terminal: {
    usage: "terminal ID",
    does: "one terminal in detail",
    arguments: [1, 1],
    flags: [],
    run: async (call) => data(await call.pos.terminal(argument(call, 0), call.options)),
  },
  unbind: {
    usage: "unbind ID",
    does: "unbinds a terminal from the account",
    arguments: [1, 1],
    flags: [],
    run: async (call) => data(await call.pos.unbind(argument(call, 0), call.options)),
  },
  bindKey: {
    usage: "bindKey",
    does: "creates a key that binds a terminal; --image FILE: as a QR code",
    flags: ["image"],
    run: async ({ pos, flags, options }) => {
      if (flags.image === undefined) return data(await pos.bindKey(options));
      const { image, expiresAt } = await pos.bindKeyImage(options);
      await writeFile(fromCaller(flags.image), image, { mode: 0o600 });
      return data({ image: flags.image, expiresAt });
    },
  },
  prebind: {
    usage: "prebind [ID …]",
    does: "replaces the list of terminals to bind without a key",
    arguments: [0, Infinity],
    flags: [],
    run: async ({ pos, args, options }) => data(await pos.prebind(args, options)),
  },
  prebound: simple("prebound", "that list", (pos, options) => pos.prebound(options)),
  channels: {
    usage: "channels [CURRENCY]",
    does: "the e-wallet channels",
    arguments: [0, 1],
    flags: [],
    run: async ({ pos, args, options }) => data(await pos.channels(args[0], options)),
  },
  webhooks: {
    usage: "webhooks ACTION",
    does: WEBHOOK_ACTIONS,
    arguments: [0, 2],
    flags: ["port", "after"],
    run: async ({ pos, args, flags, options, print, complain }) => {
      const { port, after } = flags;
      return data(await webhooksCommand({ pos, args, port, after, options, print, complain }));
    },
  },
  login: simple("login", "starts a session; every other command does this by itself", (pos, options) =>
    pos.login(options),
  ),
  refresh: simple("refresh", "renews its tokens", (pos, options) => pos.refresh(options)),
  logout: simple("logout", "ends it", (pos, options) => pos.logout(options)),
};

function transfer(answer: TransferAnswer): Shown {
  return { kind: "transfer", answer };
}

function data(value: unknown): Shown {
  return { kind: "data", data: value };
}

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
