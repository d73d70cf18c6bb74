/** Transfers: sale, cashOut, void, inquiry, getLast, and the cancel of one. */
import { requireAccountToken } from "../authentication.ts";
import { factory } from "../context.ts";
import { noQuery } from "../validation/validators.ts";
import { prefersEvents } from "./follow.ts";
import { parseCancel, parseTransfer } from "./parse.ts";
import { transfer } from "./transfer.ts";

export const transfers = factory.createApp();

/** Checks token and rate before anything is read. The account's object checks the rest. */
const authenticate = requireAccountToken("access");

transfers.post("/api/transfer", authenticate, noQuery, (c) =>
  transfer(c, parseTransfer, prefersEvents(c.req.header("Accept")) ? "stages" : "answer"),
);
transfers.post("/api/transfer/cancel", authenticate, noQuery, (c) => transfer(c, parseCancel, "answer"));
