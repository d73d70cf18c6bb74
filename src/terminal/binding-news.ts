/** Tells accounts that the terminal is bound to them or unbound, and applies their answers. */
import type { AccountStub } from "../account/stub.ts";
import { takeAccountNews } from "./account-news.ts";
import type { Conclusion, NotificationSource, Waiting } from "./account-notifier.ts";
import type { TerminalSide } from "./terminal-side.ts";

export class BindingNews implements NotificationSource {
  readonly name = "binding";
  readonly #side: TerminalSide;

  constructor(side: TerminalSide) {
    this.#side = side;
  }

  waiting(): ReadonlyMap<string, Waiting> {
    const waiting = new Map<string, Waiting>();
    for (const [posId, { bindingVersion, changedAt }] of this.#side.bindingNews.all()) {
      waiting.set(posId, { since: changedAt, newest: bindingVersion, notBefore: 0, alarmBy: 0 });
    }
    return waiting;
  }

  async tell(account: AccountStub, posId: string): Promise<Conclusion> {
    const { records, bindingNews } = this.#side;
    const change = bindingNews.all().get(posId);
    const terminalId = records.record?.terminalId;
    if (change === undefined || terminalId === undefined) return () => true;
    const { bindingVersion, bound } = change;
    const news = await account.deviceChanged({ terminalId, bindingVersion, bound });
    return (now) => {
      if (takeAccountNews(this.#side, posId, news, now).kind === "busy") return false;
      bindingNews.told(change);
      return true;
    };
  }
}
