import type { StageMessage } from "../../client/pos.ts";
import { clockTime } from "../page/clock-time.ts";
import { timeZone } from "../page/signals.ts";
import type { Transaction } from "./till.ts";
import { shortDuration } from "../../time/duration.ts";

interface Stage {
  label: string;
  /** A few words below; empty for a stage that is still to come. */
  detail: string;
  state: "done" | "now" | "ahead" | "failed";
}

/** The till's own steps: sign, send, wait, get an answer. */
export function Stages({ transaction }: { transaction: Transaction }) {
  return (
    <ol class="stages" aria-label="Stages">
      {stagesOf(transaction).map(({ label, detail, state }) => (
        <li key={label} class="stage" data-state={state} aria-current={state === "now" ? "step" : undefined}>
          <span class="stage-label">{label}</span>
          <span class="stage-detail">{detail}</span>
        </li>
      ))}
    </ol>
  );
}

/**
 * What happens at the gateway and the terminal, as the gateway reports it, each with the seconds since the gateway
 * received the request. It is drawn before the first stage, so that nothing below it moves.
 */
export function Journey({ stages }: { stages: readonly StageMessage[] }) {
  const begun = Date.parse(stages[0]?.at ?? "");
  return (
    <ol class="journey" aria-label="At the terminal">
      {stages.map(({ stage, at }) => (
        <li key={`${stage} ${at}`}>
          {stage} <span class="soft">{((Date.parse(at) - begun) / 1_000).toFixed(1)} s</span>
        </li>
      ))}
    </ol>
  );
}

function stagesOf({ call, begun, messages, state }: Transaction): Stage[] {
  const own = messages.filter(({ sentAt, path }) => sentAt >= begun && path === "/api/transfer");
  const first = own[0];
  const last = own.at(-1);
  const isOver = state.kind !== "running";
  const sent = own.length;
  const signed: Stage =
    first === undefined
      ? { label: "Signed", detail: isOver ? "not sent" : "", state: isOver ? "failed" : "now" }
      : { label: "Signed", detail: clockTime(first.sentAt, timeZone.value), state: "done" };
  const under = call.request.referenceId === "" ? "" : sent > 1 ? `${sent} times` : "once";
  return [
    signed,
    { label: "Sent", detail: sent === 0 ? "" : under, state: sent === 0 ? "ahead" : "done" },
    waiting(),
    answered(),
  ];

  function waiting(): Stage {
    const label = "Waiting";
    if (sent === 0 || first === undefined) return { label, detail: "", state: "ahead" };
    if (isOver) return { label, detail: shortDuration(state.at - first.sentAt), state: "done" };
    const elapsed = `${Math.floor((state.progress?.elapsed ?? 0) / 1_000)} s`;
    const why = state.progress?.state === "waiting" ? " · asks again" : "";
    return { label, detail: elapsed + why, state: "now" };
  }

  function answered(): Stage {
    const label = "Answered";
    if (state.kind === "running") {
      const pending = state.progress?.pending;
      return { label, detail: pending ? `22 ${pending.responseCode}` : "", state: "ahead" };
    }
    if (state.kind === "failed") {
      const { status } = state.problem;
      return { label, detail: status === undefined ? "no answer" : String(status), state: "failed" };
    }
    const { answer } = last ?? {};
    const replayed = answer !== null && answer !== undefined && answer !== "broken" && answer.replayed;
    const { statusCode } = state.answer;
    return {
      label,
      detail: `${statusCode}${replayed ? " · replayed" : ""}`,
      state: statusCode === "11" ? "failed" : "done",
    };
  }
}
