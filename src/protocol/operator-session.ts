import type { OperatorRole } from "./operator-roles.ts";

/** Where the operator's page asks whether it is signed in already. */
export const OPERATOR_SESSION_PATH = "/operator/console/session.json";

export interface OperatorSession {
  /** Who is signed in, by the token of the request or through Cloudflare Access; null: nobody, and the page asks for a token. */
  operator: string | null;
  /** What this operator may do. */
  role: OperatorRole | null;
  /** Whether the console is on. */
  console: boolean;
}
