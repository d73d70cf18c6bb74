/** Where each matter of the overview is looked after. */
import type { Matter } from "../answers.ts";
import { accountLink, linkTo } from "../route.ts";
import { reasonLink } from "../statistics/ranges.ts";

export function matterLink({ kind, posId, merchantId, responseCode, since }: Matter): string {
  switch (kind) {
    case "contrary":
      return linkTo("unresolved", [], { contrary: "true" });
    case "unresolved":
      return linkTo("unresolved");
    case "declines":
      return responseCode === null
        ? linkTo("statistics", [], { by: "responseCode", from: since })
        : reasonLink(responseCode, { from: since });
    case "offline":
      // Terminals without a merchant have no account either.
      return linkTo("terminals", [], {
        state: "offline",
        offlineFor: "0",
        ...(merchantId === null ? { bound: "false" } : { shop: merchantId }),
      });
    case "webhook":
      return accountLink(posId ?? "");
    case "untold":
      return linkTo("audit");
  }
}
