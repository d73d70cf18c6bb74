import { describe, it } from "vitest";
import { findRegion, REGIONS } from "../../../../src/protocol/region.ts";
import { isTimeZone } from "../../../../src/protocol/time/zone.ts";

describe("an account's object", () => {
  it.for([
    ["Asia/Kuala_Lumpur", "apac"],
    ["Asia/Dubai", "me"],
    ["Africa/Lagos", "afr"],
    ["America/New_York", "enam"],
    ["America/Los_Angeles", "wnam"],
    ["America/Denver", "wnam"],
    ["America/Chicago", "enam"],
    ["America/Mexico_City", "enam"],
    ["US/Pacific", "wnam"],
    ["Canada/Eastern", "enam"],
    ["America/Sao_Paulo", "sam"],
    ["America/Argentina/Ushuaia", "sam"],
    ["Australia/Perth", "oc"],
    ["Pacific/Auckland", "oc"],
    ["Europe/Berlin", "weur"],
    ["Europe/Warsaw", "eeur"],
    ["Atlantic/Reykjavik", "weur"],
  ] as const)("stands near the shops of %s: %s", ([zone, region], { expect }) => {
    expect(findRegion(zone)).toBe(region);
  });

  it("is placed by the platform if the time zone names no place", ({ expect }) => {
    expect(findRegion("UTC")).toBeUndefined();
  });

  it("has a region for every time zone that names a place", ({ expect }) => {
    const zones = Intl.supportedValuesOf("timeZone").filter((zone) => zone.includes("/") && !zone.startsWith("Etc/"));
    expect(zones.length).toBeGreaterThan(300);
    const places = zones.filter(isTimeZone).map(findRegion);
    expect(places.filter((place) => place === undefined || !REGIONS.includes(place))).toEqual([]);
  });
});
