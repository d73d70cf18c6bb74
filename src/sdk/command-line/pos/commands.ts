import type { Command, Option } from "commander";
import { newReferenceId, type PosClient, type TransferTarget } from "../../client/pos.ts";
import { PAYMENT_METHODS } from "../../../protocol/payment-methods.ts";
import type { TransferType } from "../../../protocol/transfer-types.ts";
import { commandLine, IN_CLONE, UsageError } from "../invocation.ts";
import { writePrivate } from "../private-file.ts";
import { addingTo, newProgram, choiceOption, option, parseWholeNumber, withGateway } from "../program.ts";
import { fromCaller } from "../settings.ts";
import type { PosCall, PosFlags, PerformPos, RunPos } from "./call.ts";
import { reportData, reportEvent, totalsText, transactionLine, reportTransfer } from "./report.ts";
import { addWebhooks } from "./webhooks.ts";

const DEVICE = option("--device <ID>", "the terminal (default: DEVICE_ID)");
const WAIT = option(
  "--wait <SECONDS>",
  "the longest time that the gateway waits for the outcome",
  parseWholeNumber(0, 999_999),
);
const TRANSFER = [
  DEVICE,
  option("--reference <TEXT>", "the transaction's referenceId; use the same one again to ask for its outcome"),
  option("--label <TEXT>", "printed before the reference, at most 10 characters"),
  WAIT,
];
const PRINTED = [
  option("--product <NUMBER>", "the product, 1 to 10"),
  option("--promo <TEXT>", "a promotion; the terminal declines cards that do not qualify"),
  option("--copies <NUMBER>", "receipts: 0 none, 1 the merchant's, 2 both (the default)", parseWholeNumber(0, 2)),
  option("--metadata <TEXT>", "a text that the answer repeats"),
];
const NOTE = option("--note <TEXT>", "a text for the receipt");
const ABOUT = option("--about <REFERENCE>", "the referenceId of the transaction to ask about");
const DAY = option("--day <DATE>", "the business day: 2026-11-20");
const AFTER = option(
  "--after <NUMBER>",
  "the last event that you have read; 0 for all that are kept",
  parseWholeNumber(0, Number.MAX_SAFE_INTEGER),
);

/** Makes the program for the POS in the shell. `perform` gets the command that was given. */
export function posProgram(perform: PerformPos): Command {
  const program = withGateway(
    newProgram(commandLine("pos"), "A point of sale in the shell, with every call.", {
      examples: [
        ["sale 12.50", "a payment by card"],
        ["sale 12.50 --method qrMerchScan", "the customer shows a code"],
        ["inquiry --about R-42", "the outcome of an earlier payment"],
        ["events --follow", "each event as it happens, until Ctrl-C"],
      ],
      statuses: {
        0: "00",
        1: "11",
        2: "22",
        3: "failed, no money moved",
        4: "failed, outcome unknown",
        5: "wrong usage",
      },
      more:
        "Set POS_ID, MERCHANT_ID, DEVICE_ID, and the secrets SIGNING_KEY and PASSWORD in the environment or in the file of " +
        "--env. Without PASSWORD, logins are signed with SIGNING_KEY." +
        (IN_CLONE ? " Without POS_ID, the demo of npm start is used." : ""),
    }),
  )
    .option("--within <SECONDS>", "the time for the call with all its retries", parseWholeNumber(1, 999_999))
    .option("--json", "prints one line of JSON, also for errors; one line per event and transaction");
  const add = addingTo(program, perform);
  program.commandsGroup("Payments:");
  for (const { usage, does, run, options } of Object.values(TRANSFERS)) add(usage, does, run, options);
  add("cancel <REFERENCE>", "cancels the transaction with this reference, if it is not too late", cancel, [
    DEVICE,
    WAIT,
  ]);

  program.commandsGroup("Records:");
  add("transactions", "lists transactions with their outcomes, newest first", transactions, [
    DAY,
    DEVICE,
    option("--status <CODE>", "00, 11 or 22"),
    option("--type <NAME>", "sale, cashOut or void"),
    ABOUT,
    option("--limit <NUMBER>", "how many (default: 20)", parseWholeNumber(1)),
  ]);
  add("totals", "shows the totals of a business day, by default of the open one", totals, [DAY, DEVICE]);
  add("events", "lists the account's events", eventsCommand, [
    AFTER,
    option("--follow", "waits for the next event, until Ctrl-C"),
  ]);
  addWebhooks(program, perform);

  program.commandsGroup("Terminals:");
  add(
    "terminals",
    "lists the account's terminals",
    asks(({ pos, options }) => pos.terminals(options)),
  );
  add(
    "terminal <ID>",
    "shows one terminal in detail",
    asks(({ pos, options }, id) => pos.terminal(id, options)),
  );
  add(
    "unbind <ID>",
    "unbinds a terminal from the account",
    asks(({ pos, options }, id) => pos.unbind(id, options)),
  );
  add("bindKey", "creates a key that binds a terminal", asks(bindKey), [
    option("--image <FILE>", "writes the key as a QR code"),
  ]);
  add("prebind [IDS...]", "replaces the prebind list: terminals that bind without a key", asks(prebind), [
    option("--none", "empties the prebind list: every terminal then needs a key"),
  ]);
  add(
    "prebound",
    "shows the prebind list",
    asks(({ pos, options }) => pos.prebound(options)),
  );
  add(
    "channels [CURRENCY]",
    "lists e-wallets, of all currencies or of CURRENCY",
    asks(({ pos, args: [currency], options }) => pos.channels(currency, options)),
  );

  program.commandsGroup("Session:");
  add(
    "login",
    "starts a session; every other command does this by itself",
    asks(({ pos, options }) => pos.login(options)),
  );
  add(
    "refresh",
    "renews the session's tokens",
    asks(({ pos, options }) => pos.refresh(options)),
  );
  add(
    "logout",
    "ends the session",
    asks(({ pos, options }) => pos.logout(options)),
  );
  return program;
}

function asks(run: (call: PosCall, first: string) => Promise<unknown>): RunPos {
  return async (call, first = "") => reportData(await run(call, first));
}

/** The type checks that no transfer is missing. */
const TRANSFERS: Record<TransferType, { usage: string; does: string; run: RunPos; options: readonly Option[] }> = {
  sale: {
    usage: "sale <AMOUNT>",
    does: "charges an AMOUNT such as 12.50",
    run: async (call, transAmt = "") => {
      const request = { ...target(call), transAmt, ...printed(call.flags), ...readMeans(call.flags) };
      return reportTransfer(await call.pos.sale(request, call.options));
    },
    options: [
      ...TRANSFER,
      choiceOption("--method <NAME>", "how the customer pays (default: bankCard)", PAYMENT_METHODS),
      option("--channel <WALLET>", "with qrCustScan: the wallet whose code the customer scans"),
      NOTE,
      ...PRINTED,
    ],
  },
  cashOut: {
    usage: "cashOut <AMOUNT> <CASH>",
    does: "charges an AMOUNT and pays out CASH, by domestic debit card",
    run: async (call, transAmt = "", cashAmt = "") =>
      reportTransfer(
        await call.pos.cashOut({ ...target(call), transAmt, cashAmt, ...printed(call.flags) }, call.options),
      ),
    options: [...TRANSFER, NOTE, ...PRINTED],
  },
  void: {
    usage: "void <TRANSID>",
    does: "reverses an approved sale or cashOut",
    run: async (call, transId = "") => {
      const { note: _note, ...details } = printed(call.flags);
      return reportTransfer(await call.pos.void({ ...target(call), transId, ...details }, call.options));
    },
    options: [...TRANSFER, ...PRINTED],
  },
  inquiry: {
    usage: "inquiry [TRANSID]",
    does: "asks for a transaction's outcome, by TRANSID, --about or --reference",
    run: async (call, transId) => {
      const referenceId = call.flags.about;
      if (transId !== undefined && referenceId !== undefined) throw new UsageError("Use either TRANSID or --about.");
      const byReference = referenceId === undefined ? {} : { about: { referenceId } };
      const about = transId === undefined ? byReference : { about: { transId } };
      return reportTransfer(await call.pos.inquiry({ ...target(call), ...about }, call.options));
    },
    options: [...TRANSFER, ABOUT],
  },
  getLast: {
    usage: "getLast",
    does: "shows the last transaction that reached the terminal",
    run: async (call) => reportTransfer(await call.pos.getLast(target(call), call.options)),
    options: TRANSFER,
  },
};

async function cancel(call: PosCall, referenceId = "") {
  return reportTransfer(await call.pos.cancel({ deviceId: call.deviceId(), referenceId }, call.options));
}

/** Prints a line for each. */
export async function eventsCommand({ pos, flags, options, print, complain }: PosCall): Promise<null> {
  const follow = flags.follow === true;
  const { after } = flags;
  const { signal, within } = options;
  const read = pos.events({
    follow,
    // As `tail` does, it begins with new events if there is --follow, and otherwise with the existing ones.
    ...(after === undefined && follow ? {} : { after: after ?? 0 }),
    signal,
    within,
    onProblem: once(complain),
    onSkipped: (skipped) => complain(`${skipped} events are missing here: they were deleted after 400 days.`),
  });
  for await (const event of read) print(reportEvent(event));
  return null;
}

/** Reports once that the gateway does not answer, and once that it is back. */
function once(complain: PosCall["complain"]): (problem: { message: string } | null) => void {
  let isDown = false;
  return (problem) => {
    if (problem === null) complain("Reading events again.");
    else if (!isDown) complain(`${problem.message} Trying again.`);
    isDown = problem !== null;
  };
}

const USUAL_LIMIT = 20;

type Filters = Parameters<PosClient["transactions"]>[0];

/**
 * Prints a line each for people, and a line of JSON each for programs. The gateway checks the filters and names the
 * wrong ones.
 */
async function transactions({ pos, flags, options, print }: PosCall): Promise<null> {
  const { day, device, status, type, about, limit = USUAL_LIMIT } = flags;
  const filters = { day, deviceId: device, statusCode: status, transType: type, referenceId: about } as Filters;
  let left = limit;
  for await (const transaction of pos.transactions(filters, options)) {
    print({ data: transaction, lines: transactionLine(transaction) });
    if (--left === 0) break;
  }
  return null;
}

async function totals({ pos, flags, options }: PosCall) {
  const data = await pos.totals({ day: flags.day, deviceId: flags.device }, options);
  return { data, lines: totalsText(data) };
}

async function bindKey({ pos, flags, options }: PosCall): Promise<unknown> {
  if (flags.image === undefined) return pos.bindKey(options);
  const { image, expiresAt } = await pos.bindKeyImage(options);
  await writePrivate(fromCaller(flags.image), image).catch(() => {
    throw new UsageError(`The file ${flags.image} cannot be written.`);
  });
  return { image: flags.image, expiresAt };
}

async function prebind({ pos, args, flags, options }: PosCall): Promise<unknown> {
  if ((flags.none === true) === args.length > 0) throw new UsageError("Name the terminals, or use --none.");
  return pos.prebind(args, options);
}

function target(call: PosCall): TransferTarget {
  const deviceId = call.deviceId();
  const referenceId = call.flags.reference ?? newReferenceId();
  call.announce(referenceId);
  const { label } = call.flags;
  return { deviceId, referenceId, ...(label === undefined ? {} : { referenceLabel: label }) };
}

function readMeans({ method: paymentMethod = "bankCard", channel: paymentChannel }: PosFlags) {
  if (paymentMethod !== "qrCustScan") return { paymentMethod, paymentChannel };
  if (paymentChannel === undefined) throw new UsageError("--method qrCustScan needs --channel WALLET; see channels.");
  return { paymentMethod, paymentChannel };
}

function printed({ note, product, promo, copies, metadata }: PosFlags) {
  return { note, productIndex: product, promoSale: promo, metadata, printCount: copies };
}
