/** The console: static files. Exists only if the variable `CONSOLE` is "on". Ignores its query. */
import { factory, type RequestContext } from "../context.ts";
import { CONSOLE_SETTINGS_PATH, type ConsoleSettings } from "../../protocol/console-settings.ts";
import { requestLife } from "../../protocol/limits/transfers.ts";
import { SECOND } from "../../time/units.ts";
import { NOTHING_HERE, refuse } from "../errors.ts";
import { isOn, pageFile, pageHeaders } from "../site/own-page.ts";

const requireConsole = factory.createMiddleware(async (c, next) =>
  isOn(c.env.CONSOLE) ? next() : refuse(c, NOTHING_HERE),
);

export const consolePage = factory
  .createApp()
  .all("/console/*", requireConsole)
  .get("/console/*", async (c) => {
    const connect = connected(c);
    if (new URL(c.req.url).pathname !== CONSOLE_SETTINGS_PATH) return pageFile(c, "/console", connect);
    return c.json(settingsOf(c), 200, pageHeaders(connect));
  });

function settingsOf({ env }: RequestContext): ConsoleSettings {
  return { requestSeconds: requestLife(env.REQUEST_SECONDS) / SECOND, operatorConsole: isOn(env.OPERATOR_CONSOLE) };
}

/** The virtual terminal's socket, and the demo's credentials. */
function connected(c: RequestContext): string[] {
  const { protocol, host } = new URL(c.req.url);
  // Some browsers do not apply 'self' to WebSockets.
  const sockets = `${protocol === "https:" ? "wss" : "ws"}://${host}`;
  const demo: string | undefined = c.env.CONSOLE_DEMO_ORIGIN;
  return [sockets, ...(demo === undefined || demo === "" ? [] : [demo])];
}
