/**
 * What a terminal reports, compared with what its host has charged. The kit plays the gateway and cannot see the host, so a
 * terminal that charges twice, or reports 11 for a charged payment, looks right to it until somebody counts the charges.
 */
import type { Result } from "../../../protocol/result.ts";
import { textOf } from "../message.ts";
import { blockedVerdict, keptIf, keptThroughout, unseenVerdict, type StepVerdict } from "../step.ts";
import type { Exchange } from "./exchange.ts";
import { frameStatus } from "./judge.ts";

/**
 * Resolves to how often the terminal's test host has charged a transaction without giving the money back, or to why that is
 * not known, as a clause for a person.
 */
export type CountCharges = (transaction: { transId: string; referenceId: string }) => Promise<Result<number, string>>;

const NOBODY_COUNTS = "the kit cannot see what the host has charged (use --charges-command)";

/** The verdict of a step about one request, once the host has been asked as well. */
export async function keptIfCharged(
  countCharges: CountCharges | undefined,
  exchange: Exchange,
  verdict: StepVerdict,
): Promise<StepVerdict> {
  if (verdict.kind !== "kept") return verdict;
  if (countCharges === undefined) return unseenVerdict(NOBODY_COUNTS);
  const counted = await countCharges(transactionOf(exchange));
  if (!counted.ok) return unseenVerdict(counted.error);
  const { isRight, expected, seen } = compare(exchange, counted.value);
  return keptIf(isRight, expected, seen);
}

/** The verdict about every request of the run that was sent. A void changes what the host counts for its sale: it is left out. */
export async function keptIfAllCharged(
  countCharges: CountCharges | undefined,
  exchanges: readonly Exchange[],
): Promise<StepVerdict> {
  if (countCharges === undefined) return unseenVerdict(NOBODY_COUNTS);
  if (exchanges.every(({ attempt }) => attempt === 0)) return blockedVerdict("no request was sent");
  const voids = exchanges.filter(({ request }) => request["transType"] === "void");
  const voided = new Set(voids.map((exchange) => transactionOf(exchange).transId));
  const problems: (string | false)[] = [];
  for (const exchange of exchanges) {
    const transaction = transactionOf(exchange);
    if (exchange.attempt === 0 || voided.has(transaction.transId)) continue;
    const counted = await countCharges(transaction);
    if (!counted.ok) return unseenVerdict(counted.error);
    const { isRight, seen } = compare(exchange, counted.value);
    problems.push(!isRight && `${seen} (${transaction.referenceId})`);
  }
  return keptThroughout(problems, "one charge for each 00, and none for each 11");
}

function transactionOf({ request }: Exchange): { transId: string; referenceId: string } {
  return { transId: textOf(request, "transId"), referenceId: textOf(request, "referenceId") };
}

/** A payment without a final result may still be charged, once. */
function compare(exchange: Exchange, count: number): { isRight: boolean; expected: string; seen: string } {
  const status = frameStatus(exchange.final);
  const seen = `${count === 1 ? "1 charge" : `${count} charges`} and ${status === "" ? "no final result" : `the result ${status}`}`;
  switch (status) {
    case "00":
      return { isRight: count === 1, expected: "one charge at the host for the result 00", seen };
    case "11":
      return { isRight: count === 0, expected: "no charge at the host for the result 11", seen };
    default:
      return { isRight: count <= 1, expected: "at most one charge at the host", seen };
  }
}
