/** The baseline with its objects far away. */
import worker, { type Bindings } from "./baseline.ts";
import { distant } from "./distant.ts";

export { BaselineAccount, BaselineTerminal } from "./baseline.ts";

export default {
  fetch: (request, env) => worker.fetch(request, distant(env)),
} satisfies ExportedHandler<Bindings>;
