/** What a terminal needs for its first login. */
export interface EnrolmentData {
  /** Such as `https://gateway.example.com`. */
  gateway: string;
  terminalId: string;
  secret: string;
}

/** The text of the QR code: JSON with exactly these members. */
export function enrolmentText({ gateway, terminalId, secret }: EnrolmentData): string {
  return JSON.stringify({ gateway, terminalId, secret });
}
