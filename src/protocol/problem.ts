/** One problem in a message. */
export interface Problem {
  /** A dotted path such as `transData.printCount` or `list.3.name`; `""` means the whole message. */
  path: string;
  /** What is wrong, then what to send. Never the value itself: it may be a password or a card number. */
  message: string;
}
