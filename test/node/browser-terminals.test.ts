import { describe, it } from "vitest";
import { leaving, type Kept } from "../../src/development/browser-terminals.ts";
import { HOUR } from "../../src/time/units.ts";

function used(hoursAgo: number, name = `${hoursAgo}`): Kept {
  return { browser: name, terminalId: `T-${name}`, terminalSecret: "secret", usedAt: -hoursAgo * HOUR };
}

describe("the demo's terminals of browsers", () => {
  it("leave an hour after their browser opened the console last, unless they are connected", ({ expect }) => {
    const [recent, gone, open] = [used(0.5), used(2), used(3)];
    expect(leaving([recent, gone, open], [open.terminalId], 0)).toEqual([gone]);
  });

  it("are ten at most: the one that was not used for the longest time leaves", ({ expect }) => {
    const nine = Array.from({ length: 9 }, (_, at) => used(0.1, `recent ${at}`));
    expect(leaving([used(0.9), ...nine], [], 0)).toEqual([used(0.9)]);
    expect(leaving(nine, [], 0)).toEqual([]);
  });
});
