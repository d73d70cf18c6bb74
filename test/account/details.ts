/** What an operator has set for the account of the tests on Node. */
export const DETAILS = {
  posId: "pos-1",
  merchantId: "M-1",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Counter",
  region: "apac",
} as const;
