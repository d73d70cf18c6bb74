/** I6: how an endpoint's address and secrets are stored, and which secrets sign. */
import { describe, it } from "vitest";
import type { Endpoint } from "../../../../../src/gateway/account/storage/webhooks.ts";
import { EndpointSeals, isSealedUnder } from "../../../../../src/gateway/account/webhooks/endpoint.ts";
import { deliveryHeaders, newSecret } from "../../../../../src/gateway/account/webhooks/sending.ts";
import { seal } from "../../../../../src/gateway/secrets/sealing.ts";
import { MASTER_KEYS, RENEWED_KEYS } from "../parts.ts";
import { newEndpoint } from "../../../../support/gateway/account/samples.ts";

const POS_ID = "pos-1";
const ADDRESS = "https://books.example.com/";
const MEMBERS = ["address", "secret", "previousSecret"] as const;

/** Sealed with the master key of now. */
function sealed(changes: Partial<Endpoint> = {}): Endpoint {
  return newEndpoint({
    address: new EndpointSeals(MASTER_KEYS, POS_ID).seal(1, "address", ADDRESS),
    secret: new EndpointSeals(MASTER_KEYS, POS_ID).seal(1, "secret", "whsec_new"),
    previousSecret: new EndpointSeals(MASTER_KEYS, POS_ID).seal(1, "previousSecret", "whsec_old"),
    previousSecretUntil: 1_000,
    ...changes,
  });
}

function opened(endpoint: Endpoint, keys = MASTER_KEYS, posId = POS_ID): (string | null)[] {
  return MEMBERS.map((member) => new EndpointSeals(keys, posId).open(endpoint, member));
}

describe("what an endpoint has sealed", () => {
  it("is read for this endpoint, account and column only", ({ expect }) => {
    const endpoint = sealed();
    expect(opened(endpoint)).toEqual([ADDRESS, "whsec_new", "whsec_old"]);
    expect(opened({ ...endpoint, id: 2 })).toEqual([null, null, null]);
    expect(opened(endpoint, MASTER_KEYS, "pos-2")).toEqual([null, null, null]);
    const { address, secret, previousSecret } = endpoint;
    const swapped = { ...endpoint, address: secret, secret: previousSecret ?? "", previousSecret: address };
    expect(opened(swapped)).toEqual([null, null, null]);
  });

  it("is still read if an earlier version has sealed it", ({ expect }) => {
    const owner = "pos-1/wh_1";
    const endpoint = sealed({
      address: seal(MASTER_KEYS, ADDRESS, "webhook-address", owner),
      secret: seal(MASTER_KEYS, "a", "webhook-secret", owner),
      previousSecret: seal(MASTER_KEYS, "b", "webhook-previous-secret", owner),
    });
    expect(opened(endpoint)).toEqual([ADDRESS, "a", "b"]);
    expect(opened({ ...endpoint, previousSecret: null })).toEqual([ADDRESS, "a", null]);
  });
});

describe("a new master key", () => {
  it("seals everything of an endpoint again", ({ expect }) => {
    const before = sealed();
    const { address, secret, previousSecret, ...others } = before;
    const after = new EndpointSeals(RENEWED_KEYS, POS_ID).reseal(before);
    expect(after).toMatchObject(others);
    expect(after === null ? null : opened(after, RENEWED_KEYS)).toEqual([ADDRESS, "whsec_new", "whsec_old"]);
    for (const member of MEMBERS) expect(after?.[member]).toMatch(/^v2\.test-2\./u);
    // What is not saved may still be used as it was.
    expect(before).toMatchObject({ address, secret, previousSecret });
  });

  it("leaves an endpoint without a previous secret without one", ({ expect }) => {
    const after = new EndpointSeals(RENEWED_KEYS, POS_ID).reseal(sealed({ previousSecret: null }));
    expect(after?.previousSecret).toBeNull();
    expect(after?.secret).toMatch(/^v2\.test-2\./u);
  });

  it.for(MEMBERS)("changes nothing if one member cannot be read: %s", (member, { expect }) => {
    expect(new EndpointSeals(RENEWED_KEYS, POS_ID).reseal({ ...sealed(), [member]: "v2.gone.AAAA" })).toBeNull();
  });

  it("has sealed an endpoint when no member is left under another one", ({ expect }) => {
    const before = sealed();
    const after = new EndpointSeals(RENEWED_KEYS, POS_ID).reseal(before);
    if (after === null) throw new Error("the endpoint cannot be read");
    expect([isSealedUnder("test-1", before), isSealedUnder("test-2", before)]).toEqual([true, false]);
    for (const member of MEMBERS) {
      expect(isSealedUnder("test-2", { ...after, [member]: before[member] })).toBe(false);
    }
    expect(isSealedUnder("test-2", { ...after, previousSecret: null })).toBe(true);
  });
});

function secretsAt(now: number, changes: Partial<Endpoint> = {}): string[] | null {
  return new EndpointSeals(MASTER_KEYS, POS_ID).validSecrets(sealed(changes), now);
}

function signatureBy(...secrets: string[]): string | undefined {
  return deliveryHeaders("id", "{}", secrets, 0)["webhook-signature"];
}

describe("the secrets that sign", () => {
  it("are the current one, and the previous one until its time", ({ expect }) => {
    expect(secretsAt(999)).toEqual(["whsec_new", "whsec_old"]);
    expect(secretsAt(1_000)).toEqual(["whsec_new"]);
    expect(secretsAt(0, { previousSecretUntil: null })).toEqual(["whsec_new"]);
    expect(secretsAt(0, { previousSecret: "unreadable" })).toEqual(["whsec_new"]);
    expect(secretsAt(0, { secret: "unreadable" })).toBeNull();
  });

  it("have 32 random bytes in base64", ({ expect }) => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(newSecret()).not.toBe(secret);
  });

  it("sign what the standard's own example signs", ({ expect }) => {
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/go/webhook_test.go
    const headers = deliveryHeaders(
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      '{"test": 2432232314}',
      ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      1_614_265_330_999,
    );
    expect(headers).toEqual({
      "content-type": "application/json",
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("sign all together, newest first", ({ expect }) => {
    const both = `${signatureBy("whsec_AAAA")} ${signatureBy("whsec_BBBB")}`;
    expect(signatureBy("whsec_AAAA", "whsec_BBBB")).toBe(both);
  });
});
