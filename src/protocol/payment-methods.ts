/** Payment methods, as part 2.9 of the interface names them. */

/** qrCustScan: merchant-presented QR. qrMerchScan: customer-presented QR. bankCard: credit, debit or prepaid card. */
export const PAYMENT_METHODS = ["qrCustScan", "qrMerchScan", "bankCard"] as const;

export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** A terminal prints 0: no copy, 1: the merchant's, 2: the merchant's and the customer's. */
const PRINT_COUNTS = [0, 1, 2] as const;

export type PrintCount = (typeof PRINT_COUNTS)[number];

export const ENTRY_MODES = ["Chip", "Contactless", "Magstripe", "Fallback", "Manual"] as const;

/**
 * How the cardholder was verified. 00: not at all. 01: signature. 02: online PIN. 03: offline PIN. 04: on the cardholder's
 * own device.
 */
export const CVM_TYPES = ["00", "01", "02", "03", "04"] as const;

/** Members of a result's `transData` for cards only (part 2.11). A wallet's answer has none of them. */
export const CARD_MEMBERS = [
  "cardNo",
  "entryMode",
  "rrn",
  "apprCode",
  "tvr",
  "appCrypt",
  "aid",
  "cvmType",
  "cardLabel",
  "cardHoldersName",
] as const;

export function isWallet(paymentMethod: string | undefined): boolean {
  return paymentMethod === "qrCustScan" || paymentMethod === "qrMerchScan";
}
