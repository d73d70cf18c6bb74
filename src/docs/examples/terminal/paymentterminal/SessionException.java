package paymentterminal;

/** A login, a bind or an activation that failed. */
public final class SessionException extends Exception {
    private static final long serialVersionUID = 1;

    public enum Kind {
        /** No answer, or none of the gateway: a 5xx, a proxy's error, a login page. */
        UNREACHABLE,
        /** The terminal is unknown or retired, the secret is wrong, or the activation code is: the message says what to do. */
        LOGIN_REFUSED,
        RATE_LIMITED, REJECTED
    }

    public final Kind kind;
    /** In milliseconds, of RATE_LIMITED. */
    public final long retryAfter;
    /** Epoch milliseconds, of a message that was signed with a wrong clock; otherwise 0. */
    final long serverTime;

    SessionException(Kind kind, String message, long retryAfter, long serverTime) {
        super(message);
        this.kind = kind;
        this.retryAfter = retryAfter;
        this.serverTime = serverTime;
    }
}
