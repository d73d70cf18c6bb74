import { operatorToken } from "../development/dev-vars.ts";
import type { Settings } from "./settings.ts";

/**
 * The operator's token for the gateway at `url`: OPERATOR_TOKEN of the environment or the user's file; for a gateway on this
 * machine, else the one in .dev.vars. Throws UsageError where there is none.
 */
export async function operatorTokenFor(settings: Settings, url: string): Promise<string> {
  const own = url.startsWith("http:") ? await operatorToken(".dev.vars") : "";
  return settings.get("OPERATOR_TOKEN") ?? (own === "" ? settings.must("OPERATOR_TOKEN") : own);
}
