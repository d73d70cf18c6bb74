/** Signs of life, in both directions. */
import { KEPT, blocked, broken, seconds } from "../../step.ts";
import { HEARTBEAT_SECONDS, PROBE_WAIT } from "../../../protocol/limits/connections.ts";
import { onLine } from "../scene.ts";

const heartbeat = onLine({
  name: "heartbeat",
  title: "Sends ping as often as welcome says",
  duty: "The bare text ping every heartbeatSeconds of welcome (usually 30).",
  harm: "Tills are told that the terminal is not connected, and the gateway does not notice when it is gone.",
  mend: "Send the text ping, without JSON around it, in a timer that welcome sets.",
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
      if (ping === null) return broken(`ping every ${seconds(every)}`, `none within ${seconds(within)}`);
      if (ping.item.at - at > within) {
        return broken(`ping every ${seconds(every)}`, `one after ${seconds(ping.item.at - at)}`);
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
  duty: "A bare ping from the gateway is answered with the bare text pong, past whatever frame is in hand.",
  harm: "Before a payment the gateway asks whether the terminal is there; without an answer within 2 seconds it closes the connection, and the till is told that the terminal is offline.",
  mend: "Answer ping where texts are received, before frames are queued.",
  async run(scene, line) {
    const { counterpart } = scene.options;
    const from = counterpart.heard.items.length;
    line.sendText("ping");
    const answer = await counterpart.heard.next(({ text }) => text === "pong", { from, within: PROBE_WAIT });
    return answer === null ? broken(`pong within ${seconds(PROBE_WAIT)}`, "none") : KEPT;
  },
});

const givesUp = onLine({
  name: "gives-up",
  title: "Gives up a connection on which two pings stay unanswered",
  duty: "When two pings go unanswered, the terminal closes the connection and opens another one.",
  harm: "After a router has lost the connection, the terminal believes for hours that it is online.",
  mend: "Count pings without an answer; at the third tick close the socket and reconnect.",
  async run(scene, line) {
    const { counterpart, patience } = scene.options;
    line.answersPings = false;
    const within = counterpart.heartbeatSeconds * 5_000 + patience.reconnect;
    // From the next connection on as in daily life.
    counterpart.heartbeatSeconds = HEARTBEAT_SECONDS;
    const next = await scene.lineAfter(line.number, within);
    line.answersPings = true;
    if (next !== null) return KEPT;
    if (line.ended !== null) return blocked("it closed the connection, but did not come back");
    return broken("another connection", `the same one, after ${seconds(within)} without any answer`);
  },
});

export const HEARTBEAT = [heartbeat, pong, givesUp];
