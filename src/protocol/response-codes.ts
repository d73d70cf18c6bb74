/** Words for operators (ISO 8583, field 39). The gateway's own codes are words already. */
const WORDS: Readonly<Record<string, string>> = {
  "00": "approved",
  "01": "refer to issuer",
  "03": "invalid merchant",
  "04": "pick up card",
  "05": "do not honour",
  "06": "error",
  "07": "pick up card, special condition",
  "09": "in progress at the bank",
  "12": "invalid transaction",
  "13": "invalid amount",
  "14": "invalid card number",
  "15": "no such issuer",
  "17": "customer cancellation",
  "19": "try again",
  "21": "no action taken",
  "25": "record not found",
  "30": "format error",
  "41": "lost card",
  "43": "stolen card",
  "51": "insufficient funds",
  "54": "expired card",
  "55": "wrong PIN",
  "57": "not permitted to cardholder",
  "58": "not permitted to terminal",
  "59": "suspected fraud",
  "61": "exceeds amount limit",
  "62": "restricted card",
  "63": "security violation",
  "65": "exceeds count limit",
  "68": "response too late",
  "75": "too many PIN tries",
  "76": "no such account",
  "78": "card not activated",
  "82": "wrong CVV",
  "85": "no reason to decline",
  "91": "issuer not available",
  "92": "no route to issuer",
  "94": "duplicate",
  "96": "system malfunction",
};

/** Whether it is one of ISO 8583 that has words here. */
export function hasWords(code: string): boolean {
  return Object.hasOwn(WORDS, code);
}

/** `51 insufficient funds`; the code alone if it has no words. */
export function codeWithWords(code: string): string {
  const words = hasWords(code) ? WORDS[code] : undefined;
  return words === undefined ? code : `${code} ${words}`;
}
