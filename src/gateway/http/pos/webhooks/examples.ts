/** Signed calls that change webhooks, for the contract. */
import { signedExample } from "../../openapi/signed.ts";

const ADDRESS = "https://books.example.com/hooks/payment";

export const WEBHOOK_EXAMPLES = {
  add: signedExample("POST /api/webhooks", "000000000001", { url: ADDRESS }),
  change: signedExample("PATCH /api/webhooks/wh_1", "000000000002", { enabled: true }),
  move: signedExample("PATCH /api/webhooks/wh_1", "000000000003", { url: "https://books.example.com/hooks/new" }),
  remove: signedExample("DELETE /api/webhooks/wh_1", "000000000004", {}),
  secret: signedExample("POST /api/webhooks/wh_1/secret", "000000000005", {}),
  replay: signedExample("POST /api/webhooks/wh_1/replay", "000000000006", { after: 41 }),
};
