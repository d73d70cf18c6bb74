/** The Worker: HTTP requests, the daily clean-up, the objects of accounts and terminals, and the keeper. */
import { app } from "./http/app.ts";
import { keeperStub } from "./rpc/keeper.ts";
import { cleanUp } from "./storage/clean-up.ts";

export { Account } from "./account/account.ts";
export { Keeper } from "./keeper/keeper.ts";
export { Terminal } from "./terminal/terminal.ts";

export default {
  fetch: app.fetch,
  scheduled: async (controller, env) => {
    // It logs what fails.
    await keeperStub(env)
      .tick()
      .catch(() => undefined);
    await cleanUp(env.DATABASE, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
