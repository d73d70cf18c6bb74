import { ACCOUNT_FILTERS } from "../../../protocol/operator-filters.ts";
import { Choice } from "../../page/controls.tsx";
import { ToneTag } from "../../page/shown.tsx";
import { makePlace } from "../address.ts";
import type { AccountAnswer, AccountWithKey } from "../answers.ts";
import { pathOf } from "../operator-calls.ts";
import { BY_ID_OR_NAME, filterFields, FilterForm, makeOptions, Searched } from "../part/list.tsx";
import { Named, Panel } from "../part/panel.tsx";
import { type Column } from "../part/table.tsx";
import { Question, REQUIRED, SecretOnce, type QuestionField } from "../part/question.tsx";
import { useList } from "../part/reading.tsx";
import { accountLink, readTexts, type PlaceQuery } from "../route.ts";

export const ACCOUNT_TONES = { active: "good", suspended: "pending", deleted: "neutral" } as const;

export const ACCOUNT_COLUMNS: Column<AccountAnswer>[] = [
  { head: "Account", cell: ({ posId, name }) => <Named id={posId} name={name} link={accountLink(posId)} /> },
  { head: "Status", cell: ({ status }) => <ToneTag tone={ACCOUNT_TONES[status]}>{status}</ToneTag> },
  { head: "Merchant", cell: ({ merchantId }) => merchantId },
  { head: "Currency", cell: ({ currency }) => currency },
  { head: "Time zone", cell: ({ timezone }) => timezone },
];

const STATUSES = makeOptions(ACCOUNT_FILTERS.status.of);

export function Accounts({ query }: { query: PlaceQuery }) {
  const { text, ...filter } = readTexts(query, ["text", "merchantId", "status"]);
  const place = makePlace({ text, ...filter });
  const list = useList<AccountAnswer>("/accounts", { ...filter, posId: text });
  return (
    <Panel title="Accounts" aside={<CreateAccount onDone={list.again} />}>
      <FilterForm place={place} fields={[BY_ID_OR_NAME]} more={filterFields(ACCOUNT_FILTERS)} />
      <Choice label="Status" value={filter.status} options={STATUSES} onChoose={(status) => place.show({ status })} />
      <Searched
        label="Accounts"
        list={list}
        id="posId"
        text={text}
        columns={ACCOUNT_COLUMNS}
        keyOf={({ posId }) => posId}
      />
    </Panel>
  );
}

type Terms = "merchantId" | "currency" | "timezone" | "name";

const TERMS: QuestionField<Terms>[] = [
  {
    name: "merchantId",
    label: "Merchant id",
    hint: "The merchant that it sells for.",
    mono: true,
    required: REQUIRED,
  },
  { name: "currency", label: "Currency", hint: "Three letters, such as MYR.", mono: true, required: REQUIRED },
  {
    name: "timezone",
    label: "Time zone",
    hint: "Decides when its day ends, such as Asia/Kuala_Lumpur.",
    value: Intl.DateTimeFormat().resolvedOptions().timeZone,
    required: REQUIRED,
  },
  { name: "name", label: "Name", hint: "Optional. Shown in lists, such as Corner shop, counter 1." },
];

const ID: QuestionField<"posId"> = {
  name: "posId",
  label: "Account id",
  code: "posId",
  mono: true,
  hint: "Cannot be changed, and is never used again.",
  required: REQUIRED,
};

/** The gateway creates the signing key and the password. */
function CreateAccount({ onDone }: { onDone: () => void }) {
  return (
    <Question<AccountWithKey, "posId" | Terms>
      action="New account"
      title="Create an account"
      confirm="Create"
      fields={[ID, ...TERMS]}
      change={({ name, ...terms }) => {
        const body = { ...terms, ...(name === "" ? {} : { name }) };
        return { action: "account.create", target: terms.posId, call: ["POST", "/accounts", body] };
      }}
      done={({ posId }) => `${posId} is created.`}
      show={({ signingKey, password }) => (
        <>
          <SecretOnce name="Signing key" text={signingKey} />
          {password !== undefined && <SecretOnce name="Password" text={password} />}
        </>
      )}
      onDone={onDone}
    >
      <p class="soft">The gateway makes its signing key and its password, and shows both once.</p>
    </Question>
  );
}

const SIGNED = {
  name: "signed",
  kind: "choice",
  label: "Unbinding a terminal and replacing the prebind list",
  options: [
    { value: "token", label: "A token can unbind terminals" },
    { value: "signed", label: "Unbinding must be signed" },
  ],
} as const;

export function ChangeAccount({ account, onDone }: { account: AccountAnswer; onDone: () => void }) {
  const { posId } = account;
  const signed = account.signedChanges ? "signed" : "token";
  return (
    <Question
      action="Change"
      title={`Change ${posId}`}
      confirm="Save"
      fields={[...TERMS.map((term) => ({ ...term, value: account[term.name] ?? "" })), { ...SIGNED, value: signed }]}
      change={(values) => {
        const changed = TERMS.filter(({ name }) => values[name] !== (account[name] ?? ""));
        const body = {
          // null removes the name; nothing else is empty here.
          ...Object.fromEntries(changed.map(({ name }) => [name, values[name] || null])),
          ...(values.signed === signed ? {} : { signedChanges: values.signed === "signed" }),
        };
        if (Object.keys(body).length === 0) return null;
        return { action: "account.change", target: posId, call: ["PATCH", pathOf.account(posId), body] };
      }}
      done={`${posId} is changed.`}
      onDone={onDone}
    >
      <p class="soft">
        It applies to every payment that arrives from then on. The account's terminals get a new merchant, currency or
        time zone.
      </p>
    </Question>
  );
}
