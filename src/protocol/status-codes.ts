/** Status codes (part 3 of the interface). I2: a 22 becomes 00 or 11 once; 00 and 11 never change. */

/** 00: money moved. 11: no money moved and none will. 22: unknown yet. */
export const STATUS_CODES = ["00", "11", "22"] as const;

export type StatusCode = (typeof STATUS_CODES)[number];

export type FinalStatusCode = Exclude<StatusCode, "22">;

export function isStatusCode(value: unknown): value is StatusCode {
  return STATUS_CODES.some((code) => code === value);
}
