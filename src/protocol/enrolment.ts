/** What a terminal must know of itself, in one text: the QR code that an operator shows to a device. */
export interface Enrolment {
  /** The gateway's address, such as `https://gateway.example.com`. */
  gateway: string;
  terminalId: string;
  secret: string;
}

/** The text of the QR code: JSON with exactly these members. */
export function enrolmentText({ gateway, terminalId, secret }: Enrolment): string {
  return JSON.stringify({ gateway, terminalId, secret });
}
