import { app } from "./http/app.ts";
import { logError } from "./lib/log.ts";
import { coordinatorStub } from "./coordinator/rpc.ts";
import { cleanUp } from "./d1/clean-up.ts";

export { Account } from "./account/account.ts";
export { Coordinator } from "./coordinator/coordinator.ts";
export { Terminal } from "./terminal/terminal.ts";

export default {
  fetch: app.fetch,
  scheduled: async (controller, env) => {
    // Its sweeps go on even if an alarm was lost.
    await coordinatorStub(env)
      .watch()
      .catch((error: unknown) => logError("coordinator_not_woken", error));
    await cleanUp(env.DATABASE, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
