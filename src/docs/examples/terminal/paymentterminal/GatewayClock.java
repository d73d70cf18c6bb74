package paymentterminal;

/** The gateway's time, from a {@code serverTime} and the machine's clocks. */
final class GatewayClock {
    private final Clocks clocks;
    private final long serverTime;
    private final long monotonicThen;
    private final long wallThen;

    /** @param serverTime epoch milliseconds, read just now */
    GatewayClock(long serverTime, Clocks clocks) {
        this.clocks = clocks;
        this.serverTime = serverTime;
        monotonicThen = clocks.monotonic();
        wallThen = clocks.wall();
    }

    /**
     * Epoch milliseconds. Of the two clocks it takes the one that shows more time passed: a request that is refused wrongly as
     * too old does no harm, but one that counts wrongly as fresh starts a payment that nobody waits for.
     */
    long now() {
        return serverTime + Math.max(clocks.monotonic() - monotonicThen, clocks.wall() - wallThen);
    }

    /** In milliseconds. Large if the machine slept, or its wall clock was set. */
    long disagreement() {
        return Math.abs(clocks.monotonic() - monotonicThen - (clocks.wall() - wallThen));
    }
}
