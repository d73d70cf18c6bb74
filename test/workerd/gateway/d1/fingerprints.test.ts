import * as fc from "fast-check";
import { describe, it } from "vitest";
import {
  coverDays,
  FINGERPRINT_BYTES,
  matchesSearch,
  mayBe,
  packFingerprint,
  unpackFingerprints,
} from "../../../../src/gateway/d1/fingerprints.ts";
import type { SearchTerms } from "../../../../src/gateway/account/rpc.ts";
import { isoWithOffset } from "../../../../src/protocol/time/zone.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 20, 12);

const decimals = fc
  .nat(99_999_999_999)
  .map((amount) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`);

const payments = fc.record({
  referenceId: fc.string({ minLength: 1, maxLength: 20, unit: "binary" }),
  transAmt: fc.option(decimals),
  cashAmt: fc.option(decimals),
  cardNo: fc.option(fc.stringMatching(/^(?:x{12}[0-9]{4}|[0-9]{0,4}|x{16})$/u)),
  deviceId: fc.constant<string>("T-1"),
  at: fc.integer({ min: NOW - 7 * DAY, max: NOW }),
});

type Payment = typeof payments extends fc.Arbitrary<infer Made> ? Made : never;

const seen = ({ at, ...payment }: Payment) => ({
  ...payment,
  receivedAt: "",
  completedAt: isoWithOffset(at, "Asia/Kuala_Lumpur"),
});

const fingerprintOf = (payment: Payment, event = 1) => {
  const digits = packFingerprint(seen(payment), event, payment.at);
  const [fingerprint] = unpackFingerprints(Math.floor(payment.at / DAY), digits);
  if (fingerprint === undefined) throw new Error("nothing is packed");
  return fingerprint;
};

/** Of a search from day 20,000 to the next. */
const days = (from: number, to: number) => Object.values(coverDays(20_000 * DAY + from, 20_001 * DAY + to));

describe("a payment's fingerprint", () => {
  it("takes 16 bytes, with event number, time and last four digits", ({ expect }) => {
    fc.assert(
      fc.property(payments, fc.nat(0xff_ff_ff_ff), (payment, event) => {
        expect(packFingerprint(seen(payment), event, payment.at)).toHaveLength(2 * FINGERPRINT_BYTES);
        const fingerprint = fingerprintOf(payment, event);
        expect(fingerprint.event).toBe(event);
        expect(payment.at - fingerprint.at).toBeLessThan(2_000);
        expect(payment.at).toBeGreaterThanOrEqual(fingerprint.at);
      }),
    );
  });

  it("is a candidate for every question that matches the payment", ({ expect }) => {
    fc.assert(
      fc.property(payments, fc.integer({ min: 1, max: 31 }), (payment, parts) => {
        const { referenceId, cardNo, at } = payment;
        const has = (bit: number): boolean => (parts & bit) > 0;
        const sum = [payment.transAmt, payment.cashAmt].map((one) => Number((one ?? "0").replace(".", "")));
        const lastFour = /[0-9]{4}$/u.exec(cardNo ?? "")?.[0] ?? null;
        const question: SearchTerms = {
          referenceId: has(1) ? referenceId : null,
          amount: has(2) ? (sum[0] ?? 0) + (sum[1] ?? 0) : null,
          cardLastFour: has(4) ? lastFour : null,
          terminalId: null,
          from: has(8) ? at : null,
          to: has(16) ? at + 1 : null,
        };
        expect(matchesSearch(seen(payment), question)).toBe(true);
        expect(mayBe(fingerprintOf(payment), question)).toBe(true);
        const { first, last } = coverDays(question.from ?? NOW - 7 * DAY, question.to ?? NOW + 1);
        expect(Math.floor(at / DAY)).toBeGreaterThanOrEqual(first);
        expect(Math.floor(at / DAY)).toBeLessThanOrEqual(last);
      }),
    );
  });

  it("is sought a minute around the asked days, because clocks differ", ({ expect }) => {
    expect(days(0, 0)).toEqual([19_999, 20_001]);
    expect(days(60_000, -60_000)).toEqual([20_000, 20_000]);
    expect(days(59_999, 1 - 60_000)).toEqual([19_999, 20_001]);
  });

  it("is seldom a candidate for other values, and never a match", ({ expect }) => {
    const payment = {
      referenceId: "R-1",
      transAmt: "12.50",
      cashAmt: null,
      cardNo: "xxxxxxxxxxxx1234",
      deviceId: "T-1",
      at: NOW,
    };
    const any: SearchTerms = {
      referenceId: null,
      amount: null,
      cardLastFour: null,
      terminalId: null,
      from: null,
      to: null,
    };
    const others: Partial<SearchTerms>[] = [
      { referenceId: "R-2" },
      { amount: 1_251 },
      { cardLastFour: "1235" },
      { from: NOW + 62_000 },
      { to: NOW - 60_000 },
    ];
    for (const other of others) {
      expect(mayBe(fingerprintOf(payment), { ...any, ...other })).toBe(false);
      expect(matchesSearch(seen(payment), { ...any, ...other })).toBe(false);
    }
    for (const near of [{ from: NOW + 61_999 }, { to: NOW - 59_999 }]) {
      expect(mayBe(fingerprintOf(payment), { ...any, ...near })).toBe(true);
    }
    for (const other of [{ terminalId: "T-2" }, { from: NOW + 1 }, { to: NOW }]) {
      expect(matchesSearch(seen(payment), { ...any, ...other })).toBe(false);
    }
  });
});
