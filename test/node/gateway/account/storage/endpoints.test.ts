import { describe, it } from "vitest";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { type Endpoint, Webhooks } from "../../../../../src/gateway/account/storage/webhooks.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";
import { newEndpoint } from "../../../../support/gateway/account/samples.ts";

const ENDPOINT = newEndpoint({ generation: 2, cursor: 3, skipped: 4 });

const FAILED: Endpoint = {
  ...ENDPOINT,
  id: 2,
  previousSecret: "sealed previous secret",
  previousSecretUntil: 11,
  failures: 5,
  failingSince: 12,
  retryAt: 13,
  attempts: [{ number: 4, at: 14, status: null, milliseconds: 15 }],
  disabledBy: "gone",
  disabledAt: 16,
};

function withEndpoints(...endpoints: Endpoint[]): { webhooks: Webhooks } {
  const webhooks = new Webhooks(memoryStorage(ACCOUNT_MIGRATIONS));
  for (const endpoint of endpoints) webhooks.save(endpoint);
  return { webhooks };
}

describe("an endpoint", () => {
  it("is found by its number, and listed in that order", ({ expect }) => {
    const { webhooks } = withEndpoints(FAILED, ENDPOINT);
    expect([webhooks.find(1), webhooks.find(2), webhooks.find(3)]).toEqual([ENDPOINT, FAILED, null]);
    expect(webhooks.all).toEqual([ENDPOINT, FAILED]);
  });

  it("replaces its row when it is saved again", ({ expect }) => {
    const { webhooks } = withEndpoints(ENDPOINT, FAILED);
    webhooks.save({ ...ENDPOINT, cursor: 4 });
    expect(webhooks.all).toEqual([{ ...ENDPOINT, cursor: 4 }, FAILED]);
  });

  it("is gone once it is removed", ({ expect }) => {
    const { webhooks } = withEndpoints(ENDPOINT, FAILED);
    webhooks.remove(1);
    expect(webhooks.all).toEqual([FAILED]);
  });
});
