import { useSignalEffect } from "@preact/signals";
import { useContext, useId } from "preact/hooks";
import type { Enrolled } from "../../../enrolment/enrol.ts";
import { mayDo } from "../../../protocol/operator-roles.ts";
import { Button } from "../../page/controls.tsx";
import { saveFile } from "../../page/browser.ts";
import { Notice, Tag } from "../../page/shown.tsx";
import type { Tone } from "../../page/declared.ts";
import { Panel, Table } from "../part/panel.tsx";
import { RoleContext, useCalls } from "../part/reading.tsx";
import { linkTo, terminalLink } from "../route.ts";
import { counted } from "../words.ts";
import { pageEnrolment, type Run } from "./enrolment.ts";

const TONES: Record<Enrolled["outcome"], Tone> = {
  enrolled: "good",
  "enrolled before": "neutral",
  taken: "pending",
  refused: "bad",
};

export function Enrol() {
  if (mayDo(useContext(RoleContext), "admin")) return <Enrolling />;
  return (
    <Panel title="Enrol terminals">
      <Notice tone="pending">Enrolling needs the role admin.</Notice>
    </Panel>
  );
}

function Enrolling() {
  const calls = useCalls();
  const enrolment = pageEnrolment();
  const { wanted, problem, run, unknownMerchants, unsaved } = enrolment.state.value;
  const choose = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) enrolment.choose(file.name, await file.text());
  };
  const save = (): void => saveFile("terminals-secrets.csv", "text/csv", enrolment.takeSecrets());
  const isRunning = run?.state === "running";
  return (
    <Panel title="Enrol terminals">
      <p class="soft">
        From a CSV file whose first line names the columns: <code>terminalId</code>, and optionally <code>name</code>,{" "}
        <code>merchantId</code> and <code>isVT</code> (1: a virtual terminal). Existing terminals do not change. You can
        open other sections meanwhile. If the run is stopped, choose the same file again to continue.
      </p>
      <FileField disabled={isRunning} onFile={(file) => void choose(file)} />
      <div role="status" class="stack">
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
        {wanted.length > 0 && run === null && (
          <p>
            {counted(wanted.length, "terminal")}, from <code>{wanted[0]?.terminalId}</code> to{" "}
            <code>{wanted.at(-1)?.terminalId}</code>. Each gets a secret, which you save once.
          </p>
        )}
        {run !== null && <Progress run={run} all={wanted.length} />}
        {unknownMerchants.length > 0 && (
          <Notice tone="pending">
            No account has {unknownMerchants.length === 1 ? "the merchant" : "one of the merchants"}{" "}
            {unknownMerchants.join(", ")}. Their terminals cannot be bound until one does.
          </Notice>
        )}
      </div>
      <div class="row">
        {wanted.length > 0 && run?.state !== "ended" && (
          <Button look="primary" disabled={isRunning} onClick={() => void enrolment.enrol(calls)}>
            {run === null ? `Enrol ${counted(wanted.length, "terminal")}` : isRunning ? "Enrolling…" : "Continue"}
          </Button>
        )}
        {unsaved > 0 && !isRunning && (
          <Button look={run?.state === "ended" ? "primary" : "quiet"} onClick={save}>
            Save {counted(unsaved, "secret")} as CSV
          </Button>
        )}
      </div>
      {unsaved > 0 && !isRunning && (
        <Notice tone="pending">The secrets are shown once. Save them before you leave.</Notice>
      )}
      {run !== null && run.outcomes.length > 0 && <Outcomes outcomes={run.outcomes} />}
    </Panel>
  );
}

function FileField({ disabled, onFile }: { disabled: boolean; onFile: (file: File | undefined) => void }) {
  const id = useId();
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>CSV file</label>
      </div>
      <input
        id={id}
        class="input"
        type="file"
        accept=".csv,text/csv"
        disabled={disabled}
        onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])}
      />
    </div>
  );
}

function Progress({ run: { outcomes, state, problem }, all }: { run: Run; all: number }) {
  const enrolled = outcomes.filter(({ outcome }) => outcome.startsWith("enrolled")).length;
  return (
    <>
      <progress max={all} value={outcomes.length} aria-label="Progress" />
      <p>
        {outcomes.length} of {all}, {enrolled} enrolled.
        {state === "ended" && (
          <>
            {" "}
            <a href={linkTo("audit", [], { action: "terminal.enrol" })}>Their rows in the audit log</a>
          </>
        )}
      </p>
      {problem !== null && <Notice tone="bad">Stopped: {problem}</Notice>}
    </>
  );
}

function Outcomes({ outcomes }: { outcomes: Enrolled[] }) {
  const rank = ["refused", "taken", "enrolled", "enrolled before"];
  const rows = outcomes.toSorted((one, other) => rank.indexOf(one.outcome) - rank.indexOf(other.outcome));
  return (
    <Table
      label="Outcome of each terminal"
      rows={rows}
      keyOf={({ terminalId }) => terminalId}
      columns={[
        { head: "Terminal", cell: ({ terminalId }) => <a href={terminalLink(terminalId)}>{terminalId}</a> },
        { head: "Outcome", cell: ({ outcome }) => <Tag tone={TONES[outcome]}>{outcome}</Tag> },
        { head: "Why", cell: ({ detail }) => detail ?? "" },
      ]}
    />
  );
}

/** The browser asks before the user closes the page, in any section, while an enrolment runs or has unsaved secrets. */
export function useEnrolmentWarning(): void {
  useSignalEffect(() => {
    const { run, unsaved } = pageEnrolment().state.value;
    if (unsaved === 0 && run?.state !== "running") return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  });
}
