/** How a terminal comes to an account: the till shows a key, and somebody types it in at the terminal. */
import { login } from "../terminal/link.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { call, NoReply, parsed, type Reply } from "../wire/http.ts";
import { signed } from "../wire/signature.ts";
import type { Account } from "./account.ts";
import type { Session } from "./session.ts";
import { datetimeOf } from "./clock.ts";

/** Null: no answer came, or no key can be had. */
export async function bind(terminal: Terminal, account: Account, session: Session): Promise<Reply | null> {
  try {
    const key = await bindKey(account, session);
    if (key === null) return null;
    const { identity } = terminal;
    identity.needles.add("bind key", key);
    const token = await login(identity);
    if (token === null) return null;
    const body = signed({ key, datetime: datetimeOf(identity.clock.now()) }, identity.secret);
    return await call(identity.door.port, { method: "POST", path: "/terminal/bind", token, body });
  } catch (error) {
    if (error instanceof NoReply) return null;
    throw error;
  }
}

async function bindKey(account: Account, session: Session): Promise<string | null> {
  const token = await session.token();
  if (token === null) return null;
  const { status, text } = await call(account.door.port, { method: "GET", path: "/api/bind-terminal-key", token });
  if (status === 401) session.refused(token);
  return status === 200 ? String(parsed(text)?.["key"]) : null;
}
