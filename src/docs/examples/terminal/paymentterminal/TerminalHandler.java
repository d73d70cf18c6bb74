package paymentterminal;

/** You write this part. The client does the rest. */
public interface TerminalHandler {
    /** RESTART: the terminal restarted with an unclear request. ASKED: the gateway asks now, for the POS. */
    enum Reason { RESTART, ASKED }

    /**
     * Why the terminal refuses this request: {@code busy} if it cannot take it now, {@code unsupported} if it never can; null
     * accepts it. Called before anything is stored, in the client's thread: must be quick.
     */
    default String refuse(TransactionRequest request) {
        return null;
    }

    /**
     * Processes one request, in a thread of its own: never twice for one requestId, and never while another one is in
     * progress. Call {@link RequestControls#reachHost} before the first step that may move money. An exception counts as a 11
     * before that call, and as a 22 after it.
     */
    TerminalResult onRequest(TransactionRequest request, RequestControls controls) throws Exception;

    /**
     * Asks the host for the outcome of a request that may have reached it. Without this method, such a request stays 22 until
     * the gateway's operator resolves it. An exception after a restart is tried again.
     */
    default TerminalResult onRecover(TransactionRequest request, Reason reason) throws Exception {
        return TerminalResult.pending("HOST_PENDING", "The outcome is not known at the terminal.");
    }
}
