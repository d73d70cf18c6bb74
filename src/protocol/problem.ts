/** One thing that is wrong with a message. */
export interface Problem {
  /** Where: a dotted path such as `transData.printCount` or `list.3.name`; `""` is the message as a whole. */
  path: string;
  /** What is wrong, and how to mend it. Never the value itself: it may be a password or a card number. */
  message: string;
}
