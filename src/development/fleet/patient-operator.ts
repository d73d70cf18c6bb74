import { setTimeout as delay } from "node:timers/promises";
import { CommandError, describe } from "../../command-line/operator/client.ts";
import type { Operator, OperatorAnswer } from "../../command-line/operator/client.ts";

/**
 * The wait between two attempts while the gateway limits the rate, and the number of attempts: two minutes in total.
 */
const RATE_WAIT = 3_000;
const RATE_ATTEMPTS = 40;

/**
 * An operator's call that waits while the gateway limits the rate: setting up and removing a fleet takes thousands of
 * calls.
 */
export async function callPatiently(
  operator: Operator,
  method: string,
  path: string,
  body?: object,
): Promise<OperatorAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await operator.call(method, path, body);
    if (answer.status !== 429 || attempt === RATE_ATTEMPTS) return answer;
    await delay(RATE_WAIT);
  }
}

/** A patient call that must succeed. Throws CommandError. */
export async function mustPatiently(
  operator: Operator,
  method: string,
  path: string,
  body?: object,
): Promise<OperatorAnswer["body"]> {
  const answer = await callPatiently(operator, method, path, body);
  if (answer.status >= 300) throw new CommandError(`${method} /operator${path}: ${describe(answer)}`);
  return answer.body;
}
