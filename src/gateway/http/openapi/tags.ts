/** The tags are the parts of the reference. */
export const TAGS = [
  { name: "Session", description: "Log in, refresh tokens, log out." },
  { name: "Transfers", description: "Sales, voids, inquiries and cancels." },
  { name: "Events", description: "What happens to the account's transactions, in one order." },
  { name: "Terminals", description: "The terminals of an account." },
  {
    name: "Transactions",
    description: "The account's transactions with their outcomes, and the totals of its days.",
  },
  { name: "Wallets", description: "The e-wallet channels." },
  { name: "Webhooks", description: "Delivers events to an address of your choice." },
  { name: "Terminal", description: "The calls of a terminal. Its WebSocket protocol is in `/asyncapi.json`." },
  {
    name: "Operator accounts",
    description: "Accounts, their keys and webhooks. Every change is in the audit log.",
  },
  {
    name: "Operator terminals",
    description: "Terminals and shops. Every change is in the audit log.",
  },
  {
    name: "Operator figures",
    description: "What is broken now, statistics and metrics.",
  },
  {
    name: "Operator payments",
    description: "Find payments, and resolve pending ones. Every change is in the audit log.",
  },
  {
    name: "Operator",
    description: "Wallets, master keys, resync and the audit log. Every change is in the audit log.",
  },
  { name: "Service", description: "Health of the service." },
] as const;

export type TagName = (typeof TAGS)[number]["name"];
