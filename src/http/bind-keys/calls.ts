import * as z from "zod";
import * as answers from "../../protocol/schemas/accounts.ts";
import { bindKeyDigest, drawBindKey } from "../../keys/bind-keys.ts";
import { BIND_KEY_DRAWS } from "../../keys/limits.ts";
import { BIND_KEY_LIFE, OPEN_BIND_KEYS } from "../../protocol/limits/keys.ts";
import { insertBindKey } from "../../storage/binding.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { query } from "../validation/validators.ts";
import { qrPng } from "./qr-png.ts";
import type { BindKey } from "../../protocol/accounts.ts";
import { duration } from "../../time/duration.ts";
import { type Family, queryParameters } from "../openapi/operation.ts";
import { headers } from "../openapi/refusals.ts";

/** `image` asks for a QR code; every other value means JSON. */
const bindKeyQuery = z.object({ option: z.string().optional() });

export const bindKeys = factory.createApp();

bindKeys.get("/api/bind-terminal-key", requireAccount, query(bindKeyQuery), async (c) => {
  const { posId, timezone } = c.get("account");
  const now = Date.now();
  const expires = now + BIND_KEY_LIFE;
  const masterKey = c.get("keys").current;
  let key: string | null = null;
  for (let draw = 0; draw < BIND_KEY_DRAWS && key === null; draw++) {
    const drawn = drawBindKey();
    const row = { digest: bindKeyDigest(masterKey, drawn), kid: masterKey.kid, posId, expiresAt: expires };
    if (await insertBindKey(c.env.DATABASE, row, now, OPEN_BIND_KEYS)) key = drawn;
  }
  if (key === null) throw new Error("Could not create an unused bind key.");

  const expiresAt = isoWithOffset(expires, timezone);
  if (c.req.valid("query").option !== "image") return c.json({ key, expiresAt } satisfies BindKey);
  return c.body(qrPng(key), 200, { "Content-Type": "image/png", "X-Bind-Key-Expires-At": expiresAt });
});

export function bindKeysContract(): Family {
  return {
    tag: "Terminals",
    caller: "access",
    responses: {
      BindKey: answers.bindKey,
    },
    operations: {
      "GET /api/bind-terminal-key": {
        operationId: "getBindTerminalKey",
        summary: "Create a bind key for a terminal",
        description:
          `Returns a new key for one terminal, valid for ${duration(BIND_KEY_LIFE)}. An account has at most ${OPEN_BIND_KEYS} ` +
          "open keys; one more invalidates the oldest.",
        parameters: queryParameters(bindKeyQuery, {
          option: {
            description: "`image` returns the key as a QR code. Any other value, or none, returns JSON.",
            examples: ["image"],
          },
        }),
        answers: {
          200: {
            description: "The key, as JSON or as a QR code of exactly its text.",
            headers: {
              ...headers(),
              "X-Bind-Key-Expires-At": {
                $ref: "#/components/headers/X-Bind-Key-Expires-At",
                description: "Only with `option=image`.",
              },
            },
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/BindKey" } },
              "image/png": { schema: { type: "string", contentMediaType: "image/png" } },
            },
          },
        },
      },
    },
  };
}
