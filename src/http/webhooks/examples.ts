/** What a ping looks like. */
export const PING_EXAMPLE = {
  id: "ping_0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e",
  type: "ping",
  timestamp: "2026-11-20T10:15:00.000+08:00",
  data: {},
};
