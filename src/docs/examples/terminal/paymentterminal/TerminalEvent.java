package paymentterminal;

/** Something to show or log. Its text contains no secret and no card data. */
public final class TerminalEvent {
    public enum Kind {
        CONNECTED, DISCONNECTED, BINDING, LOGIN_FAILED,
        /** Another device uses this terminal's identity. Tell its user. */
        REPLACED,
        ACCEPTED, REFUSED, CONCLUDED, ACKNOWLEDGED,
        /** The request is not signed with this terminal's secret. It was not answered. */
        FORGED_REQUEST,
        BAD_FRAME, GATEWAY_ERROR,
        /** A request ended as 00 or 11 and was then reported as the other. The first one counts; someone must check it. */
        CONFLICTING_RESULT,
        HANDLER_FAILED, MEMORY_FAILED
    }

    public final Kind kind;
    /** Null if it is not about a request. */
    public final String requestId;
    public final String text;
    /** Null without one. Its message is not in {@link #text}: one of your own code may have card data. */
    public final Throwable problem;

    TerminalEvent(Kind kind, String requestId, String text, Throwable problem) {
        this.kind = kind;
        this.requestId = requestId;
        this.text = text;
        this.problem = problem;
    }

    @Override
    public String toString() {
        String about = requestId == null ? "" : " " + requestId;
        return kind + about + (text.isEmpty() ? "" : ": " + text)
                + (problem == null ? "" : " (" + problem.getClass().getName() + ")");
    }
}
