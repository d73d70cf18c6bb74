package paymentterminal;

/** The two clocks of a machine, in milliseconds from different starting points. */
public interface Clocks {
    /** Never set, but may stop while the machine sleeps. On Android use {@code SystemClock.elapsedRealtime()}. */
    long monotonic();

    /** Keeps running during sleep, but may be set. */
    long wall();

    Clocks SYSTEM = new Clocks() {
        @Override
        public long monotonic() {
            return System.nanoTime() / 1_000_000;
        }

        @Override
        public long wall() {
            return System.currentTimeMillis();
        }
    };
}
