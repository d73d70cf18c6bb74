/** Records that objects keep for a year are stored without the names of their members. */
import { describe, it } from "vitest";
import { STORED_EVENTS } from "../../src/account/storage/events.ts";
import { Positional } from "../../src/objects/storage/positional.ts";
import { STORED_TRANSACTIONS } from "../../src/terminal/storage/journal.ts";

const LAYOUT = ["name", ["amounts", ["sale", "cash"]], "last"] as const;

describe("a record without names", () => {
  const stored = new Positional<object>(LAYOUT);

  it.for([
    [{}, "1[7]"],
    [{ name: "a", amounts: { sale: 1, cash: null }, last: [0] }, '1[0,"a",[0,1],[0]]'],
    [{ name: "a", amounts: { sale: null, cash: null }, last: null }, '1[0,"a",[0]]'],
    [{ amounts: { cash: "" }, last: {} }, '1[1,[1,""],{}]'],
    [
      { name: undefined, amounts: null, last: "\uFEFF💳\uD83D\u0000\u2028" },
      '1[1,null,"\uFEFF💳\\ud83d\\u0000\u2028"]',
    ],
    [{ name: "a", amounts: { sale: 1, other: 2 } }, '1[4,"a",{"sale":1,"other":2}]'],
    [{ name: "a", other: 1 }, '1{"name":"a","other":1}'],
  ] as const)("%j is stored as %s, and has the same members when it is read", ([record, text], { expect }) => {
    expect(stored.pack(record)).toBe(text);
    expect(JSON.parse(JSON.stringify(stored.unpack(text)))).toEqual(JSON.parse(JSON.stringify(record)));
  });

  it("has its members in the order of the layout", ({ expect }) => {
    expect(JSON.stringify(stored.unpack(stored.pack({ last: 2, name: 1 })))).toBe('{"name":1,"last":2}');
  });

  it("is readable by code with a newer layout, and refused by code with an older one", ({ expect }) => {
    const newer = new Positional<object>(LAYOUT, ["new", ...LAYOUT]);
    expect(newer.unpack(stored.pack({ name: "a" }))).toEqual({ name: "a" });
    const text = newer.pack({ new: true, name: "a" });
    expect(text).toBe('2[12,true,"a"]');
    expect(newer.unpack(text)).toEqual({ new: true, name: "a" });
    expect(() => stored.unpack(text)).toThrow("a stored record has an unknown layout");
    expect(() => stored.unpack("{}")).toThrow("a stored record has an unknown layout");
  });
});

const EVENT =
  '{"id":"evt_POS-KL-0042_48213","timestamp":"2026-11-23T02:17:54.237+08:00","data":{"requestId":"1004821377","transType":"sale","deviceId":"T-KL-00421","merchantId":"M-9000123","referenceId":"20261123-00004213","statusCode":"00","responseCode":"00","responseText":"Approved.","completedBy":"terminal","receivedAt":"2026-11-23T02:17:38.164+08:00","completedAt":"2026-11-23T02:17:54.205+08:00","day":"2026-11-23","transAmt":"12.50","cashAmt":null,"currency":"MYR","paymentMethod":"bankCard","paymentChannel":"VISA","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","rrn":"632718451203","apprCode":"A8F231","transDateTime":"2026-11-23T02:17:54","transId":null,"voidedBy":null}}';
const TRANSACTION =
  '{"terms":{"transAmt":"12.50","paymentMethod":"bankCard"},"details":{"note":"table 4","printCount":2},"frozen":{"merchantId":"M-9000123","currency":"MYR","timezone":"Asia/Kuala_Lumpur","transAmt":"12.50"},"endsAt":1795371564164,"outcome":{"statusCode":"00","responseCode":"00","responseText":"Approved.","softwareVersion":"2.4.1","terminalSn":"SN-8812345","transData":{"transId":"1004821377","paymentChannel":"VISA","transAmt":"12.50","transDateTime":"2026-11-23T02:17:54","currency":"MYR","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","entryMode":"Contactless","rrn":"632718451203","apprCode":"A8F231","tvr":"0000008000","appCrypt":"1F8B4C7729AA03D1","aid":"A0000000031010","cvmType":"00","cardLabel":"VISA DEBIT","cardHoldersName":"LIM MEI LING"}},"completedBy":"terminal","revision":1,"stages":[0,1795371474189,2,0,3,314,5,15102]}';

const WHOLE_TRANSACTION =
  '{"terms":{"transAmt":"12.50","cashAmt":"2.00","paymentMethod":"bankCard","paymentChannel":"VISA","transId":"1004821376"},"details":{"referenceLabel":"R-1","productIndex":"2","promoSale":"Y","note":"table 4","printCount":2,"metadata":{"till":1},"invNo":"000122"},"frozen":{"merchantId":"M-9000123","currency":"MYR","timezone":"Asia/Kuala_Lumpur","transAmt":"12.50","cashAmt":"2.00","paymentMethod":"bankCard"},"endsAt":1795371564164,"cancel":"asked","undelivered":true,"ended":true,"detached":false,"askedAt":1795371564165,"pendingReason":"TIMED_OUT","outcome":{"statusCode":"00","responseCode":"00","responseText":"Approved.","softwareVersion":"2.4.1","terminalSn":"SN-8812345","transData":{"transId":"1004821377","paymentChannel":"MASTER","transAmt":"12.51","cashAmt":"2.01","transDateTime":"2026-11-23T02:17:54","currency":"SGD","invNo":"000123","tid":"10421001","mid":"000012345678901","metadata":{"till":2},"cardNo":"************4211","batchNo":"000017","entryMode":"Contactless","rrn":"632718451203","apprCode":"A8F231","tvr":"0000008000","appCrypt":"1F8B4C7729AA03D1","aid":"A0000000031010","cvmType":"00","cardLabel":"VISA DEBIT","cardHoldersName":"LIM MEI LING"}},"completedBy":"operator","resolvedBy":"ops","revision":2,"stages":[0,1795371474189]}';

// If one of these fails, rows that exist would be read as something else. Add a layout at the end instead.
describe("a record that was stored by an earlier version", () => {
  it.for([
    [
      "an event",
      STORED_EVENTS,
      '1[0,"evt_POS-KL-0042_48213","2026-11-23T02:17:54.237+08:00",[0,"1004821377","sale","T-KL-00421","M-9000123","20261123-00004213","00","00","Approved.","terminal","2026-11-23T02:17:38.164+08:00","2026-11-23T02:17:54.205+08:00","2026-11-23","12.50",null,"MYR","bankCard","VISA","************4211","000123","000017","10421001","000012345678901","632718451203","A8F231","2026-11-23T02:17:54"]]',
      EVENT,
    ],
    [
      "a completed transaction",
      STORED_TRANSACTIONS,
      '1[5104,[26,"12.50","bankCard"],[103,"table 4",2],[48,"M-9000123","MYR","Asia/Kuala_Lumpur","12.50"],1795371564164,[0,"00","00","Approved.","2.4.1","SN-8812345",[520,"1004821377","VISA","12.50","2026-11-23T02:17:54","MYR","000123","10421001","000012345678901","************4211","000017","Contactless","632718451203","A8F231","0000008000","1F8B4C7729AA03D1","A0000000031010","00","VISA DEBIT","LIM MEI LING"]],"terminal",1,[0,1795371474189,2,0,3,314,5,15102]]',
      TRANSACTION,
    ],
    [
      "a completed transaction with every member",
      STORED_TRANSACTIONS,
      '1[0,[0,"12.50","2.00","bankCard","VISA","1004821376"],[0,"R-1","2","Y","table 4",2,{"till":1},"000122"],[0,"M-9000123","MYR","Asia/Kuala_Lumpur","12.50","2.00","bankCard"],1795371564164,"asked",true,true,false,1795371564165,"TIMED_OUT",[0,"00","00","Approved.","2.4.1","SN-8812345",[0,"1004821377","MASTER","12.51","2.01","2026-11-23T02:17:54","SGD","000123","10421001","000012345678901",{"till":2},"************4211","000017","Contactless","632718451203","A8F231","0000008000","1F8B4C7729AA03D1","A0000000031010","00","VISA DEBIT","LIM MEI LING"]],"operator","ops",2,[0,1795371474189]]',
      WHOLE_TRANSACTION,
    ],
  ] as const)("is read as the same: %s", ([, stored, text, record], { expect }) => {
    expect(stored.unpack(text)).toEqual(JSON.parse(record));
    expect(stored.pack(JSON.parse(record) as object)).toBe(text);
  });

  it("is delivered with the same bytes, if it is an event", ({ expect }) => {
    expect(JSON.stringify(STORED_EVENTS.unpack(STORED_EVENTS.pack(JSON.parse(EVENT) as object)))).toBe(EVENT);
  });
});
