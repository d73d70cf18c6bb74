/** What the terminals of an account are told when the account changes. */
import { logError } from "../log.ts";
import { inParallel } from "../parallel.ts";
import type { Account } from "../storage/accounts.ts";
import { terminalsOf } from "../storage/terminals.ts";
import type { Binding } from "../protocol/binding.ts";
import type { TerminalManagement } from "../terminal/calls.ts";
import { terminalStub } from "../terminal/stub.ts";
import { OBJECT_CALL_TRIES, STATUS_CONCURRENCY } from "./limits.ts";

/** What a terminal needs to know of an account. */
export function bindingOf({ posId, merchantId, currency, timezone }: Account): Binding {
  return { posId, merchantId, currency, timezone };
}

/** Tells every terminal of an account that the account's details have changed. */
export async function refreshBindings(env: Env, account: Account): Promise<void> {
  const binding = bindingOf(account);
  await tellTerminals(env, account.posId, (object) => object.refreshBinding(binding));
}

/** Tells every terminal of an account that the account is suspended: what is queued for it is settled as cancelled. */
export async function announceSuspension(env: Env, posId: string): Promise<void> {
  await tellTerminals(env, posId, (object) => object.accountSuspended(posId));
}

/** D1 has the change already, so an object that cannot be told must not undo it: tried again, then logged. */
async function tellTerminals(
  env: Env,
  posId: string,
  tell: (object: TerminalManagement) => Promise<void>,
): Promise<void> {
  await inParallel(await terminalsOf(env.DATABASE, posId), STATUS_CONCURRENCY, async ({ terminalId }) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await tell(terminalStub(env, terminalId));
        return;
      } catch (error) {
        if (attempt < OBJECT_CALL_TRIES) continue;
        logError("a terminal could not be told of its account's change", error, {
          terminal: terminalId,
          account: posId,
        });
        return;
      }
    }
  });
}
