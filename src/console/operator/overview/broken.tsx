import { Dot } from "../../page/status.tsx";
import type { Overview } from "../answers.ts";
import { Panel } from "../part/section.tsx";
import { linkTo } from "../route.ts";
import { counted } from "../words.ts";
import { alertsOf } from "./broken.ts";

export function Broken({ overview, now }: { overview: Overview; now: number }) {
  const { enrolled, bound, connected } = overview.terminals;
  const alerts = alertsOf(overview, now);
  return (
    <Panel title="Now" id="now-title">
      <ul class="figures">
        <li>
          <a href={linkTo("terminals", [], { state: "connected" })}>
            <strong>{connected}</strong> connected
          </a>
        </li>
        <li>
          <a href={linkTo("terminals", [], { state: "offline" })}>
            <strong data-tone={enrolled > connected ? "bad" : undefined}>{enrolled - connected}</strong> not connected
          </a>
        </li>
        <li>
          <a href={linkTo("terminals", [], { bound: "true" })}>
            <strong>{bound}</strong> of {enrolled} bound
          </a>
        </li>
        <li>
          <a href={linkTo("unresolved")}>
            <strong data-tone={overview.unresolved.count > 0 ? "pending" : undefined}>
              {overview.unresolved.count}
            </strong>{" "}
            not completed
          </a>
        </li>
      </ul>
      {alerts.length === 0 && (
        <p>
          <Dot tone="good" /> Nothing is broken.
        </p>
      )}
      {alerts.length > 0 && (
        <ul class="alerts" aria-label={counted(alerts.length, "problem")}>
          {alerts.map(({ key, title, detail, href }) => (
            <li key={key}>
              <Dot tone={key === "unresolved" ? "pending" : "bad"} />{" "}
              <a href={href}>
                <strong>{title}</strong>
              </a>{" "}
              <span class="soft">{detail}</span>
            </li>
          ))}
        </ul>
      )}
      {overview.offline.more && (
        <p>
          <a href={linkTo("terminals", [], { state: "offline" })}>More shops have terminals offline</a>
        </p>
      )}
    </Panel>
  );
}
