/** Objects keep texts for a year, packed with a dictionary. Without the dictionary they are lost. */
import { describe, it } from "vitest";
import { EVENT_PACKING } from "../../src/account/storage/event-packing.ts";
import { Packing } from "../../src/objects/storage/packing.ts";
import { JOURNAL_PACKING } from "../../src/terminal/storage/journal-packing.ts";

function bytesOf(hex: string): ArrayBuffer {
  return Uint8Array.from(hex.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16)).buffer;
}

function hexOf(packed: ArrayBuffer): string {
  return [...new Uint8Array(packed)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const EVENT =
  '{"id":"evt_POS-KL-0042_48213","number":48213,"type":"transaction.settled","timestamp":"2026-11-23T02:17:54.237+08:00","data":{"requestId":"1004821377","transType":"sale","deviceId":"T-KL-00421","merchantId":"M-9000123","referenceId":"20261123-00004213","statusCode":"00","responseCode":"00","responseText":"Approved.","settledBy":"terminal","receivedAt":"2026-11-23T02:17:38.164+08:00","settledAt":"2026-11-23T02:17:54.205+08:00","day":"2026-11-23","transAmt":"12.50","cashAmt":null,"currency":"MYR","paymentMethod":"bankCard","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","rrn":"632718451203","apprCode":"A8F231","transDateTime":"2026-11-23T02:17:54","paymentChannel":"VISA","transId":null,"voidedBy":null}}';
const TRANSACTION =
  '{"terms":{"transAmt":"12.50","paymentMethod":"bankCard"},"details":{"note":"table 4","printCount":2},"frozen":{"merchantId":"M-9000123","currency":"MYR","timezone":"Asia/Kuala_Lumpur","transAmt":"12.50"},"endsAt":1795371564164,"outcome":{"statusCode":"00","responseCode":"00","responseText":"Approved.","softwareVersion":"2.4.1","terminalSn":"SN-8812345","transData":{"transId":"1004821377","paymentChannel":"VISA","transAmt":"12.50","transDateTime":"2026-11-23T02:17:54","currency":"MYR","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","entryMode":"Contactless","rrn":"632718451203","apprCode":"A8F231","tvr":"0000008000","appCrypt":"1F8B4C7729AA03D1","aid":"A0000000031010","cvmType":"00","cardLabel":"VISA DEBIT","cardHoldersName":"LIM MEI LING"}},"settledBy":"terminal","revision":1,"conclusions":1,"shortStages":["received",1795371474189,"sent",0,"accepted",314,"settled",15102]}';

describe("a packed text", () => {
  const packing = new Packing(["the words that most texts share"]);

  it.for(["", "the words", "\uFEFFCafé, 支払い, 💳", '{"note":"\\ud83d"}', "x".repeat(100_000)])(
    "is the same when it is unpacked: %s",
    (text, { expect }) => {
      expect(packing.unpack(packing.pack(text))).toBe(text);
    },
  );

  it("is readable by code that packs with a newer dictionary", ({ expect }) => {
    const newer = new Packing(["the words that most texts share", "other words"]);
    expect(newer.unpack(packing.pack("the words"))).toBe("the words");
    expect(newer.unpack(newer.pack("other words"))).toBe("other words");
  });

  it("is refused if its dictionary is unknown, or if it is damaged", ({ expect }) => {
    const newer = new Packing(["the words that most texts share", "other words"]);
    expect(() => packing.unpack(newer.pack("the words"))).toThrow("dictionary 1 of a packed text is unknown");
    const [number = 0, ...rest] = new Uint8Array(packing.pack("the words"));
    expect(() => packing.unpack(Uint8Array.from([number, ...rest.slice(0, -1)]).buffer)).toThrow();
    expect(() => packing.unpack(new ArrayBuffer(0))).toThrow();
  });
});

describe("a body that was packed by an earlier version", () => {
  it.for([
    [
      "of an event",
      EVENT_PACKING,
      "00bdd4410ac2301085e1fb2829f3de4c3aa93b376e5414ecde73787b698a25695151c4ec1202497e3e5288399f2e617f0822c6ab25420b4279fea92320507be106be89d6507d2de925ae7c8cfb5b62fde3a298633b864e44405da81bae0450c3d0d7c6e7fd8f61d9425383d6a6160b9bf36e128b6eb76a57ad166ce2afdcae8a61ccdf5de1780c5c4b864f9631041641651a548bada72eaf8fbc5ba5235904456beadbb4a3e219f83ad1f7fcef",
      EVENT,
    ],
    [
      "of a settled transaction",
      JOURNAL_PACKING,
      "00b5d53f0bc2400c05f0afd25968c94b72cd9d5bfd4ba175d1d541c1cdd1d5ef2e9ca86da9b620cd78538ebc1faf3fe8e0cc8d8ffaabe86ea7f3f59268b7efbe4ba8d3404460f98fc473db168ae0c4e07245ae53fbe04c337491ec77a9f76051f7938b7a86988d43f33a4a2f1b20653910cf6173a73f11cd1aa31c8bb781ea798d362bd81b16481914b3fe01163f9a9b0ff17dc85a2e6cf0eac0246d7785dfb060501f367ea14b330e4541b242bf461ac171b55e7cd158957552afcba42a77db2964c680aa297ce8452ad0865338101fef0f",
      TRANSACTION,
    ],
  ] as const)("is still readable: %s", ([, packing, hex, text], { expect }) => {
    expect(packing.unpack(bytesOf(hex))).toBe(text);
    expect(hexOf(packing.pack(text))).toHaveLength(hex.length);
  });
});
