/** JSON that objects keep for a year is packed with a list of words, without which it is unreadable. */
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
  '{"id":"evt_POS-KL-0042_48213","number":48213,"type":"transaction.completed","timestamp":"2026-11-23T02:17:54.237+08:00","data":{"requestId":"1004821377","transType":"sale","deviceId":"T-KL-00421","merchantId":"M-9000123","referenceId":"20261123-00004213","statusCode":"00","responseCode":"00","responseText":"Approved.","completedBy":"terminal","receivedAt":"2026-11-23T02:17:38.164+08:00","completedAt":"2026-11-23T02:17:54.205+08:00","day":"2026-11-23","transAmt":"12.50","cashAmt":null,"currency":"MYR","paymentMethod":"bankCard","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","rrn":"632718451203","apprCode":"A8F231","transDateTime":"2026-11-23T02:17:54","paymentChannel":"VISA","transId":null,"voidedBy":null}}';
const TRANSACTION =
  '{"terms":{"transAmt":"12.50","paymentMethod":"bankCard"},"details":{"note":"table 4","printCount":2},"frozen":{"merchantId":"M-9000123","currency":"MYR","timezone":"Asia/Kuala_Lumpur","transAmt":"12.50"},"endsAt":1795371564164,"outcome":{"statusCode":"00","responseCode":"00","responseText":"Approved.","softwareVersion":"2.4.1","terminalSn":"SN-8812345","transData":{"transId":"1004821377","paymentChannel":"VISA","transAmt":"12.50","transDateTime":"2026-11-23T02:17:54","currency":"MYR","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","entryMode":"Contactless","rrn":"632718451203","apprCode":"A8F231","tvr":"0000008000","appCrypt":"1F8B4C7729AA03D1","aid":"A0000000031010","cvmType":"00","cardLabel":"VISA DEBIT","cardHoldersName":"LIM MEI LING"}},"completedBy":"terminal","revision":1,"conclusions":1,"shortStages":["received",1795371474189,"sent",0,"accepted",314,"completed",15102]}';

describe("packed JSON", () => {
  const words = Array.from({ length: 40 }, (_, place) => `"${"w".repeat(place + 1)}":`);
  const packing = new Packing(['"name":', '"sale"', ...words]);

  it.for([
    {},
    "sale",
    ["sale", "name", "", null, 12.5, true],
    { name: "sale", sale: "name", other: { name: [{ name: "sale" }] } },
    Object.fromEntries(words.map((word) => [word.slice(1, -2), "sale"])),
    { name: 'a "sale" and a "name": in quotation marks', 'na"name': '"sale', "\\": 'name":' },
    { name: "\uFEFFCafé, 支払い, 💳, \uD83D", sale: "\u0000\u0001\u001F\t\r\n\u007F\u2028" },
    { long: "x".repeat(100_000) },
  ])("is the same when it is unpacked: %j", (value, { expect }) => {
    const json = JSON.stringify(value);
    expect(packing.unpack(packing.pack(json))).toBe(json);
  });

  it("is shorter by its frequent words", ({ expect }) => {
    expect(hexOf(packing.pack('{"name":"sale"}'))).toBe("7b01027d");
    expect(packing.pack(`{"${"w".repeat(40)}":0}`).byteLength).toBe(5);
  });

  it("is readable by code that knows more words", ({ expect }) => {
    const newer = new Packing(['"name":', '"sale"', ...words, '"void"']);
    expect(newer.unpack(packing.pack('{"name":"void"}'))).toBe('{"name":"void"}');
    expect(() => packing.unpack(newer.pack('{"name":"void"}'))).toThrow("word 42 of a packed text is unknown");
  });

  it("is refused if it is not UTF-8, and so are more words than there are codes", ({ expect }) => {
    expect(() => packing.unpack(bytesOf("7bff7d"))).toThrow();
    expect(() => new Packing(Array.from({ length: 126 }, (_, place) => `"${place}"`))).toThrow(
      "126 words are too many",
    );
  });
});

describe("a body that was packed by an earlier version", () => {
  it.for([
    [
      "of an event",
      EVENT_PACKING,
      "7b1f20226576745f504f532d4b4c2d303034325f3438323133222c1c34383231332c1d1f252c1e22323032362d31312d32335430323a31373a35342e3233372b30383a3030222c1f217b012231303034383231333737222c021f222c0322542d4b4c2d3030343231222c04224d2d39303030313233222c052232303236313132332d3030303034323133222c06223030222c07223030222c081f292c091f242c0a22323032362d31312d32335430323a31373a33382e3136342b30383a3030222c0b22323032362d31312d32335430323a31373a35342e3230352b30383a3030222c0c22323032362d31312d3233222c0d2231322e3530222c0e6e756c6c2c0f1f282c101f232c11222a2a2a2a2a2a2a2a2a2a2a2a34323131222c1222303030313233222c1322303030303137222c14223130343231303031222c1522303030303132333435363738393031222c1622363332373138343531323033222c1722413846323331222c1822323032362d31312d32335430323a31373a3534222c191f262c1a6e756c6c2c1b6e756c6c7d7d",
      EVENT,
    ],
    [
      "of a completed transaction",
      JOURNAL_PACKING,
      "7b037b012231322e3530222c041f387d2c057b1f2d227461626c652034222c1f2e327d2c067b07224d2d39303030313233222c021f3c2c0822417369612f4b75616c615f4c756d707572222c012231322e3530227d2c09313739353337313536343136342c0a7b0b223030222c0c223030222c0d1f3f2c0e22322e342e31222c0f22534e2d38383132333435222c107b112231303034383231333737222c121f3a2c012231322e3530222c1322323032362d31312d32335430323a31373a3534222c021f3c2c1f20222a2a2a2a2a2a2a2a2a2a2a2a34323131222c1422303030313233222c1f2122303030303137222c15223130343231303031222c1622303030303132333435363738393031222c1f221f3d2c1f2322363332373138343531323033222c1f2422413846323331222c1f252230303030303038303030222c1f262231463842344337373239414130334431222c1f27224130303030303030303331303130222c1f28223030222c1f292256495341204445424954222c1f2a224c494d204d4549204c494e47227d7d2c171f392c18312c19312c1a5b1b2c313739353337313437343138392c1c2c302c1d2c3331342c1e2c31353130325d7d",
      TRANSACTION,
    ],
  ] as const)("is still readable: %s", ([, packing, hex, text], { expect }) => {
    expect(packing.unpack(bytesOf(hex))).toBe(text);
  });
});

/** The first codes, in the order of the words: 30 of one byte, then of two. */
function codes(count: number): string {
  return Array.from({ length: count }, (_, place) =>
    place < 30 ? (place + 1).toString(16).padStart(2, "0") : `1f${(place + 2).toString(16)}`,
  ).join("");
}

async function digestOf(text: string): Promise<string> {
  return hexOf(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

describe("every code of earlier versions", () => {
  // If this fails, a word was changed, moved or removed: stored bodies would be read as something else. Add words at the end.
  it.for([
    ["in an event", EVENT_PACKING, 52, "eb8134128f949fd151573db46622380ece05dc983dfa49ead0c165c1b4df571a"],
    [
      "in a completed transaction",
      JOURNAL_PACKING,
      82,
      "a0597d161d96e07a90625c18941dc7081d62b8abb007341745c1b4ff29836eb4",
    ],
  ] as const)("still stands for the same word: %s", async ([, packing, count, digest], { expect }) => {
    expect(await digestOf(packing.unpack(bytesOf(codes(count))))).toBe(digest);
  });
});
