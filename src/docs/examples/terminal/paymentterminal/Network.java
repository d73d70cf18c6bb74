package paymentterminal;

import java.io.IOException;

/** HTTP and WebSocket. {@link JdkNetwork} is for a JDK, {@code OkHttpNetwork} for Android. */
public interface Network {
    /** How long an HTTP exchange or an opening handshake may take, in milliseconds. */
    long WITHIN = 15_000;

    String SUBPROTOCOL = "pos-terminal.v1";

    /**
     * One HTTP exchange with a JSON body, in the calling thread. Follows no redirect: it would send the token elsewhere.
     *
     * @param token for {@code Authorization: Bearer}; null for none
     * @throws IOException without a whole answer within {@link #WITHIN}
     */
    Answer post(String url, String token, String json) throws IOException;

    /**
     * Opens a WebSocket with {@code Authorization: Bearer} and the {@link #SUBPROTOCOL}. Returns at once; the listener gets
     * {@code ended} if it cannot be opened.
     */
    void open(String url, String token, Listener listener);

    final class Answer {
        final int status;
        final String body;
        /** The header {@code Retry-After}, in seconds; 0 without one. */
        final long retryAfter;

        public Answer(int status, String body, String retryAfter) {
            this.status = status;
            this.body = body;
            this.retryAfter = retryAfter != null && retryAfter.matches("[0-9]{1,9}") ? Long.parseLong(retryAfter) : 0;
        }
    }

    /** Called by any thread. {@code opened} comes first, and {@code ended} may come more than once. */
    interface Listener {
        void opened(Connection connection);

        void received(String text);

        /** @param code 1006 without a closing handshake */
        void ended(int code, String reason);
    }

    /** For any thread. Its methods return at once; what cannot be sent is lost with the connection. */
    interface Connection {
        void send(String text);

        /** Also if nothing answers any more. */
        void close(int code, String reason);
    }
}
