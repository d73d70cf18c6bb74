/** What the keeper keeps of the operators' webhooks. */
import { describe, it } from "vitest";
import { AlertStore } from "../../src/keeper/storage/alerts.ts";
import { MIGRATIONS } from "../../src/keeper/storage/tables.ts";
import { DEFAULT_ALERTS } from "../../src/protocol/alerts.ts";
import { memoryStorage } from "../support/memory-storage.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2031-05-10T12:00:00Z");

/** Endpoint 1 has three alerts, a day apart, the last of now; endpoint 2 has one. */
function filled(): AlertStore {
  const alerts = new AlertStore(memoryStorage(MIGRATIONS));
  for (const number of [1, 2, 3]) alerts.append(1, { number, body: `alert ${number}` }, 0, NOW + (number - 3) * DAY);
  alerts.append(2, { number: 1, body: "of 2" }, 0, NOW);
  return alerts;
}

describe("the alerts of an endpoint", () => {
  it("are read in their order, each after the one before, and numbered for each endpoint", ({ expect }) => {
    const alerts = filled();
    expect([1, 2, 3].map((endpoint) => [alerts.oldest(endpoint), alerts.newest(endpoint)])).toEqual([
      [1, 3],
      [1, 1],
      [0, 0],
    ]);
    expect(alerts.next(1, 0)).toEqual({ number: 1, body: "alert 1" });
    expect(alerts.next(1, 1)).toEqual({ number: 2, body: "alert 2" });
    expect(alerts.next(1, 3)).toBeNull();
  });

  it("are kept for 35 days after they were written, and longer until they are received", ({ expect }) => {
    const alerts = filled();
    // Number 1 is of two days before.
    alerts.append(1, { number: 4, body: "alert 4" }, 2, NOW + 33 * DAY);
    expect(alerts.oldest(1)).toBe(1);
    alerts.append(1, { number: 5, body: "alert 5" }, 2, NOW + 33 * DAY + 1);
    expect(alerts.oldest(1)).toBe(2);
    alerts.append(1, { number: 6, body: "alert 6" }, 2, NOW + 99 * DAY);
    expect([alerts.oldest(1), alerts.newest(1), alerts.oldest(2)]).toEqual([3, 6, 1]);
  });
});

describe("an endpoint that is deleted", () => {
  it("leaves nothing behind, and the others theirs", ({ expect }) => {
    const alerts = filled();
    const settings = { ...DEFAULT_ALERTS, "declines.many": 7 };
    const told = { matter: { id: "database" } } as Parameters<AlertStore["putTold"]>[1];
    for (const endpoint of [1, 2]) {
      alerts.setSettings(endpoint, settings);
      alerts.putTold(endpoint, told);
    }
    alerts.remove(1);
    expect([alerts.settings(1), alerts.newest(1), alerts.told(1).size]).toEqual([DEFAULT_ALERTS, 0, 0]);
    expect([alerts.settings(2), alerts.newest(2)]).toEqual([settings, 1]);
    expect([...alerts.told(2)]).toEqual([["database", told]]);
    alerts.removeTold(2, told);
    expect(alerts.told(2).size).toBe(0);
  });
});
