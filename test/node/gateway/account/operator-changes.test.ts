/** What an operator's change does to an account, and which row of the audit log it leaves. */
import { describe, it } from "vitest";
import type { AccountChanges, NewAccount } from "../../../../src/gateway/account/rpc.ts";
import {
  applyAccountChange,
  create,
  remove,
  resealAccount,
  rotateKey,
  handleDeviceUpdate,
} from "../../../../src/gateway/account/changes.ts";
import { listWebhookAlerts, commonKid } from "../../../../src/gateway/account/copies.ts";
import { toAccountView } from "../../../../src/gateway/account/sessions.ts";
import type { AccountRecord } from "../../../../src/gateway/account/storage/record.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../src/gateway/account/storage/schema.ts";
import { AccountTables } from "../../../../src/gateway/account/storage/tables.ts";
import type { Endpoint } from "../../../../src/gateway/account/storage/webhooks.ts";
import { EndpointSeals, isSealedUnder } from "../../../../src/gateway/account/webhooks/endpoint.ts";
import { sealPassword } from "../../../../src/gateway/secrets/passwords.ts";
import { seal, sealedUnder } from "../../../../src/gateway/secrets/sealing.ts";
import { newPair } from "../../../../src/gateway/secrets/tokens.ts";
import type { AuditEntry } from "../../../../src/gateway/d1/audit.ts";
import { memoryStorage } from "../../../support/memory-storage.ts";
import { DETAILS, newEndpoint } from "../../../support/gateway/account/samples.ts";
import { MASTER_KEYS, RENEWED_KEYS } from "./parts.ts";
import { auditRows } from "../../../support/stored-rows.ts";

const NOW = Date.parse("2031-05-10T12:00:00+08:00");
const DAY = 86_400_000;
const KEY = seal(MASTER_KEYS, "signing key", "account-signing-key", "pos-1");
const PASSWORD = sealPassword(MASTER_KEYS, "password", "pos-1");
const SEALED_LATER = seal(MASTER_KEYS, "new signing key", "account-signing-key", "pos-1");

const NEW: NewAccount = {
  ...DETAILS,
  sealedPassword: PASSWORD,
  sealedSigningKey: KEY,
};

class Shop extends AccountTables {
  constructor() {
    super(memoryStorage(ACCOUNT_MIGRATIONS));
  }

  /** With an account. */
  static open(): Shop {
    const shop = new Shop();
    create(shop, NEW, "olga", NOW);
    return shop;
  }

  get record(): AccountRecord {
    const { record } = this.records;
    if (record === null) throw new Error("no account");
    return record;
  }

  get newestRow(): AuditEntry | undefined {
    return auditRows(this.outbox).at(-1);
  }

  /** Of the account's row for D1. */
  get stateVersion(): number {
    return this.outbox.find({ target: "d1", kind: "account" })?.version ?? 0;
  }

  change(changes: AccountChanges) {
    return applyAccountChange(this, changes, "olga", NOW);
  }

  hasSession(): boolean {
    return this.sessions.has("session-1");
  }

  openSession(): void {
    const pair = newPair({ kid: "test-1", timezone: "UTC", devices: [] }, NOW);
    this.sessions.save({ sessionId: "session-1", pair, previousRefreshId: null, rotatedAt: null });
  }

  /** An endpoint whose deliveries fail. */
  addEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
    const endpoint = newEndpoint({
      address: new EndpointSeals(MASTER_KEYS, "pos-1").seal(1, "address", "https://books.example.com/"),
      secret: new EndpointSeals(MASTER_KEYS, "pos-1").seal(1, "secret", "whsec_x"),
      failures: 2,
      failingSince: NOW,
      retryAt: NOW + DAY,
      ...changes,
    });
    this.webhooks.save(endpoint);
    return endpoint;
  }
}

describe("a new account", () => {
  it("has its operator's values, and an audit row without secrets", ({ expect }) => {
    const shop = new Shop();
    const created = create(shop, NEW, "olga", NOW);
    expect(created).toEqual({ kind: "created", account: toAccountView(shop.record) });
    const { posId, merchantId, currency, timezone, name, region } = NEW;
    expect(shop.record).toMatchObject({
      posId,
      merchantId,
      currency,
      timezone,
      name,
      region,
      status: "active",
      createdAt: NOW,
      sealedPassword: PASSWORD,
      signingKey: KEY,
    });
    expect(auditRows(shop.outbox)).toEqual([
      {
        at: NOW,
        actor: "olga",
        action: "account.create",
        target: "pos-1",
        details: { merchantId, currency, timezone },
        after: { merchantId, currency, timezone, name, region },
      },
    ]);
  });

  it("is not made twice", ({ expect }) => {
    const shop = Shop.open();
    expect(create(shop, { ...NEW, merchantId: "M-2" }, "olga", NOW)).toEqual({ kind: "taken" });
    expect(shop.record.merchantId).toBe("M-1");
  });
});

describe("a change", () => {
  it("is queued for D1, with old and new values in the audit", ({ expect }) => {
    const shop = Shop.open();
    expect(shop.change({ currency: "SGD", name: null })).toEqual({
      kind: "changed",
      account: toAccountView(shop.record),
    });
    expect(shop.record).toMatchObject({ currency: "SGD", name: null, timezone: "Asia/Kuala_Lumpur" });
    expect(shop.newestRow).toEqual({
      at: NOW,
      actor: "olga",
      action: "account.change",
      target: "pos-1",
      details: { currency: "SGD" },
      before: { currency: "MYR", name: "Counter" },
      after: { currency: "SGD", name: null },
    });
  });

  it("leaves alone what it does not name", ({ expect }) => {
    const shop = Shop.open();
    shop.change({ merchantId: undefined, timezone: "UTC" });
    expect(shop.record).toMatchObject({ merchantId: "M-1", timezone: "UTC", sealedPassword: PASSWORD });
    expect(shop.newestRow).toMatchObject({ details: { timezone: "UTC" } });
    expect(Object.keys(shop.newestRow?.before ?? {})).toEqual(["timezone"]);
  });

  it.for([
    [{ status: "suspended" }, true],
    [{ merchantId: "M-2" }, true],
    [{ currency: "SGD" }, true],
    [{ timezone: "UTC" }, true],
    [{ name: "Bar" }, false],
    [{ sealedPassword: "hash-2" }, false],
    [{ name: "Bar", currency: undefined }, false],
  ] as const)("changes %j for D1, and for terminals: %s", ([changes, hasChanged], { expect }) => {
    const shop = Shop.open();
    shop.devices.save({ terminalId: "T-1", bindingVersion: 1, bound: true });
    const { termsVersion } = shop.record;
    const before = shop.stateVersion;
    shop.change(changes);
    expect(shop.stateVersion).toBeGreaterThan(before);
    expect(shop.record.termsVersion > termsVersion).toBe(hasChanged);
    expect(shop.outbox.due("terminal:T-1", Infinity)).toHaveLength(hasChanged ? 1 : 0);
  });

  it.for([
    [{ sealedPassword: "hash-2" }, false],
    [{ status: "suspended" }, false],
    [{ status: "active" }, true],
    [{ currency: "SGD" }, true],
  ] as const)("changes %j and leaves a session open: %s", ([changes, isOpen], { expect }) => {
    const shop = Shop.open();
    shop.openSession();
    shop.change(changes);
    expect(shop.hasSession()).toBe(isOpen);
  });

  it("audits a new password without its stored form", ({ expect }) => {
    const shop = Shop.open();
    shop.change({ sealedPassword: "hash-2" });
    expect(shop.record).toMatchObject({ sealedPassword: "hash-2" });
    expect(shop.newestRow).toMatchObject({ details: { password: true }, before: {}, after: {} });
    expect(JSON.stringify(auditRows(shop.outbox))).not.toContain("hash");
    shop.change({ name: "Bar" });
    expect(shop.newestRow?.details).toEqual({ name: "Bar" });
  });

  it("starts every endpoint afresh only if it ends a suspension", ({ expect }) => {
    const shop = Shop.open();
    const endpoint = shop.addEndpoint();
    shop.change({ status: "active" });
    shop.change({ status: "suspended" });
    shop.change({ name: "Bar" });
    shop.change({ status: "suspended" });
    expect(shop.webhooks.find(1)).toEqual(endpoint);
    shop.change({ status: "active" });
    expect(shop.webhooks.find(1)).toMatchObject({ failures: 0, failingSince: null, retryAt: null });
  });

  it("is refused where there is no account, or none any more", ({ expect }) => {
    const nobody = new Shop();
    const unknown = { kind: "unknown" };
    expect(nobody.change({ name: "Bar" })).toEqual(unknown);
    expect(
      rotateKey(nobody, MASTER_KEYS, { sealedSigningKey: SEALED_LATER, revokePrevious: false, actor: "olga" }, NOW),
    ).toEqual(unknown);
    expect(remove(nobody, "olga", NOW)).toEqual(unknown);
    const shop = Shop.open();
    remove(shop, "olga", NOW);
    const before = shop.record;
    const deleted = { kind: "deleted" };
    expect(shop.change({ name: "Bar" })).toEqual(deleted);
    expect(
      rotateKey(shop, MASTER_KEYS, { sealedSigningKey: SEALED_LATER, revokePrevious: false, actor: "olga" }, NOW),
    ).toEqual(deleted);
    expect(remove(shop, "olga", NOW)).toEqual(deleted);
    expect(shop.record).toBe(before);
  });
});

describe("a new signing key", () => {
  it.for([
    [false, NOW + DAY],
    [true, null],
  ] as const)("is set, with the end of the one before: revoked %s", ([revokePrevious, until], { expect }) => {
    const shop = Shop.open();
    const outcome = rotateKey(
      shop,
      MASTER_KEYS,
      { sealedSigningKey: SEALED_LATER, revokePrevious, actor: "olga" },
      NOW,
    );
    expect(outcome).toEqual({ kind: "rotated", previousValidUntil: until });
    expect(shop.record).toMatchObject({
      signingKey: SEALED_LATER,
      previousSigningKeys: until === null ? [] : [{ until }],
    });
    expect(shop.newestRow).toEqual({
      at: NOW,
      actor: "olga",
      action: "account.signing-key",
      target: "pos-1",
      details: { revokePrevious },
    });
  });

  it("is refused where too many would be valid, and changes nothing", ({ expect }) => {
    const shop = Shop.open();
    const previousSigningKeys = Array.from({ length: 10 }, (_, key) => ({ sealed: KEY, until: NOW + DAY - key }));
    const before = shop.records.update({ previousSigningKeys });
    const refused = { kind: "too-many-keys", until: NOW + DAY - 9 };
    expect(
      rotateKey(shop, MASTER_KEYS, { sealedSigningKey: SEALED_LATER, revokePrevious: false, actor: "olga" }, NOW),
    ).toEqual(refused);
    expect([shop.record, shop.newestRow?.action]).toEqual([before, "account.create"]);
  });
});

describe("an endpoint whose deliveries fail", () => {
  it("needs attention after three failures, or if another disabled it", ({ expect }) => {
    const shop = Shop.open();
    const alerts = (changes: Partial<Endpoint>) => {
      shop.addEndpoint(changes);
      return listWebhookAlerts(shop.webhooks);
    };
    const named = { webhookId: "wh_1", host: "books.example.com" };
    expect(alerts({ failures: 2 })).toEqual([]);
    expect(alerts({ failures: 3 })).toEqual([{ ...named, disabledBy: null, since: NOW }]);
    const disabledAt = NOW + DAY;
    expect(alerts({ failures: 3, disabledBy: "account", disabledAt })).toEqual([]);
    expect(alerts({ disabledBy: "operator", disabledAt })).toEqual([
      { ...named, disabledBy: "operator", since: disabledAt },
    ]);
  });
});

function waitingTerminals({ outbox }: Shop): string[] {
  return outbox.targets(NOW, 9).flatMap(({ target }) => (target === "d1" ? [] : [target]));
}

describe("a deletion", () => {
  it("does not wait for a terminal whose update it has answered", ({ expect }) => {
    const shop = Shop.open();
    for (const terminalId of ["T-1", "T-2"]) shop.devices.save({ terminalId, bindingVersion: 1, bound: true });
    remove(shop, "olga", NOW);
    handleDeviceUpdate(shop, shop.record, { terminalId: "T-1", bindingVersion: 2, bound: false }, NOW);
    expect(waitingTerminals(shop)).toEqual(["terminal:T-2"]);
  });

  it("ends sessions and endpoints, and names the terminals that will be unbound", ({ expect }) => {
    const shop = Shop.open();
    shop.openSession();
    shop.addEndpoint();
    shop.devices.save({ terminalId: "T-1", bindingVersion: 1, bound: true });
    shop.devices.save({ terminalId: "T-2", bindingVersion: 2, bound: false });
    shop.change({ status: "suspended" });
    shop.openSession();
    expect(remove(shop, "olga", NOW)).toEqual({ kind: "changed", account: toAccountView(shop.record) });
    expect(shop.record.status).toBe("deleted");
    expect(waitingTerminals(shop)).toEqual(["terminal:T-1"]);
    expect(shop.hasSession()).toBe(false);
    expect(shop.webhooks.all).toEqual([]);
    expect(shop.newestRow).toEqual({
      at: NOW,
      actor: "olga",
      action: "account.delete",
      target: "pos-1",
      details: { unbound: ["T-1"] },
      before: { status: "suspended" },
      after: { status: "deleted" },
    });
  });
});

describe("a new master key", () => {
  it("seals the account's keys and endpoints, in a new version for D1", ({ expect }) => {
    const shop = Shop.open();
    shop.addEndpoint();
    expect(commonKid(shop.record, shop.webhooks)).toBe("test-1");
    expect(resealAccount(shop, RENEWED_KEYS, NOW)).toBe("test-2");
    expect(sealedUnder(shop.record.signingKey)).toBe("test-2");
    const endpoint = shop.webhooks.find(1);
    if (endpoint === null) throw new Error("no endpoint");
    expect(isSealedUnder("test-2", endpoint)).toBe(true);
    expect(new EndpointSeals(RENEWED_KEYS, "pos-1").open(endpoint, "address")).toBe("https://books.example.com/");
    expect(shop.stateVersion).toBeGreaterThan(shop.record.termsVersion);
    expect(sealedUnder(shop.record.sealedPassword)).toBe("test-2");
    const { record } = shop;
    expect(resealAccount(shop, RENEWED_KEYS, NOW)).toBe("test-2");
    expect(shop.record).toBe(record);
  });

  it("seals nothing unless it can seal everything", ({ expect }) => {
    expect(resealAccount(new Shop(), RENEWED_KEYS, NOW)).toBeNull();
    const [endpointLost, keyLost, passwordLost] = [Shop.open(), Shop.open(), Shop.open()];
    const endpoint = endpointLost.addEndpoint({ address: "v2.gone.AAAA" });
    keyLost.addEndpoint();
    keyLost.records.update({ signingKey: "v2.gone.AAAA" });
    passwordLost.records.update({ sealedPassword: "v2.gone.AAAA" });
    for (const shop of [endpointLost, keyLost, passwordLost]) {
      const { record } = shop;
      expect(resealAccount(shop, RENEWED_KEYS, NOW)).toBeNull();
      expect(shop.record).toBe(record);
    }
    expect(endpointLost.webhooks.find(1)).toEqual(endpoint);
  });

  it("seals an account of which only endpoints have the previous key", ({ expect }) => {
    const shop = Shop.open();
    resealAccount(shop, RENEWED_KEYS, NOW);
    shop.addEndpoint();
    expect(commonKid(shop.record, shop.webhooks)).toBeNull();
    expect(resealAccount(shop, RENEWED_KEYS, NOW)).toBe("test-2");
    expect(commonKid(shop.record, shop.webhooks)).toBe("test-2");
  });

  it("counts as used once key, password and endpoints are sealed with it", ({ expect }) => {
    const shop = Shop.open();
    expect(commonKid(shop.record, shop.webhooks)).toBe("test-1");
    resealAccount(shop, RENEWED_KEYS, NOW);
    shop.addEndpoint({
      address: new EndpointSeals(RENEWED_KEYS, "pos-1").seal(1, "address", "x"),
      secret: new EndpointSeals(RENEWED_KEYS, "pos-1").seal(1, "secret", "x"),
    });
    expect(commonKid(shop.record, shop.webhooks)).toBe("test-2");
    shop.addEndpoint({ id: 2 });
    expect(commonKid(shop.record, shop.webhooks)).toBeNull();
  });

  it("is not confused with an unknown key", ({ expect }) => {
    const shop = Shop.open();
    expect(commonKid({ ...shop.record, signingKey: "unreadable" }, shop.webhooks)).toBeNull();
    expect(commonKid({ ...shop.record, sealedPassword: "unreadable" }, shop.webhooks)).toBeNull();
  });
});
