/**
 * The limits and times that tills and terminals depend on, in plain numbers. A change of one is a change of the protocol:
 * it is made here too, on purpose, and may need a new version of the clients.
 */
import { describe, it } from "vitest";
import * as lengths from "../../src/protocol/lengths.ts";
import * as connections from "../../src/protocol/limits/connections.ts";
import * as days from "../../src/protocol/limits/days.ts";
import * as events from "../../src/protocol/limits/events.ts";
import * as keys from "../../src/protocol/limits/keys.ts";
import * as messages from "../../src/protocol/limits/messages.ts";
import * as transfers from "../../src/protocol/limits/transfers.ts";
import * as webhooks from "../../src/protocol/limits/webhooks.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

describe("a limit of the protocol", () => {
  it("of a terminal's connection is what terminals expect", ({ expect }) => {
    expect({ ...connections }).toEqual({
      HELLO_WITHIN: 10_000,
      HEARTBEAT_SECONDS: 30,
      CONNECTED_WITHIN: 70_000,
      PROBE_WAIT: 2_000,
      PROBE_WAIT_AT_MOST: 5_000,
      FRAME_BYTES: 65_536,
      BAD_FRAMES: 10,
      OPEN_REQUESTS: 1_000,
      COUNTED_BYTES: 1_024,
      FRAMES_PER_SECOND: 50,
      FRAME_BURST: 1_200,
      FRAMES_BEFORE_HELLO: 80,
      UNCONFIRMED_CONNECTIONS: 4,
      REPLACED_WAIT: MINUTE,
      SIGNATURE_RETRY_WAIT: 5_000,
      SIGNATURE_RETRIES: 5,
      ASKED_TERMINALS: 100,
    });
  });

  it("of a transfer is what tills and terminals expect", ({ expect }) => {
    const { requestLife: _function, ...numbers } = transfers;
    expect(numbers).toEqual({
      SHORTEST_REQUEST_SECONDS: 40,
      DEFAULT_REQUEST_SECONDS: 90,
      QUEUE_LENGTH: 4,
      UNRESOLVED_TRANSACTIONS: 500,
      QUEUE_WAIT: 10_000,
      DELIVER_WITHIN: 10_000,
      ACCEPT_WITHIN: 10_000,
      RESPOND_BEFORE_END: 15_000,
      CANCEL_BEFORE_END: 10_000,
      RECONNECT_GRACE: 15_000,
      ANSWER_WAIT: 10_000,
      ASK_EVERY: 5_000,
      REPLAY_LIFE: DAY,
      JOURNAL_LIFE: 400 * DAY,
      STAGES: 50,
      FIRST_TRANSACTION_NUMBER: 1_000_000_000,
    });
  });

  it("of a message is what tills expect", ({ expect }) => {
    expect({ ...messages }).toEqual({
      BODY_BYTES: 16_384,
      JSON_DEPTH: 32,
      INTEGER_DIGITS: 15,
      JSON_PROBLEMS: 20,
      CLOCK_TOLERANCE: 15 * MINUTE,
      PREBIND_ENTRIES: 10,
      PAGE_ROWS: 100,
      RETRY_AFTER_SECONDS: 60,
      BUSY_RETRY_SECONDS: 3,
      UNKNOWN_REFERENCES_A_DAY: 1_000,
      BIND_KEYS_AN_HOUR: 240,
      PREBIND_CHANGES_AN_HOUR: 60,
    });
  });

  it("of keys, tokens and passwords is what accounts expect", ({ expect }) => {
    expect({ ...keys }).toEqual({
      ACCESS_TOKEN_LIFE: 15 * MINUTE,
      REFRESH_REPEAT: 2 * MINUTE,
      TERMINAL_TOKEN_LIFE: 5 * MINUTE,
      BIND_KEY_LIFE: 10 * MINUTE,
      BIND_KEY_LENGTH: 8,
      OPEN_BIND_KEYS: 10,
      PASSWORD_CHARACTERS: 20,
      PASSWORD_LONGEST: 128,
      PREVIOUS_SIGNING_KEY_LIFE: DAY,
      PREVIOUS_SIGNING_KEYS: 10,
    });
  });

  it("of events and webhooks is what their receivers expect", ({ expect }) => {
    expect({ ...days, ...events, ...webhooks }).toEqual({
      DAY_GRACE: 15 * MINUTE,
      CHANNELS_A_DAY: 50,
      OTHER_CHANNELS: "(other)",
      EVENTS_PAGE: 100,
      EVENTS_WAIT: MINUTE,
      WAITING_READERS: 50,
      WEBHOOKS: 3,
      RETRY_SCHEDULE: [5_000, 30_000, 2 * MINUTE, 10 * MINUTE, HOUR],
      RETRY_EVERY: 3 * HOUR,
      GIVE_UP_AFTER: 3 * DAY,
      DELIVERY_WAIT: 10_000,
      PREVIOUS_SECRET_LIFE: DAY,
      PING_EVERY: 10_000,
      START_EVERY: 5_000,
      ATTEMPTS_SHOWN: 20,
      WEBHOOK_TOLERANCE: 5 * MINUTE,
    });
  });

  it("of a text's length is what everybody expects", ({ expect }) => {
    expect({ ...lengths }).toEqual({
      POS_ID_LENGTH: 24,
      MERCHANT_ID_LENGTH: 100,
      TERMINAL_ID_LENGTH: 100,
      NAME_LENGTH: 100,
      AUDIT_NAME_LENGTH: 200,
      CHANNEL_NAME_LENGTH: 32,
      WEB_ADDRESS_LENGTH: 2_048,
      HOST_LENGTH: 259,
      NONCE_LENGTH: 64,
      SIGNED_CALL_LENGTH: 128,
      SIGNATURE_LENGTH: 64,
      BIND_KEY_TYPED_LENGTH: 16,
      REASON_LENGTH: 128,
      TRANSFER_LENGTHS: {
        referenceId: 20,
        referenceLabel: 10,
        productIndex: 2,
        promoSale: 2,
        note: 128,
        metadata: 128,
        invNo: 32,
      },
      RESULT_LENGTHS: { responseCode: 32, responseText: 128, softwareVersion: 40, terminalSn: 40 },
      DETAIL_LENGTHS: {
        paymentChannel: 32,
        transDateTime: 32,
        cardNo: 32,
        invNo: 32,
        batchNo: 32,
        tid: 32,
        mid: 32,
        entryMode: 32,
        rrn: 32,
        apprCode: 32,
        tvr: 32,
        appCrypt: 32,
        aid: 32,
        cvmType: 2,
        cardLabel: 32,
        cardHoldersName: 32,
      },
    });
  });
});

describe("the life of a request", () => {
  it.for([
    ["90", 90],
    ["40", 40],
    ["39", 40],
    ["999999", 999_999],
    ["1000000", 90],
    ["", 90],
    ["90s", 90],
    ["x90", 90],
  ] as const)("configured as %j is %i s", ([configured, seconds], { expect }) => {
    expect(transfers.requestLife(configured)).toBe(seconds * 1_000);
  });
});
