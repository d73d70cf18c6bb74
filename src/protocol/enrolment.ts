/** What a terminal needs for its first login. */
export interface EnrolmentData {
  /** The gateway's address, such as `https://gateway.example.com`. */
  gateway: string;
  terminalId: string;
  secret: string;
}

/** Returns the text of the QR code: JSON with exactly these members. */
export function enrolmentText({ gateway, terminalId, secret }: EnrolmentData): string {
  return JSON.stringify({ gateway, terminalId, secret });
}
