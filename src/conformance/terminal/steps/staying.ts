/** Steps about changes of the binding and about staying connected. */
import { shortDuration } from "../../../time/duration.ts";
import { REPLACED_WAIT } from "../../../protocol/limits/connections.ts";
import { CLOSE } from "../../../protocol/close-codes.ts";
import { KEPT, blocked, broken, leftOut, type Step } from "../../step.ts";
import { EARLY, SHORT_RETRY_AFTER, SPREAD, TRIES } from "../../times.ts";
import { UNBOUND } from "../counterpart.ts";
import { listed, typeOf } from "../heard.ts";
import { refusedAs } from "../judge/refusal.ts";
import { onLine, type TerminalScene } from "../scene.ts";

const rebound = onLine({
  name: "rebound",
  title: "Works for the account in binding",
  duty: "A binding frame changes posId, merchantId, currency and timezone from then on. Nulls mean that the terminal is unbound.",
  harm: "After a move to another shop the terminal refuses that shop's payments, or takes money for the old shop.",
  fix: "Store the last welcome or binding, and check every request against it.",
  async run(scene, line) {
    const { counterpart, account, patience } = scene.options;
    const other = { posId: "KIT-OTHER", merchantId: "KIT-OTHER-M", currency: "USD", timezone: "Europe/Berlin" };
    counterpart.bindTo(other);
    const request = scene.begin(line, "wait");
    const first = await request.next(patience.answer);
    const verdict =
      typeOf(first) === "accepted" ? KEPT : broken("a request for the new account is accepted", listed(first));
    await scene.tidy();
    counterpart.bindTo(UNBOUND);
    const nobody = scene.draft("wait", { posId: other.posId, merchantId: other.merchantId });
    if (verdict.kind === "kept") nobody.send(line);
    const refusal = verdict.kind === "kept" ? refusedAs("unbound", await nobody.next(patience.answer)) : verdict;
    counterpart.bindTo(account);
    return refusal;
  },
});

const reconnects = onLine({
  name: "reconnects",
  title: "Comes back when the gateway closes the connection",
  duty: "After every end of a connection, with any close code (here 4004: heartbeat timeout), the terminal connects again, at first within 10 seconds.",
  harm: "After every short network failure the terminal must be restarted.",
  fix: "Reconnect after every end of a connection, with any close code. Get a new token if the old one has expired.",
  async run(scene, line) {
    const { patience } = scene.options;
    const next = await scene.cutAndReturn(line, CLOSE.silent);
    return next === null ? broken("another connection", `none within ${shortDuration(patience.reconnect)}`) : KEPT;
  },
});

const retryAfter = onLine({
  name: "retry-after",
  title: "Waits for Retry-After",
  duty: "After a 429, the terminal logs in again when the seconds in Retry-After have passed, not before. It replaces a rejected token with a new login.",
  harm: "A fleet that retries too fast after an outage locks itself out.",
  fix: "Read Retry-After, and wait at least that long before the next login.",
  async run(scene, line) {
    const { counterpart, patience } = scene.options;
    const from = counterpart.logins.items.length;
    counterpart.revokeTokens();
    counterpart.failure = { kind: "rate-limited", seconds: SHORT_RETRY_AFTER };
    line.cut();
    const first = await counterpart.logins.next(({ status }) => status === 429, { from, within: patience.reconnect });
    counterpart.failure = null;
    if (first === null) return blocked("it did not log in again after the connection was cut (see “reconnects”)");
    const waited = { from: first.index + 1, within: SHORT_RETRY_AFTER * 1_000 + patience.reconnect };
    const second = await counterpart.logins.next(() => true, waited);
    if (second === null)
      return broken(`a login after ${SHORT_RETRY_AFTER} s`, `none within ${shortDuration(waited.within)}`);
    const gap = second.item.at - first.item.at;
    return gap >= SHORT_RETRY_AFTER * 1_000 - EARLY
      ? KEPT
      : broken(`a login after ${SHORT_RETRY_AFTER} s`, `a login after ${shortDuration(gap)}`);
  },
});

const backsOff = onLine({
  name: "backs-off",
  title: "Backs off while the gateway is down",
  duty: "The waits between attempts grow and are random.",
  harm: "A gateway that comes back is overloaded by its terminals and goes down again.",
  fix: "Double the upper bound of the wait with every attempt, up to a minute, and wait a random part of it.",
  async run(scene, line) {
    const { counterpart, patience } = scene.options;
    const tries = (): number => counterpart.logins.items.length + counterpart.connects.items.length;
    counterpart.failure = { kind: "unavailable" };
    const before = tries();
    line.cut();
    await new Promise((resolve) => setTimeout(resolve, patience.outage));
    const made = tries() - before;
    counterpart.failure = null;
    const next = await scene.lineAfter(line.number, patience.reconnect * 4);
    const most = Math.ceil(TRIES.atFirst + (patience.outage / 1_000) * TRIES.perSecond);
    if (made > most) {
      return broken(`at most ${most} attempts within ${shortDuration(patience.outage)}`, `${made} attempts`);
    }
    return next === null ? broken("a connection when the gateway is back", "none") : KEPT;
  },
});

const spread: Step<TerminalScene> = {
  name: "spread",
  title: "Reconnects after random waits",
  duty: "The waits before a reconnection are random (0 to 10 seconds at first).",
  harm: "All terminals of a region reconnect at the same moment after an outage.",
  fix: "Multiply the wait by a random number between 0 and 1.",
  async run({ returns }) {
    if (returns.length < SPREAD.enough) return leftOut(`it reconnected only ${returns.length} times`);
    const [shortest, longest] = [Math.min(...returns), Math.max(...returns)];
    if (longest - shortest > Math.max(SPREAD.part * longest, SPREAD.alike)) return KEPT;
    const seen = `${returns.length} waits, all between ${shortDuration(shortest)} and ${shortDuration(longest)}`;
    return broken("waits that differ", seen);
  },
};

const replaced = onLine({
  name: "replaced",
  title: "Waits a minute after another device takes its place",
  duty: "After close code 4001, the terminal waits 60 seconds before it connects, and tells its user.",
  harm: "Two devices with one identity disconnect each other without end, and neither can take a payment.",
  fix: "Handle 4001 separately from every other close code.",
  async run(scene, line) {
    const { counterpart, tester, patience, patient } = scene.options;
    if (!patient) return leftOut("it takes more than a minute (use --patient)");
    const [logins, connects] = [counterpart.logins.items.length, counterpart.connects.items.length];
    line.close(CLOSE.superseded, "another connection of this terminal has said hello");
    const at = performance.now();
    const back = await Promise.race([
      counterpart.connects.next(() => true, { from: connects, within: REPLACED_WAIT + patience.reconnect }),
      counterpart.logins.next(() => true, { from: logins, within: REPLACED_WAIT + patience.reconnect }),
    ]);
    if (back === null) return broken("another connection after a minute", "none");
    const waited = back.item.at - at;
    if (waited < REPLACED_WAIT - EARLY)
      return broken("nothing for 60 s", `it reconnected after ${shortDuration(waited)}`);
    const told = await tester.confirm("Does the terminal tell its user that another device uses its identity?");
    return told === false ? broken("a message for the terminal's user", "none") : KEPT;
  },
});

export const STAYING = [rebound, reconnects, retryAfter, backsOff];
export const LAST = [spread, replaced];
