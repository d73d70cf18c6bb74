import type { AccountAnswer, ShopAnswer, TerminalAnswer } from "./answers.ts";
import { ACCOUNT_COLUMNS } from "./accounts/accounts.tsx";
import { Searched } from "./part/list.tsx";
import { Panel } from "./part/panel.tsx";
import { useList } from "./part/reading.tsx";
import { PaymentsPanel } from "./payments/payments.tsx";
import { linkTo } from "./route.ts";
import { TERMINAL_COLUMNS } from "./terminals/terminals.tsx";

/** Payments that the text may mean, and whatever has an id or a name that begins with it. */
export function Find({ text }: { text: string }) {
  return (
    <>
      <Panel title={`Terminals, accounts and shops: ${text}`}>
        <h3>Terminals</h3>
        <Searched<TerminalAnswer>
          label="Terminals"
          list={useList("/terminals", { terminalId: text, status: "enrolled" })}
          id="terminalId"
          text={text}
          columns={TERMINAL_COLUMNS}
          keyOf={({ terminalId }) => terminalId}
        />
        <h3>Accounts</h3>
        <Searched<AccountAnswer>
          label="Accounts"
          list={useList("/accounts", { posId: text })}
          id="posId"
          text={text}
          columns={ACCOUNT_COLUMNS}
          keyOf={({ posId }) => posId}
        />
        <h3>Shops</h3>
        <Searched<ShopAnswer>
          label="Shops"
          list={useList("/shops", { merchantId: text })}
          id="merchantId"
          text={text}
          columns={[
            {
              head: "Shop",
              cell: ({ name }) => name,
              href: ({ merchantId }) => linkTo("terminals", [], { shop: merchantId }),
            },
            { head: "Merchant", cell: ({ merchantId }) => <code>{merchantId}</code> },
          ]}
          keyOf={({ merchantId }) => merchantId}
        />
      </Panel>
      <PaymentsPanel query={{ text }} />
    </>
  );
}
