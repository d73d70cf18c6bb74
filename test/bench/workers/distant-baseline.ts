/** The account baseline with its objects far away. */
import worker, { type AccountBindings } from "./account-baseline.ts";
import { distant } from "./distant.ts";

export { BaselineAccount, BaselineTerminal } from "./account-baseline.ts";

export default {
  fetch: (request, env) => worker.fetch(request, distant(env)),
} satisfies ExportedHandler<AccountBindings>;
