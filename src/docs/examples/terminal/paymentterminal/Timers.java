package paymentterminal;

import java.util.AbstractMap.SimpleEntry;
import java.util.Map;
import java.util.PriorityQueue;

/** Steps that become due. All run in the thread that calls {@link #run}. */
final class Timers {
    private final Clocks clocks;
    /** By the monotonic time at which each is due. */
    private final PriorityQueue<Map.Entry<Long, Runnable>> timers = new PriorityQueue<>(Map.Entry.comparingByKey());

    Timers(Clocks clocks) {
        this.clocks = clocks;
    }

    void after(long milliseconds, Runnable step) {
        timers.add(new SimpleEntry<>(clocks.monotonic() + Math.max(0, milliseconds), step));
    }

    /** Milliseconds to the next one; the largest number without one. */
    long untilNext() {
        return timers.isEmpty() ? Long.MAX_VALUE : Math.max(0, timers.peek().getKey() - clocks.monotonic());
    }

    void run() {
        while (!timers.isEmpty() && timers.peek().getKey() <= clocks.monotonic()) timers.poll().getValue().run();
    }

    /** Random below a bound that doubles with each try, so that terminals that failed together do not return together. */
    static long jitter(double random, int tries, long first, long longest) {
        return (long) (random * Math.min(longest, first * Math.pow(2, tries)));
    }
}
