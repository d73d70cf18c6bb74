/** Which device a reference belongs to, and for how long (I1). */
import { describe, it } from "vitest";
import { isForgotten, judgeClaim, newClaim } from "../../../../src/gateway/account/feed.ts";

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const CLAIM = newClaim("a", "T-1", NOW);

describe("a claim of a reference", () => {
  it("begins without a transaction", ({ expect }) => {
    expect(CLAIM).toStrictEqual({
      referenceId: "a",
      deviceId: "T-1",
      admittedAt: NOW,
      requestId: null,
      revision: 0,
      event: null,
      completedAt: null,
      voided: null,
    });
    expect(judgeClaim(null, "T-1", NOW)).toEqual({ kind: "new" });
  });

  it("is held by one device, which another device is referred to", ({ expect }) => {
    expect(judgeClaim(CLAIM, "T-1", NOW)).toEqual({ kind: "held", claim: CLAIM, refresh: false });
    const elsewhere = { kind: "elsewhere", holder: "T-1", open: false };
    expect(judgeClaim(CLAIM, "T-2", NOW)).toEqual(elsewhere);
    expect(judgeClaim({ ...CLAIM, requestId: 1 }, "T-2", NOW)).toEqual({ ...elsewhere, open: true });
    expect(judgeClaim({ ...CLAIM, requestId: 1, completedAt: NOW }, "T-2", NOW)).toEqual(elsewhere);
  });

  it("is refreshed by a message a day later", ({ expect }) => {
    expect(judgeClaim(CLAIM, "T-1", NOW + DAY - 1)).toMatchObject({ refresh: false });
    expect(judgeClaim(CLAIM, "T-1", NOW + DAY)).toMatchObject({ refresh: true });
  });

  it("is forgotten when 400 days have passed since its last message", ({ expect }) => {
    expect(isForgotten(CLAIM, NOW + 400 * DAY)).toBe(false);
    expect(isForgotten(CLAIM, NOW + 400 * DAY + 1)).toBe(true);
    expect(judgeClaim(CLAIM, "T-2", NOW + 400 * DAY + 1)).toEqual({ kind: "new" });
    expect(judgeClaim(CLAIM, "T-2", NOW + 400 * DAY)).toMatchObject({ kind: "elsewhere" });
  });

  it("is kept for 400 days after its completion if that is later", ({ expect }) => {
    const completed = { ...CLAIM, requestId: 1, completedAt: NOW + DAY };
    expect(isForgotten(completed, NOW + 401 * DAY)).toBe(false);
    expect(isForgotten(completed, NOW + 401 * DAY + 1)).toBe(true);
  });

  it("is kept as long as its transaction is open", ({ expect }) => {
    expect(isForgotten({ ...CLAIM, requestId: 1 }, NOW + 4_000 * DAY)).toBe(false);
  });
});
