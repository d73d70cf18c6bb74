/** Which device a reference belongs to (I1), and which devices an account has, as both are kept. */
import { describe, it } from "vitest";
import { type Claim, Claims, Devices } from "../../../../../src/gateway/account/storage/claims.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

const CLAIM: Claim = {
  referenceId: "R-1",
  deviceId: "T-1",
  admittedAt: 1,
  requestId: null,
  revision: 0,
  event: null,
  completedAt: null,
  voided: null,
};

const VOIDED: Claim = {
  referenceId: "R-2",
  deviceId: "T-2",
  admittedAt: 2,
  requestId: 3,
  revision: 4,
  event: 5,
  completedAt: 6,
  voided: { of: 3, requestId: "7", referenceId: "R-7" },
};

describe("a claim", () => {
  it("is found as it was saved last, until it is removed", ({ expect }) => {
    const claims = new Claims(memoryStorage(ACCOUNT_MIGRATIONS));
    for (const claim of [CLAIM, VOIDED]) claims.save(claim);
    expect([claims.find("R-1"), claims.find("R-2"), claims.find("R-3")]).toEqual([CLAIM, VOIDED, null]);
    claims.save({ ...VOIDED, referenceId: "R-1" });
    expect(claims.find("R-1")).toEqual({ ...VOIDED, referenceId: "R-1" });
    claims.remove("R-2");
    expect(claims.find("R-2")).toBeNull();
  });

  it("is added only if its reference has none", ({ expect }) => {
    const claims = new Claims(memoryStorage(ACCOUNT_MIGRATIONS));
    expect(claims.add(CLAIM)).toBe(true);
    expect(claims.find("R-1")).toEqual(CLAIM);
    expect(claims.add({ ...CLAIM, deviceId: "T-2" })).toBe(false);
    expect(claims.find("R-1")).toEqual(CLAIM);
  });

  it("is one of a page in the order of the references", ({ expect }) => {
    const claims = new Claims(memoryStorage(ACCOUNT_MIGRATIONS));
    for (const referenceId of ["R-3", "R-1", "R-2"]) claims.save({ ...CLAIM, referenceId });
    const after = (referenceId: string, limit: number) =>
      claims.after(referenceId, limit).map((one) => one.referenceId);
    expect(after("", 2)).toEqual(["R-1", "R-2"]);
    expect(after("R-2", 2)).toEqual(["R-3"]);
    expect(claims.after("R-2", 2)).toEqual([{ ...CLAIM, referenceId: "R-3" }]);
  });
});

function withDevices(sql = memoryStorage(ACCOUNT_MIGRATIONS)): Devices {
  const devices = new Devices(sql);
  devices.save({ terminalId: "T-2", bindingVersion: 1, bound: true });
  devices.save({ terminalId: "T-1", bindingVersion: 5, bound: true });
  devices.save({ terminalId: "T-3", bindingVersion: 1, bound: false });
  return devices;
}

describe("a device", () => {
  it("stays stored after it is unbound", ({ expect }) => {
    const sql = memoryStorage(ACCOUNT_MIGRATIONS);
    withDevices(sql);
    const devices = new Devices(sql);
    expect(devices.find("T-1")).toEqual({ terminalId: "T-1", bound: true, bindingVersion: 5 });
    expect(devices.find("T-3")).toEqual({ terminalId: "T-3", bound: false, bindingVersion: 1 });
    expect(devices.find("T-4")).toBeNull();
    expect(devices.bound()).toEqual(["T-1", "T-2"]);
  });

  it("changes with what is saved", ({ expect }) => {
    const devices = withDevices(memoryStorage(ACCOUNT_MIGRATIONS));
    devices.save({ terminalId: "T-1", bindingVersion: 6, bound: false });
    expect(devices.find("T-1")).toEqual({ terminalId: "T-1", bound: false, bindingVersion: 6 });
  });
});
