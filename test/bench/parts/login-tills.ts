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
export type Kind = "signed" | "drawn" | "chosen";

export interface LoginTills {
  /** The gateway's. */
  url: string;
  kind: Kind;
  /** All log in at once; again when all are answered. */
  tills: readonly Keeper[];
}

/** A login's answer. */
export interface Answered {
  status: number;
  milliseconds: number;
}

async function login(caller: Caller, kind: Kind, { posId, password, signingKey }: Keeper): Promise<Answered> {
  const message =
    kind === "signed"
      ? withSignature({ posId, datetime: formatDatetime(Date.now()), nonce: crypto.randomUUID() }, signingKey)
      : { posId, password };
  const sent = performance.now();
  const { status, text } = await caller.exchange("POST", "/auth/login", { body: message });
  if (status === 400 || status === 401) throw new Error(`a login was answered with ${status}: ${text}`);
  return { status, milliseconds: performance.now() - sent };
}

/** Waves until `end`. */
async function waves(caller: Caller, { kind, tills }: LoginTills, end: AbortSignal): Promise<Answered[]> {
  const answers: Answered[] = [];
  while (!end.aborted) answers.push(...(await Promise.all(tills.map((till) => login(caller, kind, till)))));
  return answers;
}

process.once("disconnect", () => process.exit());
const [tills] = (await once(process, "message")) as [LoginTills];
const caller = new Caller(tills.url);
for (;;) {
  await once(process, "message");
  const end = new AbortController();
  process.once("message", () => end.abort());
  process.send?.(await waves(caller, tills, end.signal));
}
