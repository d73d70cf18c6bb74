/** Maximum lengths in Unicode code points, as zod and JSON Schema count them. */

/** The operator assigns a posId. */
export const POS_ID_LENGTH = 24;
export const MERCHANT_ID_LENGTH = 100;
export const TERMINAL_ID_LENGTH = 100;

/** Only operators see names. */
export const NAME_LENGTH = 100;

/** Longer than every name in the audit log. */
export const AUDIT_NAME_LENGTH = 200;

/** A name is as long as any `paymentChannel` of a transfer. */
export const CHANNEL_NAME_LENGTH = 32;
export const WEB_ADDRESS_LENGTH = 2_048;

/** A host's name (RFC 1035, 2.3.4), a colon and a port. */
export const HOST_LENGTH = 259;

/** A nonce distinguishes two signed messages of the same second. */
export const NONCE_LENGTH = 64;

/** A signed call is a method, a space and the path, even one with a terminal's id. */
export const SIGNED_CALL_LENGTH = 128;

/** A signature has 64 hexadecimal digits. */
export const SIGNATURE_LENGTH = 64;

/** A person may type a dash after every character. */
export const BIND_KEY_TYPED_LENGTH = 16;
export const ACTIVATION_CODE_TYPED_LENGTH = 24;

/** The POS gets an operator's reason as `responseText`. */
export const REASON_LENGTH = 128;

/** The POS chooses these (parts 2.6 to 2.8 of the interface). */
export const TRANSFER_LENGTHS = {
  referenceId: 20,
  referenceLabel: 10,
  productIndex: 2,
  promoSale: 2,
  note: 128,
  metadata: 128,
  invNo: 32,
} as const;

/** These stand outside a result's `transData` (part 2.10 of the interface). The gateway truncates longer ones. */
export const RESULT_LENGTHS = { responseCode: 32, responseText: 128, softwareVersion: 40, terminalSn: 40 } as const;

/**
 * These stand in a result's `transData` (part 2.11 of the interface). The gateway truncates longer strings and drops
 * other members.
 */
export const DETAIL_LENGTHS = {
  paymentChannel: 32,
  transDateTime: 32,
  cardNo: 32,
  invNo: 32,
  batchNo: 32,
  tid: 32,
  mid: 32,
  entryMode: 32,
  rrn: 32,
  apprCode: 32,
  tvr: 32,
  appCrypt: 32,
  aid: 32,
  cvmType: 2,
  cardLabel: 32,
  cardHoldersName: 32,
} as const;
