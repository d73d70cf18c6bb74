/** The gateway's Worker with its objects far away. */
import worker from "../../../src/index.ts";
import { distant } from "./distant.ts";

export { Account, Keeper, Terminal } from "../../../src/index.ts";

export default {
  fetch: (request, env, context) => worker.fetch(request, distant(env), context),
} satisfies ExportedHandler<Env>;
