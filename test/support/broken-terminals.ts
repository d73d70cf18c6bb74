/** Terminals that break one duty each, and the steps of the conformance kit that must notice. */
import { ANSWERS } from "./broken-terminals/answers.ts";
import { CONNECTING } from "./broken-terminals/connecting.ts";
import { MEMORY } from "./broken-terminals/memory.ts";
import { PAYMENTS } from "./broken-terminals/payments.ts";
import { STAYING } from "./broken-terminals/staying.ts";

export const BROKEN_TERMINALS = [...CONNECTING, ...PAYMENTS, ...ANSWERS, ...MEMORY, ...STAYING];
