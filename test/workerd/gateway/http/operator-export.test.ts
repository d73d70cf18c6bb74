/** The operator's lists as CSV, page by page. */
import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { createAccount, operator, OPERATOR_TOKEN, send } from "../../../support/gateway.ts";
import { useAccount } from "../../../support/scene.ts";
import { deliverStatistics } from "../../../support/statistics.ts";

useFakeClock();
const scene = useAccount();

/** Every page of a list, without the line ends. */
async function pagesOf(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const response = await send("GET", next, { token: OPERATOR_TOKEN, headers: { Accept: "text/csv" } });
    pages.push((await response.text()).trimEnd().split("\r\n"));
    next = /^<(.*)>; rel="next"$/u.exec(response.headers.get("Link") ?? "")?.[1];
  }
  return pages;
}

describe("an operator's list as CSV", () => {
  it("has every row of the audit log, with changes as JSON", async ({ expect }) => {
    const { posId } = await createAccount();
    await operator("PATCH", `/operator/accounts/${posId}`, { name: "=Corner" });
    const pages = await pagesOf(`/operator/audit?target=${posId}&limit=1`);
    expect(pages.map(([head]) => head)).toEqual(pages.map(() => "id,at,actor,action,target,details,before,after"));
    const rows = pages.flatMap(([, ...lines]) => lines);
    expect(rows.map((row) => row.split(",")[3])).toEqual(["account.change", "account.create"]);
    expect(rows[0]).toContain('"{""name"":""=Corner""');
  });

  it("has an account's payments, and what they add up to", async ({ expect }) => {
    const here = await scene();
    const { posId } = here.pos.account;
    for (let sale = 0; sale < 2; sale++) await here.pos.transfer(here.pos.saleBody());
    const path = `/operator/accounts/${posId}/transactions`;
    await expect.poll(async () => (await pagesOf(path)).flat().length).toBe(3);
    const pages = await pagesOf(`${path}?limit=1`);
    const rows = pages.flatMap(([, ...lines]) => lines);
    expect(rows.map((row) => row.split(",")[1])).toEqual(["sale", "sale"]);
    await deliverStatistics(posId);
    await expect.poll(async () => (await pagesOf(`/operator/statistics?posId=${posId}`)).flat().length).toBe(2);
    const [[head = "", ...figures] = []] = await pagesOf(`/operator/statistics?posId=${posId}&by=responseCode`);
    expect(head).toMatch(
      /^hour,day,timezone,posId,responseCode,transactions.00,transactions.11,approvalRate,gateway.count,gateway.within.10,/u,
    );
    expect(figures).toEqual([expect.stringMatching(/^,,Asia\/Kuala_Lumpur,,TERMINAL_OFFLINE,0,2,/u)]);
  });
});
