/**
 * Every endpoint, called with broken valid requests. Each gets an answer, in the error's shape if it
 * is an error, never a 500; a 400 names only what was sent or is required there; what is refused leaves no row behind; and
 * of two accounts side by side neither learns anything of the other that it did not send itself.
 */
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, it, vi, type ExpectStatic } from "vitest";
import { app } from "../../src/http/app.ts";
import { useFakeClock } from "../support/clock.ts";
import { setChannel } from "../support/scene.ts";
import { AS_IS, type Asked, FORGED, type Input, inputs, requestOf } from "./inputs.ts";
import { strayPaths } from "./named-paths.ts";
import type { Mutation } from "./mutations.ts";
import { type Route, ROUTES } from "./routes.ts";
import { afterTheGrace, ask, INPUTS, makeSides, makeVictims, rows, SEED, type Side } from "./world.ts";

useFakeClock();

/** Of all inputs, those for endpoints; the rest are frames. */
const OWN_INPUTS = INPUTS / 2;

/** A run sends up to so many inputs at the same time, each from both accounts. */
const AT_ONCE = 9;
const INPUTS_PER_RUN = (1 + AT_ONCE) / 2;

/** Rows are compared after so many runs of one endpoint. */
const CHUNK = 20;

const ERRORS: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  429: "rate_limit_exceeded",
};

interface Sent extends Asked {
  route: Route;
  input: Input;
}

async function checkAnswer(expect: ExpectStatic, response: Response, sent: Sent): Promise<string> {
  const { method } = sent.request;
  const { status, headers } = response;
  if (response.webSocket !== null) {
    response.webSocket.accept();
    response.webSocket.close();
    return "";
  }
  // An image is one of the answers.
  const text = new TextDecoder().decode(await response.arrayBuffer());
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  if (status === 200 || status === 201) return text;
  expect([status, ERRORS[status]]).toEqual([status, expect.any(String)]);
  if (method === "HEAD") return text;
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body).toMatchObject({ error: ERRORS[status], message: expect.any(String) as string });
  expect(Math.floor(Number(body["code"]) / 100)).toBe(status);
  expect(body["traceId"]).toBe(headers.get("X-Request-Id"));
  expect(Array.isArray(body["details"])).toBe(status === 400);
  if (status === 400) expect(strayPathsOf(sent, body["details"] as { path: string }[])).toEqual([]);
  return text;
}

function strayPathsOf({ route, input, request, text }: Sent, details: readonly { path: string }[]): string[] {
  // A segment `..` makes another path of it.
  if (new URL(request.url).pathname.split("/").length !== route.path.split("/").length) return [];
  // Of a member that is written twice, only the second is seen here; the other one may have more in it.
  if (input.changes.length > 1 && input.changes.some(({ kind }) => kind === "repeat")) return [];
  return strayPaths(`${request.method} ${route.path}`, new URL(request.url).search, text, details);
}

/** JSON that hardly any member may be. */
const WRONG = ["null", '""', '" "', "0", "-1", "true", "[]", "[[]]", "{}", '"\\n"', `"${"x".repeat(300)}"`];

const UNKNOWN = ["?unknown=1", "?limit=0&limit=0", "?4111111111111111=1"];

/** Members of an object and of those within it. */
function membersOf(document: object): number {
  return Object.values(document).reduce(
    (sum: number, member: unknown) => sum + 1 + (typeof member === "object" && member !== null ? membersOf(member) : 0),
    0,
  );
}

/** Rows that one successful call makes at most, by table. */
function rowsPerCall(table: string): number {
  return table === "prebound_terminals" ? 10 : 1;
}

let sides: [Side, Side];

beforeAll(async () => {
  // Thousands of lines would only be kept in memory; what is logged is looked at elsewhere.
  vi.spyOn(console, "log").mockImplementation(() => {});
  console.info(`FUZZ_SEED=${SEED} FUZZ_INPUTS=${INPUTS}`);
  sides = await makeSides();
  await setChannel("Boost", 1);
});

beforeEach(afterTheGrace);

const weights = ROUTES.reduce((sum, { weight }) => sum + weight, 0);

/**
 * What a side has sent of the other side's secrets in calls that succeeded, such as the text of a label: it comes back with
 * later answers about the same reference.
 */
const stored = new Set<string>();

/** What only the other side knows, and this text has. Requests of the two sides take turns. */
function foreignNames(number: number, text = ""): string[] {
  const stranger = sides[1 - (number % 2)] as Side;
  return stranger.secrets.filter((secret) => text.includes(secret));
}

/** Answers by status, to see that the inputs get far enough in. */
const seen = new Map<string, Map<number, number>>();

describe("every endpoint", () => {
  it("is in the list of fuzzed endpoints", ({ expect }) => {
    const known = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
    // The pages' are files of the site, and tested with them.
    const there = app.routes.filter(({ method, path }) => method !== "ALL" && !path.endsWith("/console/*"));
    const paths = there.map(({ method, path }) => `${method} ${path}`);
    expect([...known].toSorted()).toEqual([...new Set(paths)].toSorted());
  });

  it.for(ROUTES.map((route, index) => [`${route.method} ${route.path} (${index})`, route, index] as const))(
    "%s answers any input, stores nothing of what it refuses, and reveals nothing of another account",
    async ([name, route, index], { expect }) => {
      const [one, other] = sides;
      const terminalIds = [one.till.terminal.terminalId, other.till.terminal.terminalId];
      const known = [...one.names, ...other.names];
      // An input may change the method, too.
      const spoils = ROUTES.some((entry) => entry.path === route.path && entry.spoils);
      const segments = spoils ? await makeVictims(route.path.includes(":posId")) : known;
      const counted = new Map<number, number>();
      seen.set(name, counted);
      let before = await rows(terminalIds);
      let runs = Math.ceil((OWN_INPUTS * route.weight) / weights / INPUTS_PER_RUN / 2);
      for (let chunk = 0; runs > 0; chunk++, runs -= CHUNK) {
        let successes = 0;
        const several = fc.array(inputs(known, segments, route.queries), {
          minLength: 1,
          maxLength: AT_ONCE,
          size: "max",
        });
        const property = fc.asyncProperty(several, async (batch) => {
          const asked = batch.flatMap((input) =>
            sides.map((side) => ({ ...requestOf(route, side, input), route, input })),
          );
          const responses = await Promise.all(asked.map(({ request }) => ask(request)));
          for (const [number, { status }] of responses.entries()) {
            if (status < 300) for (const secret of foreignNames(number, asked[number]?.sent)) stored.add(secret);
          }
          for (const [number, response] of responses.entries()) {
            const { status } = response;
            const sent = asked[number] as Sent;
            if (status < 300) successes++;
            counted.set(status, (counted.get(status) ?? 0) + 1);
            const answer = await checkAnswer(expect, response, sent);
            if (route.path.startsWith("/operator/")) continue;
            const own = new Set(foreignNames(number, sent.sent));
            const leaked = foreignNames(number, answer).filter((secret) => !own.has(secret) && !stored.has(secret));
            expect(leaked).toEqual([]);
          }
        });
        const seed = SEED + index * 1_000_003 + chunk;
        const examples: [Input[]][] = route.firstAsIs === true && chunk === 0 ? [[[AS_IS]], [[FORGED]]] : [];
        await fc.assert(property, { seed, numRuns: Math.min(CHUNK, runs), examples });
        const after = await rows(terminalIds);
        // Nothing but refusals: not even a changed row. Else no more new rows than successful calls.
        if (successes === 0) expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
        for (const [table, found] of after) {
          const grown = found.length - (before.get(table)?.length ?? 0);
          expect([table, grown <= successes * rowsPerCall(table)]).toEqual([table, true]);
        }
        before = after;
      }
    },
  );

  it("names only what was sent or is required there, whichever member has which wrong value", async ({ expect }) => {
    const [side] = sides;
    const wrong: Mutation[][] = WRONG.map((value) => [{ kind: "replace", at: 0, value }]);
    let refused = 0;
    for (const route of ROUTES) {
      const members = route.document === undefined ? 0 : membersOf(route.document(side));
      const changes = Array.from({ length: members }, (_, at) => [
        [{ kind: "remove" as const, at }],
        ...wrong.map((change) => change.map((one) => ({ ...one, at }))),
      ]).flat();
      const segments = ["1000000000", "1000000000"];
      const batch: Input[] = [
        ...changes.map((change) => ({ ...AS_IS, segments, changes: change })),
        ...["", ...route.queries, ...UNKNOWN].map((query) => ({ ...AS_IS, segments, query })),
      ];
      for (const input of batch) {
        const sent = { ...requestOf(route, side, input), route, input };
        const response = await ask(sent.request);
        if (response.status === 400) refused++;
        await checkAnswer(expect, response, sent);
      }
    }
    expect(refused).toBeGreaterThan(ROUTES.length * 10);
  });

  it("was reached: signed calls were accepted, and refused for their content, or a login for its signature", ({
    expect,
  }) => {
    const statuses = (start: string): number[] =>
      [...seen].filter(([name]) => name.startsWith(start)).flatMap(([, counted]) => [...counted.keys()]);
    console.info(
      [...seen].map(([name, counted]) => `${name}: ${JSON.stringify(Object.fromEntries(counted))}`).join("\n"),
    );
    expect(statuses("POST /api/transfer ")).toEqual(expect.arrayContaining([200, 400]));
    expect(statuses("POST /api/transfer/cancel")).toEqual(expect.arrayContaining([200, 400]));
    expect(statuses("POST /terminal/login")).toEqual(expect.arrayContaining([200, 400, 401]));
  });
});
