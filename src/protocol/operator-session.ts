import type { OperatorRole } from "./operator-roles.ts";

/** The operator's page asks here whether it is signed in already. */
export const OPERATOR_SESSION_PATH = "/operator/console/session.json";

export interface OperatorSession {
  /**
   * Who is signed in, by the token of the request or through Cloudflare Access. If it is null, the page asks for a
   * token.
   */
  operator: string | null;
  /** It is null if nobody is signed in. */
  role: OperatorRole | null;
  console: boolean;
}
