/** What a run must not contradict: each rule is one sentence, and holds a whole run against it. */
import { type Call, eventsIn, type History, hundredths, type Line, list } from "./history.ts";
import { type Reference, type Seen, type Shown, text, type Wire } from "./history.ts";

/** Holds the run against the rule once. `lines` show why it is broken. */
type Hold = (isTrue: boolean, says: string, ...lines: readonly (Line | null | undefined)[]) => void;

type Check = (history: History, hold: Hold) => void;

/** A check of each reference by itself. */
function each(check: (reference: Reference, hold: Hold, history: History) => void): Check {
  return (history, hold) => {
    for (const reference of history.references.values()) {
      const named: Hold = (isTrue, says, ...lines) => hold(isTrue, `${reference.key}: ${says}`, ...lines);
      check(reference, named, history);
    }
  };
}

function isFinal(status: unknown): boolean {
  return status === "00" || status === "11";
}

/** Two messages with the same terms under one reference are the same request. */
function termsOf({ asked: { message }, type }: Call): string {
  const { transAmt, cashAmt, paymentMethod, transId } = (message["transData"] ?? {}) as Wire;
  return JSON.stringify([type, message["deviceId"], transAmt, cashAmt, paymentMethod, transId]);
}

/** Without the signature: a rotated key signs the same answer differently. */
const bytesOf = (answer: Wire): string => JSON.stringify({ ...answer, signature: null });

/** The part of an answer that is the same for every way of asking. */
function detailsOf(answer: Wire): string {
  const { statusCode, responseCode, responseText, softwareVersion, terminalSn, transData } = answer;
  const details = Object.entries(transData ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([statusCode, responseCode, responseText, softwareVersion, terminalSn, details]);
}

function finalAnswers({ shown }: Reference): { call: Call; answer: Wire; line: Line }[] {
  return shown.flatMap(({ status, call, line }) =>
    call?.answer && isFinal(status) ? [{ call, answer: call.answer, line }] : [],
  );
}

/** The one 22 that may follow a 00 or 11 while something disturbs: the gateway cannot reach its own record. */
function isOutOfReach({ quiet }: History, { status, code, asked }: Shown): boolean {
  return status === "22" && code === "IN_PROGRESS" && asked < quiet;
}

/** Milliseconds: the longest wait that the contract allows, and a second for the way. */
const LONGEST_WAIT = 91_000;

function eventsOf(history: History): [posId: string, events: Seen[]][] {
  return [...history.events].map(([posId, all]) => [posId, [...all.values()].toSorted((a, b) => a.number - b.number)]);
}

function isCompletion({ type }: Seen): boolean {
  return type === "transaction.completed";
}

/** What values of the same name add up to, as one text. */
function added(values: readonly (readonly [name: string, value: number])[]): string {
  const sums = [...Map.groupBy(values, ([name]) => name)].map(([name, own]) => {
    return `${name}: ${own.reduce((total, [, value]) => total + value, 0)}`;
  });
  return sums
    .filter((sum) => !sum.endsWith(": 0"))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(", ");
}

function sumsOfEvents(events: readonly Seen[], day: unknown): string {
  const own = events.filter((event) => isCompletion(event) && event.data["day"] === day);
  const values = own.flatMap(({ data }) => {
    const [type, status] = [String(data["transType"]), String(data["statusCode"])];
    return [[`${type} ${status}`, 1] as const, [type, status === "00" ? hundredths(data) : 0] as const];
  });
  return added(values);
}

function sumsOfTotals(totals: unknown): string {
  const values = list(totals, "data").flatMap(({ transType, approved, notApproved }) => {
    const counts = [Number(text(approved, "count")), Number(text(notApproved, "count"))] as const;
    const type = String(transType);
    return [
      [`${type} 00`, counts[0]] as const,
      [`${type} 11`, counts[1]] as const,
      [type, hundredths(approved)] as const,
    ];
  });
  return added(values);
}

export const RULES: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  "I1 At most once": {
    "A reference is started, and money moves for it, at most once.": each((reference, hold) => {
      const [started, { moved }] = [reference.of("started"), reference];
      if (started.length + moved.length === 0) return;
      const says = `started ${started.length} times, money moved ${moved.length} times.`;
      hold(started.length <= 1 && moved.length <= 1, says, ...started, ...moved.map(({ line }) => line));
    }),
    "A terminal gets only what a POS has asked it for, under a number of its own.": (history, hold) => {
      const owners = new Map<string, string>();
      for (const line of history.of("terminal").filter(({ event }) => event === "received")) {
        const { posId, referenceId, requestId, transType, terminalId } = line;
        const owner = `${terminalId} ${posId}/${referenceId}`;
        const isAsked = history.reference(posId, referenceId).transfers.some(({ asked, type }) => {
          return asked.line < line.line && type === transType && asked.message["deviceId"] === terminalId;
        });
        hold(isAsked, `${owner} was not asked for.`, line);
        hold((owners.get(requestId) ?? owner) === owner, `${requestId} is of ${owner} and another.`, line);
        owners.set(requestId, owner);
      }
    },
    "The customer is charged, or paid back, exactly what a POS asked for.": each((reference, hold, history) => {
      for (const { line, amount } of reference.moved) {
        const asked = reference.transfers.flatMap(({ asked: { message }, type }) => {
          if (type !== "void") return hundredths(message["transData"]);
          const paid = history.byRequestId(text(message, "transData", "transId"))?.moved ?? [];
          return paid.map((one) => -one.amount);
        });
        hold(asked.includes(amount), `${amount} hundredths moved, asked for: ${asked.join(", ")}.`, line);
      }
    }),
  },
  "I2 The status is a promise": {
    "Where 00 is shown, money had moved; where 11, none has, and nothing starts.": each((reference, hold) => {
      for (const { status, line } of reference.shown) {
        // A decision is not the terminal's word.
        if (status === "22" || reference.mayBeDecided(status, line.line)) continue;
        const moved = reference.moved.map((one) => one.line);
        const later = [...moved, ...reference.of("started").filter((one) => one.line > line.line)];
        const isTrue = status === "00" ? moved.some((one) => one.line < line.line) : later.length === 0;
        hold(isTrue, `${status} is shown, and money moved ${moved.length} times.`, line, ...later);
      }
    }),
    "A 00 or 11 that was reported or acknowledged never changes, not to 22 either.": each(
      (reference, hold, history) => {
        const { final, shown, acknowledged } = reference;
        const firsts = [final, acknowledged && { line: acknowledged, status: acknowledged.statusCode, code: null }];
        for (const first of firsts) {
          const after = first?.line.line ?? Infinity;
          for (const one of shown.filter(
            ({ asked, status }) => asked > after || (status !== "22" && first === final),
          )) {
            if (isOutOfReach(history, one) || (first !== final && reference.mayBeDecided(one.status, one.line.line)))
              continue;
            const isSame = one.status === first?.status && (first.code === null || one.code === first.code);
            hold(isSame, `${first?.status} ${first?.code}, then ${one.status} ${one.code}.`, first?.line, one.line);
          }
        }
      },
    ),
    "A 00 names the amounts that its POS asked for.": each((reference, hold) => {
      for (const { call, answer, line } of finalAnswers(reference)) {
        if (answer["statusCode"] !== "00" || !call.isTransfer || call.type === "void") continue;
        const [asked, answered] = [hundredths(call.asked.message["transData"]), hundredths(answer["transData"])];
        hold(asked === answered, `asked for ${asked}, answered ${answered}.`, call.asked, line);
      }
    }),
    "What is refused (400 to 499) in every message does not reach a terminal.": each((reference, hold) => {
      const [received] = reference.of("received");
      const before = reference.transfers.filter(({ asked }) => asked.line < (received?.line ?? Infinity));
      if (!before.some(({ isRefused }) => isRefused)) return;
      const isTaken = before.some(({ isRefused }) => !isRefused);
      hold(received === undefined || isTaken, "all refused, and at a terminal.", before[0]?.end, received);
    }),
    "After the faults, every 22 becomes 00 or 11.": each((reference, hold, history) => {
      const rows = [...reference.requestIds].flatMap((requestId) => history.rows.get(requestId) ?? []);
      const last = reference.shown.findLast(({ asked, call }) => call !== null && asked > history.quiet);
      if (!history.isComplete || (last === undefined && rows.length === 0)) return;
      const isOpen = last?.status === "22" || rows.some(({ row }) => row["state"] !== "completed");
      hold(!isOpen, "still 22 at the end.", last?.line, rows[0]?.line);
    }),
    "An operator decides only what is open, and everybody gets that status from then on.": each((reference, hold) => {
      for (const { asked, status, taken } of reference.decisions) {
        const final = [reference.final?.line, reference.acknowledged].find((line) => line && line.line < asked.line);
        if (final) hold(taken === "no" || taken === "unknown", `final, and ${status} was decided.`, final, asked);
        if (typeof taken === "string") continue;
        for (const one of reference.shown.filter((later) => later.asked > taken))
          hold(one.status === status, `${status} was decided, ${one.status} is reported.`, asked, one.line);
      }
    }),
  },
  "I3 Asking again is sending again": {
    "The same request gets the same bytes, and every way of asking the same details.": each((reference, hold) => {
      const answers = finalAnswers(reference);
      for (const [index, { call, answer, line }] of answers.entries()) {
        const same = answers.slice(0, index).find((one) => one.call.isTransfer && termsOf(one.call) === termsOf(call));
        const [first] = answers;
        if (index === 0 || first === undefined) continue;
        hold(detailsOf(answer) === detailsOf(first.answer), `${call.type} tells other details.`, first.line, line);
        if (same) hold(bytesOf(answer) === bytesOf(same.answer), "the same request, other bytes.", same.line, line);
      }
    }),
    "A used reference is taken for no other request, nor is the same refused.": each(
      ({ transfers, mayBeTombstone }, hold) => {
        const taken = transfers.filter(({ answer }) => answer !== null);
        for (const call of transfers) {
          const earlier = taken.find(({ end }) => (end?.line ?? Infinity) < call.asked.line);
          // Whatever is sent under a reference that was cancelled before it came gets the answer of that cancel.
          if (earlier === undefined || call.end === null || mayBeTombstone) continue;
          const isRefused = call.isRefused && text(call.end.answer, "code") === "40009";
          if (termsOf(earlier) === termsOf(call))
            hold(!isRefused, "the same is refused.", earlier.end, call.asked, call.end);
          else hold(call.answer === null, "taken for another request.", earlier.end, call.asked, call.end);
        }
      },
    ),
    "After the faults, every message is answered in time, and none with a 500.": (history, hold) => {
      for (const { asked, end, type } of history.calls.filter((call) => call.asked.line > history.quiet)) {
        const waited = (end?.at ?? Infinity) - asked.at;
        // It may still be answered, or its POS hung up before the time that the contract allows.
        if ((end === null && !history.isComplete) || (end?.hungUp && waited < LONGEST_WAIT)) continue;
        const isAnswered = end?.kind === "answered" && end.status < 500 && waited < LONGEST_WAIT;
        hold(isAnswered, `${asked.posId}: ${type} got ${end?.status} after ${waited} ms.`, asked, end);
      }
    },
  },
  "I4 Nothing acknowledged is lost": {
    "Only what was reported is acknowledged, and it is stored.": each((reference, hold, history) => {
      const reports = reference.of("reported", "conflict");
      for (const line of reference.of("acknowledged", "conflict-acknowledged")) {
        const { requestId, statusCode } = line;
        const isReported = reports.some((one) => one.requestId === requestId && one.statusCode === statusCode);
        hold(isReported, `${statusCode} was never reported.`, line);
        if (!history.isComplete || !isFinal(statusCode)) continue;
        const found = history.rows.get(requestId);
        const stored = [found?.row["outcome"], ...list(found?.row, "conflicts").map(({ report }) => report)];
        const isStored = stored.some((one) => text(one, "statusCode") === statusCode);
        hold(isStored, `${statusCode} was acknowledged and is not stored.`, line, found?.line);
      }
    }),
  },
  "I5 One at a time": {
    "A terminal accepts nothing while it works on another, and in the order of numbers.": (history, hold) => {
      const working = new Map<string, Line>();
      const newest = new Map<string, number>();
      for (const line of history.of("terminal")) {
        const { terminalId, requestId, event, statusCode } = line;
        const known = working.get(terminalId);
        if (event === "accepted") {
          const isNewest = Number(requestId) > (newest.get(terminalId) ?? 0);
          hold(known === undefined && isNewest, `${terminalId} took ${requestId} too early or late.`, known, line);
          newest.set(terminalId, Number(requestId));
          working.set(terminalId, line);
        }
        const isOver = event === "concluded" || (event === "reported" && statusCode !== "22");
        // After a loss of power, what was begun is only cleared up with the host.
        if (event === "dark" || (isOver && known?.requestId === requestId)) working.delete(terminalId);
      }
    },
  },
  "I6 Nothing leaks": {
    "No secret and no card number is in the log or in storage, and no card number is reported.": (history, hold) => {
      for (const line of history.of("searched"))
        hold(line.bytes > 0 && line.found.length === 0, `${line.place} holds ${line.found.join(", ")}.`, line);
    },
    "Every outcome and every delivery has a valid signature.": (history, hold) => {
      for (const line of history.of("answered", "delivered"))
        if (line.kind === "delivered" || line.status === 200) hold(line.isSigned, "A signature is wrong.", line);
    },
    "An answer is about what was asked, and nothing that is reported names another account.": (history, hold) => {
      for (const { answer, asked, end } of history.calls) {
        const isSame = ["posId", "deviceId", "referenceId"].every((name) => answer?.[name] === asked.message[name]);
        const [named, about] = [text(asked.message, "transData", "referenceId"), text(answer, "originalReferenceId")];
        const isOther = named !== null && about !== null && named !== about;
        if (answer) hold(isSame && !isOther, "An answer is about another.", asked, end);
      }
      for (const line of history.of("answered", "read", "delivered")) {
        const names = JSON.stringify([line.answer, line.body]).match(/POS-[0-9]+/gu) ?? [];
        hold(
          names.every((name) => name === line.posId),
          `${line.posId} got data of another.`,
          line,
        );
      }
    },
  },
  "I7 Nothing is missed": {
    "Behind every number the next one follows, and an event is the same for every reader.": (history, hold) => {
      for (const line of history.of("read", "delivered")) {
        const { posId, kind } = line;
        for (const [index, event] of eventsIn(line).entries()) {
          const number = Number(event["number"]);
          const seen = history.events.get(posId)?.get(number);
          const isNext = kind === "delivered" || number === Number(line.query["after"]) + index + 1;
          const isSame = seen === undefined || seen.text === JSON.stringify(event);
          hold(isNext && isSame, `${posId}: event ${number} differs, or is not the next.`, seen?.line, line);
        }
      }
    },
    "A transaction is completed by exactly one event, with its amounts, and keeps its status.": (history, hold) => {
      for (const [posId, events] of eventsOf(history)) {
        const completed = new Map<unknown, Seen>();
        for (const seen of events.filter(({ type }) => /^transaction\.(?:pending|updated|completed)$/u.test(type))) {
          const { type, data, line } = seen;
          const { referenceId, statusCode, transType } = data;
          const names = `${posId}/${String(referenceId)}`;
          const before = completed.get(referenceId);
          const isFirst = before === undefined && isCompletion(seen) === (statusCode !== "22");
          const isUpdate = type === "transaction.updated" && statusCode === before?.data["statusCode"];
          hold(isFirst || isUpdate, `${names}: ${type} with ${String(statusCode)}.`, before?.line, line);
          if (isCompletion(seen)) completed.set(referenceId, before ?? seen);
          const asked = history.reference(posId, referenceId).transfers.map((call) => call.asked.message["transData"]);
          const isAsked = transType === "void" || asked.some((one) => hundredths(one) === hundredths(data));
          hold(isAsked, `${names}: other amounts.`, line);
        }
      }
    },
    "At the end, every 00 and 11 is among the events and in the list, with that status.": (history, hold) => {
      const deleted = new Set(history.of("deleted").map(({ posId }): string | undefined => posId));
      const completed = new Map(
        eventsOf(history).flatMap(([posId, events]) =>
          events
            .filter(isCompletion)
            .map(({ data }) => [`${posId}/${String(data["referenceId"])}`, data["statusCode"]]),
        ),
      );
      const lists = history.of("read").filter(({ path }) => path === "/api/transactions");
      const listed = new Map(
        lists.flatMap(({ posId, answer }) =>
          list(answer, "data").map((row) => [`${posId}/${String(row["referenceId"])}`, row["statusCode"]]),
        ),
      );
      for (const reference of history.isComplete ? history.references.values() : []) {
        const { final, acknowledged, key } = reference;
        const line = final?.line ?? acknowledged;
        if (line === null || deleted.has(key.split("/")[0]) || reference.mayBeTombstone) continue;
        const status = final?.status ?? acknowledged?.statusCode;
        const [reported, shown] = [String(completed.get(key)), String(listed.get(key))];
        hold(reported === status && shown === status, `${key}: ${status}; event: ${reported}; list: ${shown}.`, line);
      }
    },
    "A closed day has the outcomes recorded for it, and no later one is of that day.": (history, hold) => {
      for (const [posId, events] of eventsOf(history)) {
        let closed = "";
        for (const [index, seen] of events.entries()) {
          const day = String(seen.data["day"]);
          if (isCompletion(seen)) hold(day > closed, `${posId}: recorded for ${day}, which is closed.`, seen.line);
          if (seen.type !== "day.closed") continue;
          const [recorded, stated] = [sumsOfEvents(events.slice(0, index), day), sumsOfTotals(seen.data)];
          const isRight = day > closed && recorded === stated;
          hold(isRight, `${posId}: ${day} is closed with ${stated}; recorded: ${recorded}.`, seen.line);
          closed = day;
        }
      }
    },
    "At the end, the totals of each day are what its events add up to.": (history, hold) => {
      const all = new Map(eventsOf(history));
      for (const line of history.of("read").filter(({ path }) => path === "/api/totals")) {
        const recorded = sumsOfEvents(all.get(line.posId) ?? [], line.answer?.["day"]);
        const stated = sumsOfTotals(line.answer);
        hold(recorded === stated, `${line.posId}: the totals are ${stated}; recorded: ${recorded}.`, line);
      }
    },
    "A webhook is sent each event when it has taken all before it, and at the end has taken all.": (history, hold) => {
      const deliveries = history.of("delivered").filter(({ body }) => text(body, "number") !== null);
      for (const [posId, own] of Map.groupBy(deliveries, (line) => line.posId)) {
        // A new endpoint begins at the newest number.
        let taken = Number(text(own[0]?.body, "number")) - 1;
        for (const line of own) {
          const number = Number(line.body["number"]);
          hold(number <= taken + 1, `${posId} was sent ${number} and had taken ${taken}.`, line);
          if (line.status === 204 && number === taken + 1) taken = number;
        }
        const newest = Math.max(...(history.events.get(posId)?.keys() ?? []));
        // A deleted account receives nothing any more.
        const isOver = history.isComplete && history.of("deleted").every((line) => line.posId !== posId);
        if (isOver) hold(taken === newest, `${posId} has taken ${taken} of ${newest} events.`, own.at(-1));
      }
    },
  },
};
