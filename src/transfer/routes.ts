/** Transfers: sale, cashOut, void, inquiry, getLast, and the cancel of one. */
import { factory } from "../http/context.ts";
import { noQuery } from "../http/validation/validators.ts";
import { prefersEvents } from "./accept.ts";
import { authenticate } from "./authenticate.ts";
import { parseCancel, parseTransfer } from "./parse.ts";
import { transfer } from "./transfer.ts";

export const transfers = factory.createApp();

transfers.post("/api/transfer", authenticate, noQuery, (c) =>
  transfer(c, parseTransfer, prefersEvents(c.req.header("Accept")) ? "stages" : "answer"),
);
transfers.post("/api/transfer/cancel", authenticate, noQuery, (c) => transfer(c, parseCancel, "answer"));
