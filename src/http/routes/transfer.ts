/** Transfers: sale, cashOut, void, inquiry, getLast, and the cancel of one. */
import { parseCancel, parseTransfer, type CancelMessage, type TransferMessage } from "../../transfer/schema.ts";
import { type Errand, transfer } from "../transfer.ts";
import { datetimeProblems } from "../../transfer/problems.ts";
import { channelVerdict, merchantProblems } from "../../transfer/verdicts.ts";
import { factory } from "../context.ts";

export const transfers = factory.createApp();

const REQUEST: Errand<TransferMessage> = {
  parse: parseTransfer,
  // An inquiry claims the reference that it names, never its own.
  claims: ({ referenceId, ask }) => (ask.kind === "transaction" ? referenceId : ask.namedReferenceId),
  needsChannels: ({ ask }) => ask.kind === "transaction" && ask.terms.paymentChannel !== undefined,
  call: (stub, { posId, referenceId, merchantId, datetime, ask }, { account, channels }, patient, now) => {
    const problems = [...merchantProblems(merchantId, account), ...datetimeProblems(datetime, now)];
    const question = { posId, referenceId, account: termsOf(account) };
    if (ask.kind === "inquiry") {
      const { transType, namedTransId, namedReferenceId } = ask;
      return stub.inquire({ ...question, transType, namedTransId, namedReferenceId, problems });
    }
    const { transType, terms, details } = ask;
    const channel = channelVerdict(terms.paymentChannel, channels, account.currency);
    if (channel.kind === "unknown") problems.push(...channel.problems);
    const channelInactive = channel.kind === "inactive";
    return stub.submit({ ...question, transType, terms, details, problems, channelInactive, patient });
  },
  transType: ({ ask }) => ask.transType,
  namesOriginal: ({ ask }) => ask.kind === "inquiry",
};

const CANCEL: Errand<CancelMessage> = {
  parse: parseCancel,
  claims: ({ referenceId }) => referenceId,
  needsChannels: () => false,
  call: (stub, { posId, referenceId, datetime }, { account }, _patient, now) =>
    stub.cancel({ posId, referenceId, account: termsOf(account), problems: datetimeProblems(datetime, now) }),
  transType: (_message, known) => known ?? "cancel",
  namesOriginal: () => false,
};

function termsOf({ merchantId, currency, timezone }: { merchantId: string; currency: string; timezone: string }) {
  return { merchantId, currency, timezone };
}

transfers.post("/api/transfer", (c) => transfer(c, REQUEST));
transfers.post("/api/transfer/cancel", (c) => transfer(c, CANCEL));
