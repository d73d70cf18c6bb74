import type { OperatorRole } from "./operator-roles.ts";

/** The operator's page asks here whether it is signed in already. */
export const OPERATOR_SESSION_PATH = "/operator/console/session.json";

export interface OperatorSession {
  /**
   * By the token of the request or through Cloudflare Access; null: nobody is signed in, and the page asks for a token.
   */
  operator: string | null;
  /** null: nobody is signed in. */
  role: OperatorRole | null;
  console: boolean;
}
