/**
 * The operator's page: static files, served without a token, because the page can do nothing until its user signs in.
 * Exists only if the variable `OPERATOR_CONSOLE` is "on". Ignores its query.
 */
import { OPERATOR_SESSION_PATH, type OperatorSession } from "../../../protocol/operator-session.ts";
import { factory } from "../../context.ts";
import { NOTHING_HERE, refuse } from "../../errors.ts";
import { isOn, pageFile, pageHeaders } from "../../site/own-page.ts";
import { signedIn } from "../authentication.ts";

const requirePage = factory.createMiddleware(async (c, next) =>
  isOn(c.env.OPERATOR_CONSOLE) ? next() : refuse(c, NOTHING_HERE),
);

/** Must come before the routes that require an operator. */
export const operatorPage = factory
  .createApp()
  .all("/operator/console/*", requirePage)
  .get("/operator/console/*", async (c) => {
    if (new URL(c.req.url).pathname !== OPERATOR_SESSION_PATH) return pageFile(c, "/operator/console", []);
    const operator = await signedIn(c);
    const isNobody = !operator.ok && (operator.error.kind === "unauthorized" || operator.error.kind === "not_found");
    // A person who has entered a token is told what is wrong with it.
    const hasToken = c.req.header("Authorization") !== undefined;
    if (!operator.ok && (hasToken || !isNobody)) return refuse(c, operator.error);
    const { name = null, role = null } = operator.ok ? operator.value : {};
    const session: OperatorSession = { operator: name, role, console: isOn(c.env.CONSOLE) };
    return c.json(session, 200, pageHeaders([]));
  })
  .all("/operator/console/*", (c) => refuse(c, { kind: "method_not_allowed", allow: ["GET"] }));
