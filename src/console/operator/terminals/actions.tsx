import { TextField } from "../../page/field.tsx";
import type { OperatorTerminalDetails, TerminalSecret, TransactionAnswer } from "../answers.ts";
import { pathOf } from "../calls.ts";
import { Question, TerminalSecretView } from "../part/question.tsx";
import { connectionWords, openWords, progressWithSecret, progressWords } from "./effects.ts";

export interface ActionsProps {
  terminal: OperatorTerminalDetails;
  /** Its newest payments; null until they are read. */
  journal: readonly TransactionAnswer[] | null;
  /** Reads both again. */
  onChanged: () => void;
}

/** The changes that an operator can make to one terminal. */
export function Actions({ terminal, journal, onChanged }: ActionsProps) {
  const { terminalId, posId } = terminal;
  const path = pathOf.terminal(terminalId);
  const now = Date.now();
  const effects = [progressWords(journal, now), openWords(journal)].filter((words) => words !== null).join(" ");
  return (
    <div class="row">
      <ChangeTerminal terminal={terminal} onDone={onChanged} />
      {posId !== null && (
        <Question
          action="Unbind"
          role="support"
          title={`Unbind ${terminalId} from ${posId}?`}
          change={{ action: "terminal.unbind", target: terminalId, call: ["DELETE", `${path}/binding`] }}
          done={`${terminalId} is unbound.`}
          onAsk={onChanged}
          onDone={onChanged}
        >
          <p>{effects}</p>
          <p class="soft">
            The account can no longer use it, and it leaves the account's prebind list. To use it again, bind it with a
            key.
          </p>
        </Question>
      )}
      <Question<TerminalSecret>
        action="New secret"
        title={`Give ${terminalId} a new secret?`}
        change={{ action: "terminal.secret", target: terminalId, call: ["POST", `${path}/secret`] }}
        done={`${terminalId} has a new secret.`}
        show={({ secret }) => <TerminalSecretView terminalId={terminalId} secret={secret} />}
        onAsk={onChanged}
        onDone={onChanged}
      >
        <p>
          The old secret stops working at once. {connectionWords(terminal)} The device needs the new one to reconnect.
        </p>
        <p>{progressWithSecret(journal, now)}</p>
      </Question>
      <Question
        action="Retire"
        look="danger"
        title={`Retire ${terminalId} permanently?`}
        change={{ action: "terminal.retire", target: terminalId, call: ["DELETE", path] }}
        done={`${terminalId} is retired.`}
        onAsk={onChanged}
        onDone={onChanged}
      >
        <p>
          {connectionWords(terminal)} {effects}
        </p>
        <p class="soft">It can never connect again, and its id is never used again. Its journal stays.</p>
      </Question>
    </div>
  );
}

/** Name and merchant of a terminal. */
function ChangeTerminal({ terminal, onDone }: { terminal: OperatorTerminalDetails; onDone: () => void }) {
  const { terminalId } = terminal;
  const before = { name: terminal.name ?? "", merchantId: terminal.merchantId ?? "" };
  return (
    <Question
      action="Change"
      title={`Change ${terminalId}`}
      confirm="Save"
      fields={before}
      change={({ name, merchantId }) => {
        const body = {
          // null removes the name.
          ...(name === before.name ? {} : { name: name === "" ? null : name }),
          ...(["", before.merchantId].includes(merchantId) ? {} : { merchantId }),
        };
        if (Object.keys(body).length === 0) return { problems: { merchantId: "Nothing is changed yet." } };
        return { action: "terminal.change", target: terminalId, call: ["PATCH", pathOf.terminal(terminalId), body] };
      }}
      done={`${terminalId} is changed.`}
      onDone={onDone}
    >
      {({ field }) => (
        <>
          <TextField label="Name" hint="Shown in lists, such as Counter 3." {...field("name")} />
          <TextField
            label="Merchant id"
            mono
            hint="Accounts of this merchant can prebind it. Its binding stays as it is."
            {...field("merchantId")}
          />
        </>
      )}
    </Question>
  );
}
