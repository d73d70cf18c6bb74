/** The file with the secrets of an enrolment: CSV, one line for each terminal. */

export const SECRETS_HEAD = "terminalId,secret\n";

/** One line. Neither an id nor a secret has a character that CSV must quote. */
export function secretLine(terminalId: string, secret: string): string {
  return `${terminalId},${secret}\n`;
}
