/** The plain Node process that the gateway might have been; it makes its own accounts and terminals. */
import { join } from "node:path";
import { Caller } from "../http.ts";
import type { Pair } from "../parties.ts";
import { start } from "../process.ts";
import { ROOT } from "../workerd.ts";
import { connectByName, PER_ACCOUNT, type Subject } from "./subject.ts";

export async function startPlainNode(folder: string): Promise<Subject> {
  const server = join(import.meta.dirname, "../plain-node.ts");
  const words = ["--disable-warning=ExperimentalWarning", server, folder];
  const running = await start(process.execPath, words, ROOT, ["http"]);
  const url = `http://127.0.0.1:${running.port("http")}`;
  const caller = new Caller(url);
  return {
    name: "plain Node",
    pid: running.pid,
    caller,
    enrol: (count, perAccount = PER_ACCOUNT) => caller.call<Pair[]>("POST", "/enrol", null, { count, perAccount }),
    connect: (pairs) => connectByName(url, pairs),
    async stop() {
      caller.close();
      await running.stop();
    },
  };
}
