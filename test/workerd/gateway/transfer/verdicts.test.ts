/** What a POS is told about an e-wallet channel that it names wrongly. */
import { describe, it } from "vitest";
import { judgeChannel } from "../../../../src/gateway/http/pos/transfer/channels.ts";

function messageWith(count: number): string | undefined {
  const channels = Array.from({ length: count }, (_, index) => ({
    name: `W${index}`,
    status: 1 as const,
    currency: ["MYR"],
  }));
  return judgeChannel("none", channels, "MYR").problems[0]?.message;
}

describe("the verdict about an unknown channel", () => {
  it("names every usable channel, and at most twenty", ({ expect }) => {
    expect(messageWith(2)).toBe("There is no such channel. Send one of those for MYR: W0, W1.");
    expect(messageWith(20)).toMatch(/W18, W19\.$/u);
    expect(messageWith(21)).toMatch(/W19, or another of GET \/api\/ewallet-channels\.$/u);
  });
});
