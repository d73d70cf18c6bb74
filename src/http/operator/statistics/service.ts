/** Where statistics come from: D1, for older hours of an account its object, and of a terminal its object. */
import { accountStub } from "../../../rpc/account.ts";
import { ACCOUNT_HOURS_LIFE } from "../../../statistics/limits.ts";
import { accountExists } from "../../../storage/accounts.ts";
import { hoursOf, ofAccount, type Period, type Summed } from "../../../storage/statistics.ts";
import { terminalStub } from "../../../rpc/terminal.ts";
import { DAY, HOUR } from "../../../time/units.ts";
import { daysOf, hourOf } from "./period.ts";

/** An account's hours. D1 has those of two months; the object of an account that exists has all. */
export async function hoursOfAccount(env: Env, posId: string, period: Period, now: number): Promise<Summed[]> {
  const isInD1 = period.from >= hourOf(now - ACCOUNT_HOURS_LIFE + DAY);
  if (isInD1 || !(await accountExists(env.DATABASE, posId))) return ofAccount(env.DATABASE, posId, period);
  const { from, to } = daysOf(period);
  return hoursOf(posId, await accountStub(env, posId).statistics(from, to), period);
}

/** From the terminal's own journal: asks only the object that the operator has named. */
export async function hoursOfTerminal(
  env: Env,
  terminalId: string,
  { from, to }: Period,
  posId: string | undefined,
): Promise<Summed[]> {
  const told = await terminalStub(env, terminalId).statistics(from * HOUR, (to + 1) * HOUR);
  return told
    .filter((group) => posId === undefined || group.posId === posId)
    .map(({ hour, counts, times, ...group }) => ({
      unit: hour,
      posId: group.posId,
      tally: { counts: new Map(counts), times: new Map(times) },
    }));
}
