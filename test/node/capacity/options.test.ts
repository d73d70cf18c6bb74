import { describe, it } from "vitest";
import { readOptions } from "../../capacity/options.ts";

describe("npm run capacity", () => {
  it("is about a million terminals unless its options say otherwise", ({ expect }) => {
    expect(readOptions([])).toEqual({
      ok: true,
      value: { terminals: 1_000_000, perDay: 50, perAccount: 1, webhooks: 10, json: false, docs: false },
    });
  });

  it("accepts every number, averages too, and shows its help", ({ expect }) => {
    const words = "--terminals 20 --per-day 1.5 --per-account 7.5 --webhooks 0 --json";
    expect(readOptions(words.split(" "))).toEqual({
      ok: true,
      value: { terminals: 20, perDay: 1.5, perAccount: 7.5, webhooks: 0, json: true, docs: false },
    });
    expect(readOptions(["--help"])).toEqual({ ok: true, value: "help" });
  });

  it.for([
    [["--terminals", "0"], "--terminals takes a number from 1 to 10000000, not 0."],
    [["--terminals", "1e6"], "--terminals takes a number from 1 to 10000000, not 1e6."],
    [["--terminals", "10000001"], "--terminals takes a number from 1 to 10000000, not 10000001."],
    [["--per-day", "-1"], "Option '--per-day' argument is ambiguous. See --help."],
    [["--per-day=-1"], "--per-day takes a number from 1 to 10000, not -1."],
    [["--webhooks", "101"], "--webhooks takes a number from 0 to 100, not 101."],
    [["--terminals", "5", "--per-account", "6"], "--per-account must not be more than --terminals."],
    [["--tills", "5"], "Unknown option '--tills'. See --help."],
    [["20"], "Unexpected argument '20'. See --help."],
  ] as const)("answers %j with one sentence that names the mistake", ([words, sentence], { expect }) => {
    expect(readOptions([...words])).toEqual({ ok: false, error: sentence });
  });
});
