import { MINUTE } from "../../../protocol/time/units.ts";
import type { Overview, PendingPage, TerminalAnswer, TerminalPage } from "../answers.ts";
import type { OperatorCalls } from "../operator-calls.ts";
import { Panel } from "../part/panel.tsx";
import { Reading, useReading } from "../part/reading.tsx";
import { linkTo, terminalLink } from "../route.ts";
import { countText } from "../words.ts";

/** Pages of terminals that are read, so that a large fleet costs no more than this. */
const PAGES = 5;

type Square = "good" | "bad" | "pending" | "neutral";

const WORDS: Record<Square, string> = {
  good: "connected",
  pending: "pending payment",
  bad: "offline",
  neutral: "never connected",
};

async function readFleet(calls: OperatorCalls) {
  const terminals: TerminalAnswer[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const { data, next } = await calls.get<TerminalPage>("/terminals", { status: "enrolled", cursor });
    terminals.push(...data);
    if (next === null) break;
    cursor = next;
  }
  const { data: pending } = await calls.get<PendingPage>("/pending");
  return { terminals, pending: new Set(pending.map(({ terminalId }) => terminalId)) };
}

/** Every terminal as a square, by shop. */
export function Fleet({ overview }: { overview: Overview }) {
  const reading = useReading(readFleet, [], MINUTE);
  const { enrolled } = overview.terminals;
  return (
    <Panel title="Fleet" aside={<Legend />}>
      <Reading reading={reading}>
        {({ terminals, pending }) => (
          <>
            {terminals.length === 0 && (
              <p class="soft">
                No terminal is enrolled yet. <a href={linkTo("terminals")}>Enrol the first one</a>.
              </p>
            )}
            <ul class="fleet" aria-label="Shops">
              {byShop(terminals).map(([shop, own]) => (
                <li key={shop}>
                  <span class="small">{shop}</span>
                  <span class="squares">
                    {own.map((terminal) => {
                      const square = squareOf(terminal, pending);
                      const words = `${terminal.terminalId}: ${WORDS[square]}`;
                      return (
                        <a
                          key={terminal.terminalId}
                          href={terminalLink(terminal.terminalId)}
                          data-tone={square}
                          title={words}
                          aria-label={words}
                        />
                      );
                    })}
                  </span>
                </li>
              ))}
            </ul>
            {enrolled > terminals.length && terminals.length > 0 && (
              <p class="small soft">
                And {countText(enrolled - terminals.length, "more terminal")}:{" "}
                <a href={linkTo("terminals")}>all terminals</a>.
              </p>
            )}
          </>
        )}
      </Reading>
    </Panel>
  );
}

function Legend() {
  return (
    <span class="row small">
      {(Object.keys(WORDS) as Square[]).map((square) => (
        <span key={square} class="chart-key" data-tone={square}>
          {WORDS[square]}
        </span>
      ))}
    </span>
  );
}

function squareOf({ terminalId, connected, offlineSince }: TerminalAnswer, pending: ReadonlySet<string>): Square {
  if (!connected) return offlineSince === null ? "neutral" : "bad";
  return pending.has(terminalId) ? "pending" : "good";
}

/** Shops in the order of their names; terminals without one at the end. */
function byShop(terminals: readonly TerminalAnswer[]): [string, TerminalAnswer[]][] {
  const shops = new Map<string, TerminalAnswer[]>();
  for (const terminal of terminals) {
    const shop = terminal.shopName ?? terminal.merchantId ?? terminal.posId ?? "";
    shops.set(shop, [...(shops.get(shop) ?? []), terminal]);
  }
  const sorted = [...shops].toSorted(([one], [other]) =>
    one === "" ? 1 : other === "" ? -1 : one.localeCompare(other),
  );
  return sorted.map(([shop, own]) => [shop === "" ? "Without a shop" : shop, own]);
}
