import { useEffect, useId, useState } from "hono/jsx/dom";
import { readTerminals } from "../../../enrolment/csv.ts";
import type { WantedTerminal } from "../../../enrolment/csv.ts";
import { enrolAll } from "../../../enrolment/enrol.ts";
import type { Enrolled } from "../../../enrolment/enrol.ts";
import { Button } from "../../page/button.tsx";
import { Notice, Tag } from "../../page/status.tsx";
import type { Tone } from "../../page/tone.ts";
import { isCallError, problemOf } from "../calls.ts";
import { Panel } from "../part/section.tsx";
import { Table } from "../part/table.tsx";
import { useCalls } from "../part/use-calls.ts";
import { linkTo, terminalLink } from "../route.ts";
import { counted } from "../words.ts";
import { enrolmentCalls } from "./calls.ts";
import { PageMemory } from "./memory.ts";
import { saveFile } from "./save.ts";

const TONES: Record<Enrolled["outcome"], Tone> = {
  enrolled: "good",
  "enrolled before": "neutral",
  taken: "pending",
  refused: "bad",
};

let kept: PageMemory | null = null;

/** One for the life of the page: a user who opens another section and comes back still has the secrets to save. */
function pageMemory(): PageMemory {
  return (kept ??= new PageMemory(localStorage));
}

interface Run {
  outcomes: Enrolled[];
  state: "running" | "stopped" | "ended";
  problem: string | null;
}

/** Enrols the terminals of a CSV file. */
export function Enrol() {
  const calls = useCalls();
  const memory = pageMemory();
  const [wanted, setWanted] = useState<WantedTerminal[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [run, setRun] = useState<Run | null>(null);
  const [unsaved, setUnsaved] = useState(memory.unsaved);

  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const read = readTerminals(await file.text());
    setRun(null);
    setWanted(read.ok ? read.value : []);
    setProblem(read.ok ? null : `${file.name}: ${read.error}`);
  };
  const enrol = async (): Promise<void> => {
    const outcomes: Enrolled[] = [];
    const show = (state: Run["state"], why: string | null): void => {
      setRun({ outcomes: [...outcomes], state, problem: why });
      setUnsaved(memory.unsaved);
    };
    show("running", null);
    try {
      await enrolAll(wanted, enrolmentCalls(calls), memory, (one) => {
        outcomes.push(one);
        show("running", null);
      });
      show("ended", null);
    } catch (error) {
      if (!isCallError(error)) throw error;
      show("stopped", problemOf(error));
    }
  };
  const save = (): void => {
    saveFile("terminals-secrets.csv", "text/csv", memory.takeSecrets());
    setUnsaved(0);
  };
  useWarning(unsaved > 0);
  const isRunning = run?.state === "running";
  return (
    <Panel title="Enrol terminals" id="enrol-title">
      <p class="soft">
        From a CSV file whose first line names the columns: <code>terminalId</code>, and optionally <code>name</code>,{" "}
        <code>merchantId</code> and <code>isVT</code> (1: a virtual terminal). Existing terminals do not change. If the
        run is stopped, choose the same file again to continue.
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
      </div>
      <div class="row">
        {wanted.length > 0 && run?.state !== "ended" && (
          <Button look="primary" disabled={isRunning} onClick={() => void enrol()}>
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
        onChange={(event: Event) => onFile((event.target as HTMLInputElement).files?.[0])}
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

/** Refused lines come first. */
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

/** Makes the browser ask before the user leaves the page while there are unsaved secrets. */
function useWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isNeeded]);
}
