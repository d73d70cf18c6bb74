import * as fc from "fast-check";
import { describe, it } from "vitest";
import {
  holdsTrackData,
  isSensitiveName,
  sensitiveMembers,
  withoutDiscretionaryData,
  withoutTrackData,
} from "../../../../src/protocol/card-data/sensitive-data.ts";
import { JSON_PROBLEMS } from "../../../../src/protocol/limits.ts";
import { cardNumber } from "../../../support/card-numbers.ts";

const TRACKS = [
  "%B4111111111111111^DOE/JOHN^25121010000000000000?",
  "B4111111111111111^DOE/JOHN^25121010000000000000",
  "%B3782 822463 10005^DOE/J^2512101?",
  ";4111111111111111=25121010000000000000?",
  "4111111111111111=2512101",
  "4111111111111111D25121010000000000000F",
  "9F26085713411111111111111157104111111111111111D25122010000000000F",
  ";1234567890123456=25121010000000000000?",
  "0004111111111111111D25121010000000000000F",
  "00000000004111111111111111=2512101",
];

/** A tag before zeros, and zeros before a separator: each position could begin a number. */
function worst(unit: string, length: number): string {
  return `^D${unit.repeat(length / unit.length)}D`;
}

describe("sensitive authentication data", () => {
  it("is recognised by the name of its member, however that is spelled", ({ expect }) => {
    for (const name of [
      ["cvv", "CVV2", "cvc", "cvc-2", "card_cvv", "cardCvv", "cardCVC2", "CVN", "csc", "iCVV", "cvvCode", "ＣＶＶ"],
      ["securityCode", "cardSecurityCode", "card verification value"],
      ["pin", "PIN", "pinBlock", "pin_block", "PIN-Block", "encryptedPinBlock", "cardPin", "pinData"],
      ["track", "track1", "track2", "Track3", "trackData", "track2Data", "track_2_equivalent_data", "trackOne"],
      ["magstripe", "magneticStripeData", "swipeData"],
      ["pan", "PAN", "cardPan", "cardNumber", "card_number", "cid", "CID", "primaryAccountNumber"],
    ].flat()) {
      expect([name, isSensitiveName(name)]).toEqual([name, true]);
    }
  });

  it("is not found in harmless members", ({ expect }) => {
    for (const name of [
      ["transType", "posId", "merchantId", "deviceId", "referenceId", "referenceLabel", "transData", "apiVersion"],
      ["datetime", "signature", "transAmt", "cashAmt", "paymentMethod", "paymentChannel", "productIndex", "promoSale"],
      ["note", "printCount", "metadata", "transId", "invNo", "cardNo", "rrn", "apprCode", "tvr", "appCrypt", "aid"],
      ["cvmType", "cardLabel", "cardHoldersName", "entryMode", "batchNo", "tid", "mid", "key", "password", "reason"],
      [
        "tracking",
        "trackingId",
        "pinCode",
        "shipping",
        "cidade",
        "panel",
        "company",
        "stripe",
        "soundtrack",
        "spin",
        "",
        "pinned",
      ],
    ].flat()) {
      expect([name, isSensitiveName(name)]).toEqual([name, false]);
    }
  });

  it("is recognised by the form of a track anywhere in a text", ({ expect }) => {
    for (const track of TRACKS) {
      expect([track, holdsTrackData(track)]).toEqual([track, true]);
      expect([track, holdsTrackData(`paid by ${track} today`)]).toEqual([track, true]);
      expect(withoutTrackData(`paid by ${track}`)).not.toMatch(/DOE|2512/u);
    }
  });

  it("is searched in a megabyte of the worst text in time", ({ expect }) => {
    // Work that grows with the square of the length would take hours.
    for (const unit of [
      ";0",
      "0",
      "5700",
      " 1234567890123456789",
      "B1",
      " B111111111111^",
      "D",
      ";000000000000=",
      "c_",
    ]) {
      const text = worst(unit, 1_048_576);
      expect([unit, sensitiveMembers({ text, [text]: "" }).length <= 1]).toEqual([unit, true]);
    }
  });

  it("is recognised in the tracks of every card", ({ expect }) => {
    fc.assert(
      fc.property(cardNumber, fc.stringMatching(/^[^0-9A-Za-z%;]{0,8}$/u), (number, before) => {
        expect(holdsTrackData(`${before}${number}=2812`)).toBe(true);
        expect(holdsTrackData(`${before}%B${number}^A/B^2812`)).toBe(true);
      }),
    );
  });

  it("is not found in amounts, dates, card numbers, hashes and sums", ({ expect }) => {
    for (const text of [
      "12.50",
      "4111111111111111",
      "1234567890123456=2512",
      "a=b",
      "1+1=2",
      "20261120T143025",
      "^",
      "B12^",
      "x".repeat(128),
    ]) {
      expect(withoutTrackData(text)).toBe(text);
    }
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/u), (hash) => !holdsTrackData(hash)),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it("is named at any depth, and never repeated", ({ expect }) => {
    const problems = sensitiveMembers({
      cvv: "737",
      transData: {
        note: `paid ${TRACKS[0]}`,
        transAmt: "1.00",
        more: [{ pinBlock: "A1B2C3D4E5F60718" }, `x ${TRACKS[3]}`],
      },
      customer: { name: "Doe", track2: { any: "thing" } },
    });
    expect(problems.map(({ path }) => path)).toEqual([
      "cvv",
      "transData.note",
      "transData.more.0.pinBlock",
      "transData.more.1",
      "customer.track2",
    ]);
    expect(JSON.stringify(problems)).not.toMatch(/737|4111|A1B2/u);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`member${index}`, { cvv: "737" }]));
    expect(sensitiveMembers(many)).toHaveLength(JSON_PROBLEMS);
  });

  it("is not found in a signature, whose digits are random", ({ expect }) => {
    const digits = `4111111111111111d2512${"a".repeat(43)}`;
    expect(holdsTrackData(digits)).toBe(true);
    expect(sensitiveMembers({ signature: digits })).toEqual([]);
    expect(sensitiveMembers({ note: digits })).toHaveLength(1);
    expect(sensitiveMembers({ signature: "4111111111111111d2512" })).toHaveLength(1);
  });

  it("is not reported if its member is null or empty", ({ expect }) => {
    expect(sensitiveMembers({ cvv: null, pin: "", transData: { track2: null } })).toEqual([]);
  });

  it("is removed from a cardNo, leaving only its number", ({ expect }) => {
    expect(withoutDiscretionaryData("%B4111111111111111^DOE/JOHN^2512?")).toBe("4111111111111111");
    expect(withoutDiscretionaryData("4111111111111111D2512101")).toBe("4111111111111111");
    expect(withoutDiscretionaryData("411111xxxxxx1111")).toBe("411111xxxxxx1111");
  });
});
