/** The meaning of a colour. Words beside it always say the same. */
export type Tone = "neutral" | "good" | "bad" | "pending";
