import { describe, it } from "vitest";
import { stageWords } from "../../../../src/sdk/client/pos/stage-words.ts";
import { TRANSFER_STAGES } from "../../../../src/protocol/stages.ts";
import { TRANSFER_TYPES } from "../../../../src/protocol/transfer-types.ts";

describe("the words for a stage", () => {
  it("are there for each, and only a void's customer presents nothing", ({ expect }) => {
    const words = TRANSFER_STAGES.map((stage) => stageWords(stage));
    expect(new Set(words).size).toBe(words.length);
    expect(words).not.toContain("Waiting for OK at the terminal");
    for (const word of words) expect(word).toMatch(/^[A-Z].*[^.]$/u);
    for (const stage of TRANSFER_STAGES) {
      for (const type of TRANSFER_TYPES) {
        const isAsked = stage === "present" && type === "void";
        expect(stageWords(stage, type)).toBe(isAsked ? "Waiting for OK at the terminal" : stageWords(stage));
      }
    }
  });
});
