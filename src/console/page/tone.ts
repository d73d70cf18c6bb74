/** The meaning of a colour. Words next to it always say the same. */
export type Tone = "neutral" | "good" | "bad" | "pending";
