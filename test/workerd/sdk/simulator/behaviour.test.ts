import { describe, it } from "vitest";
import { behaviourFor, behaviourNamed, BEHAVIOUR_NAMES } from "../../../../src/sdk/simulator/behaviour.ts";

const declined = (responseCode: string): object => ({ kind: "decline", responseCode });
const fault = (name: string): object => ({ kind: "fault", fault: name });

const BEHAVIOURS: [name: string, cents: string, behaviour: object][] = [
  ["declined", "05", declined("05")],
  ["insufficient-funds", "51", declined("51")],
  ["expired-card", "54", declined("54")],
  ["wrong-pin", "55", declined("55")],
  ["outside-promotion", "57", { kind: "outside-promotion" }],
  ["issuer-unavailable", "91", declined("91")],
  ["pending-then-approved", "22", { kind: "pending", outcome: "00" }],
  ["pending-then-declined", "23", { kind: "pending", outcome: "11" }],
  ["drop-before-result", "81", fault("drop-before-result")],
  ["drop-before-accepted", "82", fault("drop-before-accepted")],
  ["silent-until-asked", "83", fault("silent-until-asked")],
  ["result-twice", "84", fault("result-twice")],
  ["result-late", "85", fault("result-late")],
  ["busy", "86", { kind: "refuse-busy" }],
  ["wrong-signature-first", "87", fault("wrong-signature-first")],
  ["customer-cancels", "88", { kind: "customer-cancels" }],
  ["slow", "89", { kind: "slow", milliseconds: 10_000 }],
];

describe("the simulated customer, terminal and host", () => {
  it.for(BEHAVIOURS)("behave as %s for .%s, and by name", ([name, cents, behaviour], { expect }) => {
    expect(behaviourNamed(name)).toMatchObject(behaviour);
    expect(behaviourFor(`12.${cents}`)).toEqual(behaviourNamed(name));
  });

  it("approve every other amount, and have no other names", ({ expect }) => {
    expect([behaviourFor("5.22"), behaviourFor("22.00")]).toEqual([
      behaviourNamed("pending-then-approved"),
      { kind: "approve" },
    ]);
    expect(behaviourNamed("other")).toBeUndefined();
    expect(BEHAVIOUR_NAMES).toEqual(BEHAVIOURS.map(([name]) => name));
  });
});
