/** Describes the messages of transfers for the contract, member by member. */
import type { Component, JsonSchema } from "../../openapi/json-schema.ts";
import {
  cancelRequest,
  cashOutPayment,
  cashOutRequest,
  channelName,
  getLastRequest,
  inquiryRequest,
  question,
  salePayment,
  saleRequest,
  type TRANSFER_REQUESTS,
  voiding,
  voidRequest,
} from "./messages.ts";
import type { Kit } from "../../openapi/kit.ts";

const NOTHING = { enum: [null, ""] };

/** Only `qrCustScan` needs a wallet's name: with the other methods, the payment itself has it. */
const channelRule = (name: JsonSchema) => ({
  oneOf: [
    {
      title: "By a wallet whose code the customer scans",
      properties: { paymentMethod: { const: "qrCustScan" }, paymentChannel: name },
      required: ["paymentMethod", "paymentChannel"],
    },
    {
      title: "By card, or by a wallet whose code the merchant scans",
      properties: { paymentMethod: { enum: ["qrMerchScan", "bankCard"] } },
      required: ["paymentMethod"],
    },
  ],
});

export function transferMessages({
  said,
  requestSchema,
  fieldSchema,
  signed,
  EXAMPLES,
}: Kit): Record<string, Component> {
  const signedMembers = {
    posId: said("The account of the access token.", "POS-0001"),
    deviceId: said("The terminal's unique id. An account may have several terminals.", "T-0001"),
    referenceId: said(
      "The POS's own reference, unique for each transaction. It makes the request safe to repeat: the gateway processes " +
        "one reference at most once, no matter how often and to which device you send it.",
      "R-20261120-0001",
    ),
    datetime: signed.at("message", "20261120T021500", "A new transaction is accepted within"),
    signature: signed.signatureSchema(signed.ACCOUNT_KEY, EXAMPLES.sale.request.signature),
  };

  const head = {
    ...signedMembers,
    merchantId: said("The account's merchant, as the operator assigned it.", "M-1000"),
    referenceLabel: said("Printed on the receipt before the reference. Default: `POS Ref`.", "Table 7"),
    apiVersion: said("The version of this message.", "v1"),
  };

  const common = {
    productIndex: said("The POS's own category: 1 to 10, as a string.", "3"),
    promoSale: said("A promotion. Cards that do not take part in it are declined.", "01"),
    printCount: said(
      "Copies of the receipt. 0: none. 1: the merchant's. 2 (the default): the merchant's and the customer's.",
      2,
    ),
    metadata: said("Data of the POS, returned in the response. Card numbers in it are masked.", "basket 42"),
  };

  const note = said("Printed in the remarks of the receipt. Card numbers in it are masked.", "No onions");

  const transAmt = said('The amount: a string with two decimals and a dot, from "0.01" to "999999999.99".', "12.50");

  const transId = said("The ten digits of a `transId` from a response, as string or number.", "1000000042");

  /**
   * @param type the meaning of its `transType`
   * @param data the meaning of its `transData`
   */
  function transferSchema(
    schema: (typeof TRANSFER_REQUESTS)[number],
    type: string,
    data: string,
    keywords: JsonSchema,
  ): Component {
    return {
      schema,
      members: { transType: { description: type }, transData: { description: data }, ...head },
      keywords,
    };
  }

  return {
    SaleData: requestSchema(
      salePayment,
      {
        transAmt,
        cashAmt: said("Only for a cashOut. `0.00` is ignored.", "0.00"),
        paymentMethod: said(
          "qrCustScan: the customer scans the merchant's QR code. qrMerchScan: the merchant scans the customer's. bankCard: " +
            "a credit, debit or prepaid card.",
          "bankCard",
        ),
        paymentChannel: said(
          "The e-wallet's name from `GET /api/ewallet-channels`. Mandatory with qrCustScan, ignored with other methods.",
          "Touch 'n Go",
        ),
        note,
        ...common,
      },
      {
        description: "A purchase.",
        ...channelRule(fieldSchema(channelName)),
        examples: [EXAMPLES.sale.request.transData],
      },
    ),
    CashOutData: requestSchema(
      cashOutPayment,
      {
        transAmt,
        cashAmt: said(
          "The cash to pay out, in the same form as `transAmt`. The card is charged the sum of both.",
          "50.00",
        ),
        paymentMethod: { description: "Only bankCard, for the domestic debit channel." },
        paymentChannel: { description: "Ignored: a cashOut is paid by card." },
        note,
        ...common,
      },
      said("A purchase with cash out.", EXAMPLES.cashOut.request.transData),
    ),
    VoidData: requestSchema(
      voiding,
      {
        transId: {
          ...transId,
          description:
            "The `transId` of the sale or cashOut to void, of this account on this device: ten digits, as string or number.",
        },
        invNo: said("The terminal's running number of that transaction, for people. Only `transId` counts.", "000042"),
        ...common,
      },
      said("Which transaction to void.", EXAMPLES.void.request.transData),
    ),
    InquiryData: requestSchema(
      question,
      {
        transId: { ...transId, description: `${transId.description} Only of a sale or cashOut.` },
        referenceId: said("The reference of a transaction of any type.", "R-20261120-0001"),
      },
      {
        description:
          "The transaction to ask about, named by one of the two. Without either: the one with the inquiry's own reference. A " +
          "named reference that has not arrived is completed as `11 CANCELLED`; an inquiry that names nothing completes nothing.",
        not: {
          properties: { transId: { not: NOTHING }, referenceId: { not: NOTHING } },
          required: ["transId", "referenceId"],
        },
        examples: [EXAMPLES.inquiry.request.transData],
      },
    ),
    SaleRequest: transferSchema(
      saleRequest,
      "A purchase.",
      "The purchase.",
      said("Charges a customer.", EXAMPLES.sale.request),
    ),
    CashOutRequest: transferSchema(
      cashOutRequest,
      "A purchase with cash out.",
      "The purchase and the cash.",
      said("Charges a customer and pays out cash.", EXAMPLES.cashOut.request),
    ),
    VoidRequest: transferSchema(
      voidRequest,
      "The reversal of an approved transaction.",
      "The transaction to void.",
      said("Returns the money of an approved sale or cashOut.", EXAMPLES.void.request),
    ),
    InquiryRequest: transferSchema(
      inquiryRequest,
      "A question about a transaction.",
      "The transaction to ask about. Optional.",
      said("Asks for the outcome of a transaction. Moves no money.", EXAMPLES.inquiry.request),
    ),
    GetLastRequest: transferSchema(
      getLastRequest,
      "The last transaction that reached the terminal.",
      "Ignored.",
      said(
        "Asks for the last transaction of this account that reached the terminal. Moves no money.",
        EXAMPLES.getLast.request,
      ),
    ),
    CancelRequest: requestSchema(
      cancelRequest,
      { ...signedMembers },
      {
        description: "Cancels the transaction with this reference, and no other. A cancel must not have a `transType`.",
        not: { properties: { transType: {} }, required: ["transType"] },
        examples: [EXAMPLES.cancel.request],
      },
    ),
  };
}
