import { shortDuration } from "../../../../protocol/time/duration.ts";
import { PROBE_WAIT, REPLACED_WAIT } from "../../../../protocol/limits.ts";
import { CLOSE } from "../../../../protocol/close-codes.ts";
import { KEPT, blockedVerdict, brokenVerdict, keptIf, leftOutVerdict, type KitStep } from "../../step.ts";
import { EARLY, SHORT_RETRY_AFTER, SPREAD, TRIES, type Patience } from "../../times.ts";
import { ACCOUNT, UNBOUND } from "../counterpart.ts";
import { describeFrames, typeOf, type Heard } from "../judge.ts";
import { anyTime, onLine, refuses, type TerminalScene } from "../scene.ts";

export const HEARTBEAT_STEPS: readonly KitStep<TerminalScene>[] = [
  onLine({
    name: "heartbeat",
    title: "Sends ping as often as welcome asks",
    duty: "The terminal sends the plain text ping every heartbeatSeconds from welcome (usually 30).",
    harm: "POSes see the terminal as not connected, and the gateway does not notice when it is gone.",
    fix: "Send the text ping, not JSON, from a timer that welcome sets.",
    async judge({ line, counterpart, patience }) {
      const every = counterpart.heartbeatSeconds * 1_000;
      const expected = `ping every ${shortDuration(every)}`;
      const within = every * 2 + patience.silence;
      const wanted = (heard: Heard): boolean => heard.connection === line.number && heard.text === "ping";
      let at = line.hello?.at ?? performance.now();
      let from = 0;
      for (const first of [true, false]) {
        const left = first ? Math.max(0, at + within - performance.now()) : within;
        const ping = await counterpart.heard.next({ wanted, from, within: left });
        if (ping === null) return brokenVerdict(expected, `none within ${shortDuration(within)}`);
        const waited = ping.item.at - at;
        if (waited > within) return brokenVerdict(expected, `one after ${shortDuration(waited)}`);
        ({ at } = ping.item);
        from = ping.index + 1;
      }
      return KEPT;
    },
  }),
  onLine({
    name: "pong",
    title: "Answers the gateway's ping with pong immediately",
    duty: "The terminal answers the gateway's plain text ping with the plain text pong, even while it handles a frame.",
    harm: "Before a payment the gateway pings the terminal. Without an answer within 2 seconds it closes the connection, and the POS sees the terminal as offline.",
    fix: "Answer ping when you receive the text, before you queue frames.",
    async judge({ line, counterpart }) {
      const from = counterpart.heard.items.length;
      line.sendText("ping");
      const answer = await counterpart.heard.next({ wanted: ({ text }) => text === "pong", from, within: PROBE_WAIT });
      return keptIf(answer !== null, `pong within ${shortDuration(PROBE_WAIT)}`, "none");
    },
  }),
  onLine({
    name: "gives-up",
    title: "Gives up a connection after two unanswered pings",
    duty: "After two unanswered pings, the terminal closes the connection and opens another.",
    harm: "After a router loses the connection, the terminal appears online to itself for hours.",
    fix: "Count unanswered pings. At the third tick, close the socket and reconnect.",
    async judge({ scene, line, counterpart, patience }) {
      line.answersPings = false;
      const within = counterpart.heartbeatSeconds * 5_000 + patience.reconnect;
      const next = await scene.lineAfter(line.number, within);
      line.answersPings = true;
      if (next === null && line.ended !== null)
        return blockedVerdict("it closed the connection, but did not come back");
      const seen = `the same one, after ${shortDuration(within)} without any answer`;
      return keptIf(next !== null, "another connection", seen);
    },
  }),
];

/** A terminal learns from a refused connection that its token is not valid any more, and waits again before it logs in. */
function twice({ reconnect }: Patience): number {
  return 2 * reconnect;
}

export const STAYING: readonly KitStep<TerminalScene>[] = [
  onLine({
    name: "rebound",
    title: "Works for the account in binding",
    duty: "A binding frame changes posId, merchantId, currency and timezone from then on. Nulls mean that the terminal is unbound.",
    harm: "After a move to another shop the terminal refuses that shop's payments, or takes money for the old shop.",
    fix: "Store the last welcome or binding, and check every request against it.",
    async judge(given) {
      const { scene, line, counterpart, patience } = given;
      const other = { posId: "KIT-OTHER", merchantId: "KIT-OTHER-M", currency: "USD", timezone: "Europe/Berlin" };
      counterpart.bindTo(other);
      const first = await scene.begin(line, "wait").next(patience.answer);
      let verdict = keptIf(
        typeOf(first) === "accepted",
        "a request for the new account is accepted",
        describeFrames(first),
      );
      await scene.tidy();
      counterpart.bindTo(UNBOUND);
      if (verdict.kind === "kept") {
        const { posId, merchantId } = other;
        verdict = await refuses(given, "unbound", scene.draft("wait", { posId, merchantId }));
      }
      counterpart.bindTo(ACCOUNT);
      return verdict;
    },
  }),
  onLine({
    name: "reconnects",
    title: "Comes back when the gateway closes the connection",
    duty: "After every end of a connection, with any close code (here 4004: heartbeat timeout), the terminal connects again, at first within 10 seconds.",
    harm: "After every short network failure the terminal must be restarted.",
    fix: "Reconnect after every end of a connection, with any close code. Get a new token if the old one has expired.",
    async judge({ scene, line, patience }) {
      const next = await scene.cutAndReturn(line, CLOSE.silent);
      return keptIf(next !== null, "another connection", `none within ${shortDuration(patience.reconnect)}`);
    },
  }),
  onLine({
    name: "retry-after",
    title: "Waits for Retry-After",
    duty: "After a 429, the terminal logs in again when the seconds in Retry-After have passed, not before. It replaces a rejected token with a new login.",
    harm: "A fleet that retries too fast after an outage locks itself out.",
    fix: "Read Retry-After, and wait at least that long before the next login.",
    async judge({ line, counterpart, patience }) {
      const { logins } = counterpart;
      const from = logins.items.length;
      const expected = `a login after ${SHORT_RETRY_AFTER} s`;
      counterpart.revokeTokens();
      counterpart.failure = 429;
      line.cut();
      const first = await logins.next({ wanted: ({ status }) => status === 429, from, within: twice(patience) });
      counterpart.failure = null;
      if (first === null)
        return blockedVerdict("it did not log in again after the connection was cut (see “reconnects”)");
      const within = SHORT_RETRY_AFTER * 1_000 + patience.reconnect;
      const second = await logins.next({ from: first.index + 1, within });
      if (second === null) return brokenVerdict(expected, `none within ${shortDuration(within)}`);
      const gap = second.item.at - first.item.at;
      return keptIf(gap >= SHORT_RETRY_AFTER * 1_000 - EARLY, expected, `a login after ${shortDuration(gap)}`);
    },
  }),
  onLine({
    name: "firewall",
    title: "Logs in again after a firewall's 403",
    duty: "Only a 4xx with the gateway's own code (a number that begins with the status) and traceId refuses a login. After any other answer, the terminal logs in again as after a lost one.",
    harm: "One page of a firewall or a guest network takes every terminal of a shop offline until somebody restarts them.",
    fix: "Look for code and traceId before you believe a 4xx, and follow no redirect.",
    async judge({ line, counterpart, patience }) {
      const { logins } = counterpart;
      const from = logins.items.length;
      counterpart.revokeTokens();
      counterpart.failure = 403;
      line.cut();
      const first = await logins.next({ wanted: ({ status }) => status === 403, from, within: twice(patience) });
      counterpart.failure = null;
      if (first === null)
        return blockedVerdict("it did not log in again after the connection was cut (see “reconnects”)");
      const second = await logins.next({ from: first.index + 1, within: patience.reconnect });
      return keptIf(second !== null, "another login", `none within ${shortDuration(patience.reconnect)}`);
    },
  }),
  onLine({
    name: "backs-off",
    title: "Backs off while the gateway is down",
    duty: "The waits between attempts grow and are random.",
    harm: "A gateway that comes back is overloaded by its terminals and goes down again.",
    fix: "Double the upper bound of the wait with every attempt, up to a minute, and wait a random part of it.",
    async judge({ scene, line, counterpart, patience }) {
      const tries = (): number => counterpart.logins.items.length + counterpart.connects.items.length;
      counterpart.failure = 503;
      const before = tries();
      line.cut();
      await new Promise((resolve) => setTimeout(resolve, patience.outage));
      const made = tries() - before;
      counterpart.failure = null;
      const next = await scene.lineAfter(line.number, patience.reconnect * 4);
      const most = Math.ceil(TRIES.atFirst + (patience.outage / 1_000) * TRIES.perSecond);
      if (made > most) {
        return brokenVerdict(`at most ${most} attempts within ${shortDuration(patience.outage)}`, `${made} attempts`);
      }
      return keptIf(next !== null, "a connection when the gateway is back", "none");
    },
  }),
];

export const LAST: readonly KitStep<TerminalScene>[] = [
  anyTime({
    name: "spread",
    title: "Reconnects after random waits",
    duty: "The waits before a reconnection are random (0 to 10 seconds at first).",
    harm: "All terminals of a region reconnect at the same moment after an outage.",
    fix: "Multiply the wait by a random number between 0 and 1.",
    judge({ scene: { returns } }) {
      if (returns.length < SPREAD.enough) return leftOutVerdict(`it reconnected only ${returns.length} times`);
      const [shortest, longest] = [Math.min(...returns), Math.max(...returns)];
      const seen = `${returns.length} waits, all between ${shortDuration(shortest)} and ${shortDuration(longest)}`;
      return keptIf(longest - shortest > Math.max(SPREAD.part * longest, SPREAD.alike), "waits that differ", seen);
    },
  }),
  onLine({
    name: "replaced",
    title: "Waits a minute after another device takes its place",
    duty: "After close code 4001, the terminal waits 60 seconds before it connects, and tells its user.",
    harm: "Two devices with one identity disconnect each other without end, and neither can take a payment.",
    fix: "Handle 4001 separately from every other close code.",
    async judge({ line, counterpart: { logins, connects }, tester, patience, patient }) {
      if (!patient) return leftOutVerdict("it takes more than a minute (use --patient)");
      const within = REPLACED_WAIT + patience.reconnect;
      const back = [
        connects.next({ from: connects.items.length, within }),
        logins.next({ from: logins.items.length, within }),
      ];
      line.close(CLOSE.superseded, "another connection of this terminal has said hello");
      const at = performance.now();
      const first = await Promise.race(back);
      if (first === null) return brokenVerdict("another connection after a minute", "none");
      const waited = first.item.at - at;
      if (waited < REPLACED_WAIT - EARLY) {
        return brokenVerdict("nothing for 60 s", `it reconnected after ${shortDuration(waited)}`);
      }
      const told = await tester.confirm("Does the terminal tell its user that another device uses its identity?");
      return keptIf(told !== false, "a message for the terminal's user", "none");
    },
  }),
];
