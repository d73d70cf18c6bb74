/** Words next to the colour always say the same. */
export type Tone = "neutral" | "good" | "bad" | "pending";

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
}

export type TextKind = "text" | "password" | "decimal" | "digits" | "date";

export interface FieldLook {
  label: string;
  /** The name in the interface, if it differs from the label. */
  code?: string | undefined;
  /** One short sentence. */
  hint?: string | undefined;
  /** Shows codes and identifiers in one width. */
  mono?: boolean;
  placeholder?: string;
}

export interface Field<Name extends string = string> extends FieldLook {
  name: Name;
  /** `text` by default; `choice` shows all options, `time` is a point in time. */
  kind?: TextKind | "select" | "choice" | "time";
  options?: readonly Option[] | undefined;
}
