package paymentterminal;

/** The request must not continue: take nothing, and let this propagate. It ends as 11 by itself. */
public final class StoppedException extends Exception {
    private static final long serialVersionUID = 1;

    /** Why a request ends before it reaches card or host, with the result that it then has. */
    public enum Reason {
        CANCELLED("CANCELLED", "Cancelled at the POS before the payment started. Nothing was charged."),
        RESPOND_BY("CUSTOMER_TIMEOUT", "The time for the payment has run out. Nothing was charged."),
        STOPPED("TERMINAL_STOPPED", "The terminal was switched off before the payment started. Nothing was charged."),
        FAILED("TERMINAL_ERROR", "The terminal failed before the payment started. Nothing was charged.");

        final TerminalResult result;

        Reason(String responseCode, String responseText) {
            result = TerminalResult.declined(responseCode, responseText);
        }
    }

    public final Reason reason;

    StoppedException(Reason reason) {
        super("the request was stopped before it reached the host: " + reason);
        this.reason = reason;
    }
}
