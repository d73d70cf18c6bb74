/**
 * A process of tills that log in, wave after wave. The first message says who they are. The next one starts the waves. The
 * one after it ends them, after the wave that is on its way; the process replies with their answers.
 */
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { withSignature } from "../../../src/signing/signature.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";
import { Caller } from "../http.ts";
import type { Keeper } from "../subjects/gateway.ts";

/**
 * How a till says who it is: signed, with a password that the gateway created, or with one that a person chose. `forged` and
 * `forged-terminal` are an attacker without the key of the account, or of the terminal that sells.
 */
export type Kind = "signed" | "drawn" | "chosen" | "forged" | "forged-terminal";

/** The shortest time between two waves, in milliseconds: 40 forged logins a second, and 20 of a terminal. */
const APART: Partial<Record<Kind, number>> = { forged: 750, "forged-terminal": 1_500 };

export interface LoginTills {
  /** The gateway's. */
  url: string;
  kind: Kind;
  /** The terminal that sells. */
  terminalId: string;
  /** All log in at once; again when all are answered. */
  tills: readonly Keeper[];
}

/** A login's answer. */
export interface Answered {
  status: number;
  milliseconds: number;
}

function messageOf({ kind, terminalId }: LoginTills, { posId, password, signingKey }: Keeper): object {
  const fresh = { datetime: formatDatetime(Date.now()), nonce: crypto.randomUUID() };
  switch (kind) {
    case "drawn":
    case "chosen":
      return { posId, password };
    case "signed":
      return withSignature({ posId, ...fresh }, signingKey);
    case "forged":
      return withSignature({ posId, ...fresh }, "the wrong key");
    case "forged-terminal":
      return withSignature({ terminalId, ...fresh }, "the wrong secret");
    default:
      return kind satisfies never;
  }
}

async function login(caller: Caller, tills: LoginTills, till: Keeper): Promise<Answered> {
  const path = tills.kind === "forged-terminal" ? "/terminal/login" : "/auth/login";
  const sent = performance.now();
  const { status, text } = await caller.exchange("POST", path, { body: messageOf(tills, till) });
  if (status === 400 || (status === 401 && APART[tills.kind] === undefined))
    throw new Error(`a login was answered with ${status}: ${text}`);
  return { status, milliseconds: performance.now() - sent };
}

/** Waves until `end`. */
async function waves(caller: Caller, all: LoginTills, end: AbortSignal): Promise<Answered[]> {
  const answers: Answered[] = [];
  while (!end.aborted) {
    const [wave] = await Promise.all([
      Promise.all(all.tills.map((till) => login(caller, all, till))),
      setTimeout(APART[all.kind] ?? 0),
    ]);
    answers.push(...wave);
  }
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
