/** A short run without any error, in which every check has something to judge. */
import type { Entry } from "../../chaos/journal.ts";
import * as scenes from "./scenes.ts";
import { Story, type Transaction } from "./story.ts";

export interface More {
  /** Happens before the first fault, while the day is open. */
  early?: (story: Story) => void;
  /** Happens when the other account has been at work, shortly before the end. */
  late?: (story: Story) => void;
}

export function correctDay({ early, late }: More = {}): Entry[] {
  const story = new Story();
  play(scenes.answered(story, scenes.sale("POS-1", "PAID", "12.50"), "00"));
  play(scenes.answered(story, scenes.sale("POS-1", "DECLINED", "3.00"), "11"));
  const cashOut = { ...scenes.sale("POS-1", "CASH", "20.00"), transType: "cashOut" as const };
  play(
    scenes.lostAnswer(
      story,
      { ...cashOut, transData: { transAmt: "20.00", cashAmt: "5.00", paymentMethod: "bankCard" } },
      "00",
    ),
  );
  play(scenes.inquiry(story, story.transactions.get("POS-1/PAID") as Transaction, "Q-1"));
  play(scenes.getLast(story, "POS-1", "Q-2"));
  play(scenes.voidOf(story, "POS-1", "PAID", "VOID"));
  play(scenes.pending(story, scenes.sale("POS-1", "WALLET", "7.77"), "00"));
  play(scenes.cancelledBefore(story, scenes.sale("POS-1", "TOO-LATE", "1.00")));
  play(scenes.refusedByTerminal(story, scenes.sale("POS-1", "BUSY", "2.00")));
  // Another amount under a used reference, and a message that was never taken.
  story.refuse(story.ask({ ...scenes.sale("POS-1", "PAID", "99.00") }), 400, 40009);
  story.refuse(story.ask({ ...scenes.sale("POS-1", "REFUSED", "4.00") }), 429);
  early?.(story);
  story.closeDay("POS-1");
  play(scenes.answered(story, scenes.sale("POS-2", "PAID", "8.00"), "00"));
  story.contradict(story.transactions.get("POS-2/PAID") as Transaction, "00", "8.50");
  play(scenes.powerLost(story, scenes.sale("POS-2", "POWER", "6.00"), "00"));
  play(scenes.memoryLost(story, scenes.sale("POS-2", "FORGOTTEN", "9.00"), "00"));
  play(scenes.decidedMeanwhile(story, scenes.sale("POS-2", "DECIDED", "5.00")));
  story.resolve(story.transactions.get("POS-2/PAID") as Transaction, "11");
  story.deliver("POS-1", 503);
  for (const _ of [1, 2, 3]) story.deliver("POS-1");
  story.deliverAgain("POS-1");
  story.readFeed("POS-1", 0);
  story.readFeed("POS-1", 2);
  late?.(story);
  story.fault("kill", null);
  // The terminals are back.
  story.write({ kind: "searched", place: "storage", bytes: 5000, needles: 9, found: [] }, 31_000);
  story.close();
  return story.entries;
}

/** Plays a scene to its end. */
export function play(scene: scenes.Scene): void {
  while (scene.next().done !== true);
}
