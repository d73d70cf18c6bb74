/** What a page declares for its widgets. */

/** The meaning of a colour. Words next to it always say the same. */
export type Tone = "neutral" | "good" | "bad" | "pending";

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
}

export type TextKind = "text" | "password" | "decimal" | "digits" | "date";

/** How a field looks. */
export interface FieldLook {
  label: string;
  /** The field's name in the interface, if it differs from the label. */
  code?: string | undefined;
  /** One short sentence below the field. */
  hint?: string | undefined;
  /** For codes and identifiers. */
  mono?: boolean;
  placeholder?: string;
}

/** A field of a form, as a declaration. */
export interface Field<Name extends string = string> extends FieldLook {
  name: Name;
  /** A text by default; `choice` shows all options, `time` is a point in time. */
  kind?: TextKind | "select" | "choice" | "time";
  options?: readonly Option[] | undefined;
}
