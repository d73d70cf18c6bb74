import { app } from "./http/app.ts";
import { keeperStub } from "./rpc/keeper.ts";
import { cleanUp } from "./storage/clean-up.ts";

export { Account } from "./account/account.ts";
export { Keeper } from "./keeper/keeper.ts";
export { Terminal } from "./terminal/terminal.ts";

export default {
  fetch: app.fetch,
  scheduled: async (controller, env) => {
    // `tick` logs its own failures.
    await keeperStub(env)
      .tick()
      .catch(() => undefined);
    await cleanUp(env.DATABASE, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
