/** The demo's shops, among which its terminals are divided. */
export const SHOPS = [
  { posId: "POS-HARBOUR", merchantId: "M-HARBOUR", name: "Harbour Café", place: "HARBOUR" },
  { posId: "POS-STATION", merchantId: "M-STATION", name: "Station Kiosk", place: "STATION" },
];

export const TERMS = { currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
