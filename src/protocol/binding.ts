/** The account that a terminal works for: the part that the terminal needs. */
export interface Binding {
  posId: string;
  merchantId: string;
  /** ISO 4217, three letters. */
  currency: string;
  /** IANA time zone name. */
  timezone: string;
}

/** A binding in frames: every member is null while the terminal is unbound. */
export type BindingMembers = { [Member in keyof Binding]: Binding[Member] | null };
