/** Where the operator's page asks whether it is signed in already. */
export const OPERATOR_SESSION_PATH = "/operator/console/session.json";

export interface OperatorSession {
  /** Whom Cloudflare Access has signed in; null: nobody, and the page asks for a token. */
  operator: string | null;
  /** Whether the console is on. */
  console: boolean;
}
