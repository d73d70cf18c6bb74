/** The Worker: HTTP requests, the daily clean-up, the objects of accounts and terminals, and the keeper. */
import { app } from "./http/app.ts";
import { cleanUp } from "./storage/clean-up.ts";

export { Account } from "./account/account.ts";
export { Keeper } from "./keeper/keeper.ts";
export { Terminal } from "./terminal/terminal.ts";

export default {
  fetch: app.fetch,
  scheduled: (controller, env) => cleanUp(env.DATABASE, controller.scheduledTime),
} satisfies ExportedHandler<Env>;
