package paymentterminal;

/** A login or a bind that failed. */
public final class SessionException extends Exception {
    private static final long serialVersionUID = 1;

    public enum Kind {
        /** No answer, or none of the gateway: a 5xx, a proxy's error, a login page. */
        UNREACHABLE,
        /** The terminal is unknown or retired, or the secret is not the current one: the gateway answers all alike. */
        LOGIN_REFUSED,
        RATE_LIMITED, REJECTED
    }

    public final Kind kind;
    /** In milliseconds, of RATE_LIMITED. */
    public final long retryAfter;

    SessionException(Kind kind, String message, long retryAfter) {
        super(message);
        this.kind = kind;
        this.retryAfter = retryAfter;
    }
}
