package paymentterminal;

import java.util.concurrent.*;

/** What a handler has of the request that it processes. For any thread. */
public final class RequestControls {
    /** The way to card and host. NOTED: the note is stored, and the handler still waits. SHUT: for good. */
    enum Gate { OPEN, NOTED, PASSED, SHUT }

    final TransactionRequest request;
    // Only the machine's thread uses these.
    Gate gate = Gate.OPEN;
    StoppedException.Reason reason;
    boolean isReturned;
    boolean isTimeUp;

    private final Work work;
    private final CountDownLatch stopped = new CountDownLatch(1);

    RequestControls(TransactionRequest request, Work work) {
        this.request = request;
        this.work = work;
    }

    /**
     * Shows a stage at the POS.
     *
     * @param stage {@code present}, {@code reading}, {@code pin}, {@code scan}, {@code authorising} or {@code printing}
     */
    public void progress(String stage) {
        work.enqueue(() -> work.progress(this, stage));
    }

    /**
     * Call this before the first step that may move money. Returns when it is durably stored that the request may have reached
     * card or host, and neither a cancel nor the end of its time has come meanwhile: the host may be reached now.
     *
     * @throws StoppedException if the request must not continue
     */
    public void reachHost() throws StoppedException, InterruptedException {
        CompletableFuture<StoppedException.Reason> answer = new CompletableFuture<>();
        work.enqueue(() -> work.reachHost(this, answer));
        try {
            StoppedException.Reason refused = answer.get();
            if (refused != null) throw new StoppedException(refused);
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Waits these milliseconds for the customer: true at once if the POS cancels or the time is over. */
    public boolean awaitStop(long milliseconds) throws InterruptedException {
        return stopped.await(milliseconds, TimeUnit.MILLISECONDS);
    }

    void signalStop() {
        stopped.countDown();
    }
}
