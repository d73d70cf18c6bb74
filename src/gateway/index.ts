import { app } from "./http/app.ts";
import { logError } from "./lib/log.ts";
import { keeperStub } from "./coordinator/rpc.ts";
import { cleanUp } from "./d1/clean-up.ts";

export { Account } from "./account/account.ts";
export { Keeper } from "./coordinator/coordinator.ts";
export { Terminal } from "./terminal/terminal.ts";

export default {
  fetch: app.fetch,
  scheduled: async (controller, env) => {
    // Its rounds go on even if an alarm was lost.
    await keeperStub(env)
      .watch()
      .catch((error: unknown) => logError("keeper_not_woken", error));
    await cleanUp(env.DATABASE, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
