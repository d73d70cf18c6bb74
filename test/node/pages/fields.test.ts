import { describe, it } from "vitest";
import type { Channel } from "../../../src/sdk/client/pos.ts";
import {
  activeFirst,
  toTransferCall,
  FIELDS,
  transferFields,
  placedDetails,
  draftProblems,
} from "../../../src/pages/pos/fields.ts";
import type { FormDraft, FieldName } from "../../../src/pages/pos/fields.ts";
import { TRANSFER_TYPES } from "../../../src/protocol/transfer-types.ts";
import { parseTransfer } from "../../../src/gateway/http/pos/transfer/messages.ts";
import type { JsonObject } from "../../../src/protocol/signing/json.ts";

const FILLED: FormDraft = {
  transType: "sale",
  deviceId: "T-1",
  referenceId: "R-1",
  referenceLabel: "Order",
  transAmt: "12.50",
  cashAmt: "50.00",
  paymentMethod: "bankCard",
  paymentChannel: "GrabPay",
  transId: "1000000000",
  aboutReferenceId: "",
  invNo: "000001",
  productIndex: "1",
  promoSale: "1",
  printCount: "1",
  note: "Table 4",
  metadata: "m-1",
};

const SOUND: [string, Partial<FormDraft>][] = [
  ["a sale by card", {}],
  ["a sale by the customer's scan", { paymentMethod: "qrCustScan" }],
  ["a sale by the shop's scan", { paymentMethod: "qrMerchScan" }],
  ["a cashOut", { transType: "cashOut" }],
  ["a void", { transType: "void" }],
  ["an inquiry by number", { transType: "inquiry" }],
  ["an inquiry by reference", { transType: "inquiry", transId: "", aboutReferenceId: "R-0" }],
  ["an inquiry without a name", { transType: "inquiry", transId: "" }],
  ["a getLast", { transType: "getLast" }],
];

/** The request as the client would send it. */
function wireOf(draft: FormDraft): JsonObject {
  const { transType, request } = toTransferCall(draft);
  const { deviceId, referenceId, referenceLabel, ...rest } = request as JsonObject & typeof request;
  const inquired = (rest as { about?: JsonObject }).about;
  const cash = transType === "cashOut" ? { paymentMethod: "bankCard" } : {};
  const transData = transType === "inquiry" || transType === "getLast" ? inquired : { ...rest, ...cash };
  const message = { transType, posId: "P", merchantId: "M", deviceId, referenceId, referenceLabel, transData };
  return JSON.parse(
    JSON.stringify({ ...message, apiVersion: "v1", datetime: "20261120T120000", signature: "0".repeat(64) }),
  ) as JsonObject;
}

/** The paths that the gateway complains about. */
function refusedPaths(draft: FormDraft): string[] {
  const parsed = parseTransfer(wireOf(draft));
  return parsed.ok ? [] : parsed.error.map(({ path }) => path);
}

describe("the form of the POS", () => {
  it.for(SOUND)("makes %s that the gateway accepts", ([, changes], { expect }) => {
    const draft = { ...FILLED, ...changes };
    expect(draftProblems(draft)).toEqual({});
    expect(refusedPaths(draft)).toEqual([]);
  });

  const LIMITED = Object.entries(FIELDS).flatMap(([name, { longest }]) =>
    longest === undefined ? [] : [[name as FieldName, longest] as const],
  );

  it.for(LIMITED)("accepts %s up to the gateway's limit of %i code points", ([name, limit], { expect }) => {
    const letter = name === "deviceId" ? "x" : "\u{1F600}";
    const type = TRANSFER_TYPES.find((transType) => {
      const { main, more } = transferFields({ transType, paymentMethod: "qrCustScan" });
      return ["deviceId", "referenceId", ...main, ...more].includes(name);
    });
    const draft: FormDraft = { ...FILLED, transType: type ?? "sale", paymentMethod: "qrCustScan" };
    if (name === "aboutReferenceId") draft.transId = "";
    const fits = { ...draft, [name]: letter.repeat(limit) };
    const tooLong = { ...draft, [name]: letter.repeat(limit + 1) };
    expect([draftProblems(fits), refusedPaths(fits)]).toEqual([{}, []]);
    expect(Object.keys(draftProblems(tooLong))).toEqual([name]);
    expect(refusedPaths(tooLong)).toHaveLength(1);
  });

  it.for<[string, Partial<FormDraft>, FieldName]>([
    ["no terminal", { deviceId: "" }, "deviceId"],
    ["no amount", { transAmt: "" }, "transAmt"],
    ["an amount with one decimal", { transAmt: "12.5" }, "transAmt"],
    ["an amount with a comma", { transAmt: "12,50" }, "transAmt"],
    ["an amount of nothing", { transAmt: "0.00" }, "transAmt"],
    ["a leading zero", { transAmt: "012.50" }, "transAmt"],
    ["too much money", { transAmt: "1000000000.00" }, "transAmt"],
    ["cash that is none", { transType: "cashOut", cashAmt: "" }, "cashAmt"],
    ["no wallet", { paymentMethod: "qrCustScan", paymentChannel: "" }, "paymentChannel"],
    ["no number to take back", { transType: "void", transId: "" }, "transId"],
    ["a number of nine digits", { transType: "void", transId: "100000000" }, "transId"],
    ["a control character", { promoSale: "\t" }, "promoSale"],
    ["a product of eleven", { productIndex: "11" }, "productIndex"],
    ["a control character in a note", { note: "\u001bp0" }, "note"],
    ["a second line in metadata", { metadata: "one\ntwo" }, "metadata"],
    ["a reference of spaces", { referenceId: "  " }, "referenceId"],
  ])("shows at its field the mistake that the gateway would refuse: %s", ([, changes, name], { expect }) => {
    const draft = { ...FILLED, ...changes };
    expect(Object.keys(draftProblems(draft))).toEqual([name]);
    const refused = parseTransfer(wireOf(draft));
    expect(Object.keys(placedDetails(refused.ok ? [] : refused.error))).toEqual([name]);
  });
});

describe("the wallets of the form", () => {
  it("begin with those that take money, in the gateway's order", ({ expect }) => {
    const wallets = [["Boost", 0] as const, ["GrabPay", 1] as const, ["Touch 'n Go", 1] as const].map(
      ([name, status]) => ({ name, status }) as Channel,
    );
    expect(activeFirst(wallets).map(({ name }) => name)).toEqual(["GrabPay", "Touch 'n Go", "Boost"]);
  });
});
