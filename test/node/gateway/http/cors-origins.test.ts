import { describe, it } from "vitest";
import { readOrigins } from "../../../../src/gateway/http/middleware/cors-origins.ts";

describe("CORS_ORIGINS", () => {
  it.for([
    ["https://pos.example.com/", "https://pos.example.com"],
    ["HTTPS://pos.Example.com", "https://pos.example.com"],
    ["https://pos.example.com:443", "https://pos.example.com"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["https://käse.example", "https://xn--kse-qla.example"],
    ["http://[::1]:8080", "http://[::1]:8080"],
  ] as const)("reads %s as browsers send it", ([entry, origin], { expect }) => {
    expect(readOrigins(entry)).toEqual({ origins: [origin], problems: [] });
  });

  it.for([
    "*",
    "https://*.example.com",
    "a;b",
    "https://a.example;https://b.example",
    "https://a;b",
    "pos.example.com",
    "https://pos.example.com/pay",
    "https://user@pos.example.com",
    "https://pos.example.com?x=1",
    "file:///POS.html",
    "null",
  ])("refuses %s, which no browser sends", (entry, { expect }) => {
    const { origins, problems } = readOrigins(`https://a.test, ${entry}`);
    expect(origins).toEqual(["https://a.test"]);
    expect(problems).toEqual([expect.stringContaining(`the entry ${JSON.stringify(entry)}, which no browser sends`)]);
  });

  it("may be empty or absent", ({ expect }) => {
    for (const setting of [undefined, "", " , "]) expect(readOrigins(setting)).toEqual({ origins: [], problems: [] });
  });
});
