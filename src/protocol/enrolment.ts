/** What a terminal must know about itself. */
export interface Enrolment {
  /** Such as `https://gateway.example.com`. */
  gateway: string;
  terminalId: string;
  secret: string;
}

/** The text of the QR code: JSON with exactly these members. */
export function enrolmentText({ gateway, terminalId, secret }: Enrolment): string {
  return JSON.stringify({ gateway, terminalId, secret });
}
