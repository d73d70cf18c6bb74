/** The account that a terminal works for, as the terminal needs to know it. */
export interface Binding {
  posId: string;
  merchantId: string;
  /** ISO 4217, three letters. */
  currency: string;
  /** IANA time zone name. */
  timezone: string;
}

/** A binding as the frames carry it: each member is null while the terminal is bound to no account. */
export type BindingMembers = { [Member in keyof Binding]: Binding[Member] | null };
