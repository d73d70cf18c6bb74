/** Amounts as texts of the interface and as hundredths. */

export function textOf(hundredths: number): string {
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
}

/** 0 for a text that is absent. */
export function hundredthsOf(text: unknown): number {
  return typeof text === "string" ? Number(text.replace(".", "")) : 0;
}
