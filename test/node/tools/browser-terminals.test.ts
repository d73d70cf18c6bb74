import { describe, it } from "vitest";
import { leaving, type StoredBrowserTerminal } from "../../../src/tools/development/browser-terminals.ts";
import { SECOND } from "../../../src/protocol/time/units.ts";

function used(secondsAgo: number, name = `${secondsAgo}`): StoredBrowserTerminal {
  return { browser: name, terminalId: `T-${name}`, terminalSecret: "secret", usedAt: -secondsAgo * SECOND };
}

describe("the demo's terminals of browsers", () => {
  it("leave when another browser comes, unless connected or about to be", ({ expect }) => {
    const [opening, closed, alsoClosed, open] = [used(5), used(20), used(30), used(40)];
    expect(leaving([opening, closed, alsoClosed, open], [open.terminalId], 0)).toEqual([closed, alsoClosed]);
  });

  it("are limited to ten, of which the least recently used leaves", ({ expect }) => {
    const nine = Array.from({ length: 9 }, (_, at) => used(1, `recent ${at}`));
    expect(leaving([used(9), ...nine], [], 0)).toEqual([used(9)]);
    expect(leaving(nine, [], 0)).toEqual([]);
  });
});
