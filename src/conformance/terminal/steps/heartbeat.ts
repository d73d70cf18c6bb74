/** Steps about pings in both directions. */
import { shortDuration } from "../../../time/duration.ts";
import { KEPT, blocked, broken } from "../../step.ts";
import { HEARTBEAT_SECONDS, PROBE_WAIT } from "../../../protocol/limits/connections.ts";
import { onLine } from "../scene.ts";

const heartbeat = onLine({
  name: "heartbeat",
  title: "Sends ping as often as welcome asks",
  duty: "The terminal sends the plain text ping every heartbeatSeconds from welcome (usually 30).",
  harm: "Tills see the terminal as not connected, and the gateway does not notice when it is gone.",
  fix: "Send the text ping, not JSON, from a timer that welcome sets.",
  async run(scene, line) {
    const { counterpart, patience } = scene.options;
    const every = counterpart.heartbeatSeconds * 1_000;
    const within = every * 2 + patience.silence;
    let { at } = line.hello ?? { at: performance.now() };
    let from = 0;
    for (let count = 1; count <= 2; count++) {
      const left = Math.max(0, at + within - performance.now());
      const wanted = { from, within: count === 1 ? left : within };
      const ping = await counterpart.heard.next(
        ({ connection, text }) => connection === line.number && text === "ping",
        wanted,
      );
      if (ping === null) return broken(`ping every ${shortDuration(every)}`, `none within ${shortDuration(within)}`);
      if (ping.item.at - at > within) {
        return broken(`ping every ${shortDuration(every)}`, `one after ${shortDuration(ping.item.at - at)}`);
      }
      ({ at } = ping.item);
      from = ping.index + 1;
    }
    return KEPT;
  },
});

const pong = onLine({
  name: "pong",
  title: "Answers the gateway's ping with pong at once",
  duty: "The terminal answers the gateway's plain text ping with the plain text pong, even while it handles a frame.",
  harm: "Before a payment the gateway pings the terminal. Without an answer within 2 seconds it closes the connection, and the till sees the terminal as offline.",
  fix: "Answer ping when you receive the text, before you queue frames.",
  async run(scene, line) {
    const { counterpart } = scene.options;
    const from = counterpart.heard.items.length;
    line.sendText("ping");
    const answer = await counterpart.heard.next(({ text }) => text === "pong", { from, within: PROBE_WAIT });
    return answer === null ? broken(`pong within ${shortDuration(PROBE_WAIT)}`, "none") : KEPT;
  },
});

const givesUp = onLine({
  name: "gives-up",
  title: "Gives up a connection after two unanswered pings",
  duty: "After two unanswered pings, the terminal closes the connection and opens another.",
  harm: "After a router loses the connection, the terminal appears online to itself for hours.",
  fix: "Count unanswered pings. At the third tick, close the socket and reconnect.",
  async run(scene, line) {
    const { counterpart, patience } = scene.options;
    line.answersPings = false;
    const within = counterpart.heartbeatSeconds * 5_000 + patience.reconnect;
    // The next connection uses the normal interval.
    counterpart.heartbeatSeconds = HEARTBEAT_SECONDS;
    const next = await scene.lineAfter(line.number, within);
    line.answersPings = true;
    if (next !== null) return KEPT;
    if (line.ended !== null) return blocked("it closed the connection, but did not come back");
    return broken("another connection", `the same one, after ${shortDuration(within)} without any answer`);
  },
});

export const HEARTBEAT = [heartbeat, pong, givesUp];
