import { useState } from "preact/hooks";
import type { Channel } from "../../client/pos.ts";
import { SelectField } from "../page/controls.tsx";
import type { Polled } from "../page/use-polling.ts";
import { Panel, ReadingState, Rows } from "./reading.tsx";
import type { Till } from "./till.ts";

export function Channels({ till, channels: { value, problem } }: { till: Till; channels: Polled<Channel[]> }) {
  const [chosen, setChosen] = useState("");
  const currencies = [...new Set(value?.flatMap(({ currency }) => currency))].toSorted();
  const path = `/api/ewallet-channels${chosen === "" ? "" : `?currency=${encodeURIComponent(chosen)}`}`;
  return (
    <Panel till={till} id="channels-title" title="Wallets" path={path}>
      <div class="fields">
        <SelectField
          label="Currency"
          value={chosen}
          options={[
            { value: "", label: "All currencies" },
            ...currencies.map((code) => ({ value: code, label: code })),
          ]}
          onInput={setChosen}
        />
      </div>
      <ReadingState value={value} problem={problem} />
      <Rows
        items={value?.filter(({ currency }) => chosen === "" || currency.includes(chosen)) ?? null}
        empty="The operator has not set up any wallets."
        row={({ name, status, currency: codes, logoUrl3 }) => (
          <li key={name} class="list-row">
            <Logo name={name} url={logoUrl3} />
            <span class="list-main">{name}</span>
            <span class="mono small soft">{codes.join(" ")}</span>
            <span class="small list-state">{status === 1 ? "active" : "inactive"}</span>
          </li>
        )}
      />
    </Panel>
  );
}

/** Initials unless this origin serves the logo, because the page calls no other origin. */
function Logo({ name, url }: { name: string; url: string }) {
  const isOwn = URL.canParse(url) && new URL(url).origin === location.origin;
  if (isOwn) return <img class="logo" src={url} alt="" width={32} height={32} />;
  return (
    <span class="logo" aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.match(/\p{L}[\p{L}\p{N}]*/gu) ?? [];
  const [first = "?", second] = words.filter((word) => word.length > 1);
  return (second === undefined ? first.slice(0, 2) : [...first][0] + ([...second][0] ?? "")).toUpperCase();
}
