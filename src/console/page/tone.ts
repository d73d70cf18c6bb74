/** What a colour says; words beside it always say the same. */
export type Tone = "neutral" | "good" | "bad" | "pending";
