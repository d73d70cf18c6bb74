import { describe, it } from "vitest";
import { readOptions } from "../../capacity/options.ts";

describe("npm run capacity", () => {
  it("simulates a million terminals unless its options say otherwise", ({ expect }) => {
    expect(readOptions([])).toEqual({
      ok: true,
      value: {
        terminals: 1_000_000,
        perDay: 50,
        perAccount: 1,
        perAddress: 1,
        webhooks: 10,
        outage: 5,
        seed: 1,
        quick: false,
        json: false,
        docs: false,
      },
    });
  });

  it("accepts every number, and shows its help", ({ expect }) => {
    const words = "--terminals 20 --per-day 1 --per-account 4 --per-address 2 --webhooks 0 --outage 60 --seed 7 --json";
    expect(readOptions(words.split(" "))).toMatchObject({
      ok: true,
      value: { terminals: 20, perDay: 1, perAccount: 4, perAddress: 2, webhooks: 0, outage: 60, seed: 7, json: true },
    });
    expect(readOptions(["--help"])).toEqual({ ok: true, value: "help" });
  });

  it.for([
    [["--terminals", "0"], "--terminals takes a whole number from 1 to 2000000, not 0."],
    [["--terminals", "1e6"], "--terminals takes a whole number from 1 to 2000000, not 1e6."],
    [["--terminals", "2000001"], "--terminals takes a whole number from 1 to 2000000, not 2000001."],
    [["--per-day", "-1"], "Option '--per-day' argument is ambiguous. See --help."],
    [["--per-day=-1"], "--per-day takes a whole number from 1 to 10000, not -1."],
    [["--webhooks", "101"], "--webhooks takes a whole number from 0 to 100, not 101."],
    [["--outage", "1.5"], "--outage takes a whole number from 1 to 60, not 1.5."],
    [["--terminals", "5", "--per-account", "6"], "--per-account must not be more than --terminals."],
    [["--tills", "5"], "Unknown option '--tills'. See --help."],
    [["20"], "Unexpected argument '20'. See --help."],
  ] as const)("answers %j with one sentence that names the mistake", ([words, sentence], { expect }) => {
    expect(readOptions([...words])).toEqual({ ok: false, error: sentence });
  });
});
