import { useState } from "preact/hooks";
import type { CallOptions, Channel } from "../../client/pos.ts";
import { SelectField } from "../page/controls.tsx";
import { activeFirst } from "./fields.ts";
import { Panel, ReadingState, Rows, usePolling } from "./reading.tsx";
import type { Till } from "./till.ts";

/** The channels of one currency or of all, active channels first. */
export async function channelsOf(
  { client }: Till,
  currency: string | undefined,
  options: CallOptions,
): Promise<Channel[]> {
  return activeFirst(await client.channels(currency, options));
}

/** The e-wallet channels of all currencies (`all`) or of one, as the gateway lists them. */
export function Channels({ till, all }: { till: Till; all: Channel[] }) {
  const [currency, setCurrency] = useState("");
  const asked = currency === "" ? undefined : currency;
  const { value: read, problem } = usePolling((options) => channelsOf(till, asked, options), 0, [till, currency]);
  const value = read ?? (asked === undefined ? all : null);
  const currencies = [...new Set(all.flatMap(({ currency: codes }) => codes))].toSorted();
  const path = `/api/ewallet-channels${asked === undefined ? "" : `?currency=${encodeURIComponent(asked)}`}`;
  return (
    <Panel till={till} id="channels-title" title="Wallets" path={path}>
      <div class="fields">
        <SelectField
          label="Currency"
          value={currency}
          options={[
            { value: "", label: "All currencies" },
            ...currencies.map((code) => ({ value: code, label: code })),
          ]}
          onInput={setCurrency}
        />
      </div>
      <ReadingState value={value} problem={problem} />
      <Rows
        items={value}
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

/** The logo if this origin serves it; otherwise initials, because the page calls no other origin. */
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
