/** The plain Node process that the gateway might have been; it makes its own accounts and terminals. */
import { join } from "node:path";
import { Caller } from "../http.ts";
import type { Pair } from "../parties.ts";
import { start } from "../process.ts";
import { ROOT } from "../workerd.ts";
import { connectByName, eightAtOnce, PER_ACCOUNT, type Subject } from "./subject.ts";

export async function startPlainNode(folder: string): Promise<Subject> {
  const server = join(import.meta.dirname, "../plain-node.ts");
  const words = [process.execPath, "--disable-warning=ExperimentalWarning", server, folder];
  const { pid, port, stop } = await start(words, ROOT, ["http"]);
  const url = `http://127.0.0.1:${port("http")}`;
  const caller = new Caller(url);
  return {
    name: "plain Node",
    pid,
    caller,
    enrol: (count, perAccount = PER_ACCOUNT) => caller.call<Pair[]>("POST", "/enrol", { body: { count, perAccount } }),
    connect: (pairs) => eightAtOnce(pairs, async (pair) => ({ pair, terminal: await connectByName(url, pair) })),
    async stop() {
      caller.close();
      await stop();
    },
  };
}
