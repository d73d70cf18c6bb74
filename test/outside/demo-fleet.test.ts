/** The shops that `npm start` adds for the operator's page. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, inject, it } from "vitest";
import { DemoFleet } from "../../src/development/fleet/demo-fleet.ts";
import { operator } from "../support/fresh-project.ts";

const fleets: DemoFleet[] = [];

afterEach(async () => {
  await Promise.all(fleets.splice(0).map((fleet) => fleet.stop()));
});

function fleetOf(persistTo: string, terminals: number): DemoFleet {
  const fleet = new DemoFleet({ baseUrl: inject("gateway").baseUrl, operator: operator(), persistTo, terminals });
  fleets.push(fleet);
  return fleet;
}

type Row = Record<string, unknown>;

async function rows(path: string): Promise<Row[]> {
  return (await operator().call("GET", path)).body["data"] as Row[];
}

function terminalsAt(place: string): Promise<Row[]> {
  return rows(`/terminals?terminalId=T-${place}`);
}

async function journal(): Promise<Row[]> {
  const all = [...(await terminalsAt("HARBOUR")), ...(await terminalsAt("STATION"))];
  const pages = await Promise.all(all.map(({ terminalId }) => rows(`/terminals/${String(terminalId)}/transactions`)));
  return pages.flat();
}

describe("the demo's shops", () => {
  it("are connected, have really sold, and have something to look after; a second start adds nothing", async ({
    expect,
  }) => {
    const folder = await mkdtemp(join(inject("gateway").folder, "fleet-"));
    const first = fleetOf(folder, 3);
    expect(await first.start()).toBe("Harbour Café and Station Kiosk: 3 simulated terminals, the last one offline.");
    const [harbour, station] = await Promise.all([terminalsAt("HARBOUR"), terminalsAt("STATION")]);
    expect(harbour).toMatchObject([
      { terminalId: "T-HARBOUR-01", posId: "POS-HARBOUR", connected: true },
      { terminalId: "T-HARBOUR-02", posId: "POS-HARBOUR", connected: true },
    ]);
    expect(station).toMatchObject([{ terminalId: "T-STATION-01", posId: "POS-STATION" }]);
    await expect.poll(async () => (await terminalsAt("STATION"))[0]?.["connected"]).toBe(false);
    const sold = await journal();
    expect(sold).toHaveLength(10);
    expect(sold.filter(({ state }) => state === "pending")).toHaveLength(1);
    expect((await stat(join(folder, "fleet", "fleet.json"))).mode & 0o777).toBe(0o600);
    await first.stop();
    const second = fleetOf(folder, 3);
    await second.start();
    expect(await journal()).toHaveLength(10);
    await second.stop();
    // A set-up that was stopped before its file was written: the shops get new secrets.
    await rm(join(folder, "fleet"), { recursive: true });
    await fleetOf(folder, 1).start();
    expect(await journal()).toHaveLength(14);
  });
});
