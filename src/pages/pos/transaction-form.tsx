import { useEffect, useRef, useState } from "preact/hooks";
import { newReferenceId, type Channel, type AccountTerminal } from "../../sdk/client/pos.ts";
import { TRANSFER_TYPES, type TransferType } from "../../protocol/transfer-types.ts";
import { Button, Choice, Control, FormFrame, SelectField, useCall } from "../page/controls.tsx";
import type { Option } from "../page/declared.ts";
import { Disclosure, Dot, Notice } from "../page/shown.tsx";
import { handedKey, pageTerminal } from "../page/signals.ts";
import type { Polled } from "../page/use-polling.ts";
import type { BrowserDemoCredentials } from "../demo.ts";
import {
  toTransferCall,
  FIELDS,
  transferFields,
  firstDraft,
  messageName,
  placedDetails,
  draftProblems,
} from "./fields.ts";
import type { FormDraft, FieldName, FieldProblems } from "./fields.ts";
import { readingProblem } from "./reading.ts";
import { approvedNumber, type PosModel, type PageTransaction } from "./pos-model.ts";
import { Scenarios } from "./scenarios.tsx";
import { TRANSACTION_ID } from "./transaction-view.tsx";

const ABOUT: Record<TransferType, string> = {
  sale: "A standard purchase.",
  cashOut: "A purchase with cash handed out, by domestic debit card.",
  void: "Takes back an approved sale or cashOut.",
  inquiry: "The outcome of a transaction, by its number or reference; without either, by its own reference.",
  getLast: "The last transaction of this account that reached the terminal.",
};

const CENTS = "On this terminal, the cents decide: .05 is declined, .22 pending, .88 cancelled.";

const WAITS = [
  { value: "", label: "Until the outcome is known" },
  { value: "5", label: "5 seconds · Prefer: wait=5" },
  { value: "0", label: "Do not wait · Prefer: respond-async" },
];

interface TransactionFormProps {
  pos: PosModel;
  demo: BrowserDemoCredentials | null;
  terminals: Polled<AccountTerminal[]>;
  channels: Channel[];
}

/** Once a transaction is sent, only a line of the form is left, so that the transaction is on top. */
export function TransactionForm({ pos, demo, terminals: polled, channels }: TransactionFormProps) {
  const terminals = polled.value;
  const [draft, setDraft] = useState<FormDraft>(() => firstDraft(newReferenceId()));
  const [wait, setWait] = useState("");
  const [problems, setProblems] = useState<FieldProblems>({});
  const [isOpen, setOpen] = useState(true);
  const part = useRef<HTMLDivElement>(null);

  const change = (changes: Partial<FormDraft>): void => {
    setDraft((known) => ({ ...known, ...changes }));
    setProblems((known) => without(known, Object.keys(changes) as FieldName[]));
  };

  useTerminal(terminals, draft.deviceId, { preferred: demo?.terminalId, choose: (deviceId) => change({ deviceId }) });
  const latest = pos.transactions.value.find(({ call }) => call.request.referenceId === draft.referenceId);
  const refuse = (found: FieldProblems): void => {
    setProblems(found);
    if (Object.keys(found).length > 0) setOpen(true);
  };
  useOutcome(latest, { change, refuse });

  // The button that had the focus is no longer drawn.
  const fold = (): void => {
    setOpen(false);
    document.getElementById(TRANSACTION_ID)?.focus({ preventScroll: true });
  };
  const unfold = (): void => {
    setOpen(true);
    setTimeout(() => part.current?.querySelector<HTMLElement>("input:checked")?.focus());
  };
  const send = (): void => {
    pos.send(toTransferCall(draft), wait === "" ? undefined : Number(wait));
    fold();
  };
  const submit = (form: HTMLElement): void => {
    const found = draftProblems(draft);
    setProblems(found);
    if (Object.keys(found).length === 0) send();
    else focusFirstProblem(form);
  };

  const { main, more } = transferFields(draft);
  const { isOnPage, isSimulated } = classifyTerminal(draft.deviceId, demo);
  const field = (name: FieldName) => (
    <TransferField
      key={name}
      name={name}
      value={draft[name]}
      problem={problems[name]}
      hint={name === "transAmt" && isSimulated ? CENTS : undefined}
      channels={channels}
      onInput={(value) => change({ [name]: value })}
    />
  );
  const device = terminals?.find(({ terminalId }) => terminalId === draft.deviceId);
  const connection = describeConnection(polled, device);
  if (!isOpen) return <FoldedForm draft={draft} device={device} connection={connection} onUnfold={unfold} />;
  return (
    <FormFrame look="panel" label="New transaction" onSubmit={submit}>
      <div class="stack" ref={part}>
        <Choice
          label="Type of the transaction"
          value={draft.transType}
          options={TRANSFER_TYPES.map((value) => ({ value, label: value }))}
          onChoose={(transType) => {
            setProblems({});
            change({ transType });
          }}
        />
        <p class="soft small">{ABOUT[draft.transType]}</p>
      </div>
      {terminals?.length === 0 && <NoTerminal pos={pos} />}
      <div class="fields">
        <SelectField
          label="Terminal"
          code="deviceId"
          value={draft.deviceId}
          options={(terminals ?? []).map(({ terminalId }) => ({ value: terminalId, label: terminalId }))}
          problem={problems.deviceId}
          hint={connection}
          onInput={(deviceId) => change({ deviceId })}
        />
        {field("referenceId")}
        {main.map(field)}
      </div>
      <Disclosure summary="More fields">
        <div class="fields">
          {more.map(field)}
          <SelectField label="Wait for the answer" value={wait} options={WAITS} onInput={setWait} />
        </div>
      </Disclosure>
      <Sending blocked={Object.keys(problems).length} onSendAnyway={send} />
      {(isOnPage || isSimulated) && <Scenarios pos={pos} deviceId={draft.deviceId} onSent={fold} />}
    </FormFrame>
  );
}

/** The page's own terminal does what the user presses there. */
function classifyTerminal(deviceId: string, demo: BrowserDemoCredentials | null) {
  return {
    isOnPage: deviceId !== "" && deviceId === pageTerminal.value,
    isSimulated: demo !== null && deviceId !== "" && deviceId !== demo.terminalId,
  };
}

interface FoldedFormProps {
  draft: FormDraft;
  device: AccountTerminal | undefined;
  connection: string;
  onUnfold: () => void;
}

function FoldedForm({ draft, device, connection, onUnfold }: FoldedFormProps) {
  return (
    <div class="panel row spread form-line">
      <p>
        <Dot tone={device?.connected === true ? "good" : "neutral"} /> <span class="mono">{draft.deviceId}</span>{" "}
        <span class="soft">{connection}</span>
      </p>
      <Button look="primary" expanded={false} onClick={onUnfold}>
        New transaction
      </Button>
    </div>
  );
}

interface TransferFieldProps {
  name: FieldName;
  value: string;
  problem: string | undefined;
  /** Replaces the declared hint. */
  hint: string | undefined;
  channels: Channel[];
  onInput: (value: string) => void;
}

function TransferField({ name, value, problem, hint, channels, onInput }: TransferFieldProps) {
  const {
    longest,
    hint: usual = longest === undefined ? "" : `At most ${longest} characters.`,
    ...declared
  } = FIELDS[name];
  const wallets = [{ value: "", label: "Choose a wallet" }, ...channels.map(walletOption)];
  return (
    <Control
      field={{
        ...declared,
        name,
        code: messageName(name),
        hint: hint ?? usual,
        ...(name === "paymentChannel" && { options: wallets }),
      }}
      value={value}
      problem={problem}
      onInput={onInput}
      action={
        name === "referenceId" && (
          <Button look="plain" label="New reference" onClick={() => onInput(newReferenceId())}>
            New
          </Button>
        )
      }
    />
  );
}

/** Offers a bind key for any terminal, and hands it to the one on this page. */
function NoTerminal({ pos }: { pos: PosModel }) {
  const [key, setKey] = useState("");
  const { state, make } = useCall(readingProblem);
  const bind = (): Promise<void> =>
    make(async () => {
      const { key: drawn } = await pos.client.bindKey();
      setKey(drawn);
      handedKey.value = { key: drawn };
      return null;
    });
  return (
    <Notice tone="pending">
      No terminal is bound to this account yet.{" "}
      <Button look="plain" disabled={state.busy} onClick={() => void bind()}>
        Bind the virtual terminal
      </Button>
      {state.problem !== null && <> {state.problem}</>}
      {key !== "" && (
        <>
          {" "}
          Another terminal can bind with the key <span class="mono">{key}</span> instead.
        </>
      )}
    </Notice>
  );
}

/** Without a choice of a bound terminal, chooses the preferred one, or the first. */
function useTerminal(
  terminals: AccountTerminal[] | null,
  chosen: string,
  { preferred, choose }: { preferred: string | undefined; choose: (deviceId: string) => void },
): void {
  const bound = terminals?.map(({ terminalId }) => terminalId);
  useEffect(() => {
    if (bound === undefined || bound.includes(chosen)) return;
    choose(bound.find((terminalId) => terminalId === preferred) ?? bound[0] ?? "");
  }, [bound?.join(" ")]);
}

/** After an outcome, the reference is used up; after a refusal, the user must fix the fields. */
function useOutcome(
  latest: PageTransaction | undefined,
  { change, refuse }: { change: (changes: Partial<FormDraft>) => void; refuse: (problems: FieldProblems) => void },
): void {
  useEffect(() => {
    if (latest === undefined || latest.state.kind === "running") return;
    const { state } = latest;
    if (state.kind === "failed") return refuse(placedDetails(state.problem.details ?? []));
    if (state.answer.statusCode === "22") return;
    const transId = approvedNumber(latest);
    change({ referenceId: newReferenceId(), ...(transId === null ? {} : { transId }) });
  }, [latest?.state]);
}

function walletOption({ name, status }: Channel): Option {
  return { value: name, label: status === 1 ? name : `${name} · inactive` };
}

/** @param blocked the number of fields with a problem */
function Sending({ blocked, onSendAnyway }: { blocked: number; onSendAnyway: () => void }) {
  return (
    <div class="row">
      <Button look="primary">Sign and send</Button>
      {blocked > 0 && (
        <Button onClick={onSendAnyway} look="plain">
          Send anyway
        </Button>
      )}
      <p class="small field-problem" role="status">
        {blocked === 0 ? "" : blocked === 1 ? "One field to fix." : `${blocked} fields to fix.`}
      </p>
    </div>
  );
}

/** Always one line, so that the fields below do not move. */
function describeConnection(
  { value, problem }: Polled<AccountTerminal[]>,
  terminal: AccountTerminal | undefined,
): string {
  if (problem !== null) return `Connection unknown. ${problem}`;
  if (value === null) return "Loading…";
  return terminal === undefined ? "None." : terminal.connected ? "Connected." : "Not connected.";
}

function without(problems: FieldProblems, names: FieldName[]): FieldProblems {
  return Object.fromEntries(Object.entries(problems).filter(([name]) => !names.includes(name as FieldName)));
}

/** Runs after the problems are drawn. Opens a folded part first, because its fields cannot take the focus. */
function focusFirstProblem(form: HTMLElement): void {
  setTimeout(() => {
    const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.closest("details")?.setAttribute("open", "");
    field?.focus();
  });
}
