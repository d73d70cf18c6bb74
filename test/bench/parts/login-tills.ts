/**
 * A process of tills that log in, wave after wave. The first message says who they are. The next one starts the waves. The
 * one after it ends them, after the wave that is on its way; the process replies with their answers.
 */
import { once } from "node:events";
import { withSignature } from "../../../src/signing/signature.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";
import { Caller } from "../http.ts";
import type { Keeper } from "../subjects/gateway.ts";

/** How a till says who it is: signed, with a password that the gateway created, or with one that a person chose. */
export const LOGINS = ["signed", "drawn", "chosen"] as const;

export interface LoginTills {
  /** The gateway's. */
  url: string;
  kind: (typeof LOGINS)[number];
  /** All log in at once; again when all are answered. */
  tills: readonly Keeper[];
}

export interface Answered {
  status: number;
  milliseconds: number;
}

async function waves(caller: Caller, { kind, tills }: LoginTills, end: AbortSignal): Promise<Answered[]> {
  const answers: Answered[] = [];
  while (!end.aborted) {
    const wave = tills.map(async ({ posId, password, signingKey }) => {
      const fresh = { posId, datetime: formatDatetime(Date.now()), nonce: crypto.randomUUID() };
      const body = kind === "signed" ? withSignature(fresh, signingKey) : { posId, password };
      const sent = performance.now();
      const { status, text } = await caller.exchange("POST", "/auth/login", { body });
      if (status === 400 || status === 401) throw new Error(`a login was answered with ${status}: ${text}`);
      return { status, milliseconds: performance.now() - sent };
    });
    answers.push(...(await Promise.all(wave)));
  }
  return answers;
}

if (process.argv[1] === import.meta.filename) {
  process.once("disconnect", () => process.exit());
  const [tills] = (await once(process, "message")) as [LoginTills];
  const caller = new Caller(tills.url);
  for (;;) {
    await once(process, "message");
    const end = new AbortController();
    process.once("message", () => end.abort());
    process.send?.(await waves(caller, tills, end.signal));
  }
}
