/** The part of an account that its terminal needs. */
export interface Binding {
  posId: string;
  merchantId: string;
  /** Its three letters in ISO 4217. */
  currency: string;
  /** IANA time zone name. */
  timezone: string;
}

/** Every member is null while the terminal is unbound. */
export type BindingMembers = { [Member in keyof Binding]: Binding[Member] | null };
