package paymentterminal;

import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;
import java.util.concurrent.*;

/** With {@code java.net.http}, which uses the proxy of the machine. */
public final class JdkNetwork implements Network {
    private static final Duration LIMIT = Duration.ofMillis(WITHIN);

    /** For the peer to answer a close, in milliseconds. */
    private static final long CLOSES_WITHIN = 1_000;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(LIMIT).build();

    @Override
    public Answer post(String url, String token, String json) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        if (token != null) request.header("Authorization", "Bearer " + token);
        CompletableFuture<HttpResponse<String>> sent =
                client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
        try {
            HttpResponse<String> response = sent.get(WITHIN, TimeUnit.MILLISECONDS);
            String retryAfter = response.headers().firstValue("Retry-After").orElse(null);
            return new Answer(response.statusCode(), response.body(), retryAfter);
        } catch (InterruptedException | ExecutionException | TimeoutException problem) {
            sent.cancel(true);
            throw new IOException("no answer", problem);
        }
    }

    @Override
    public void open(String url, String token, Listener listener) {
        client.newWebSocketBuilder()
                .connectTimeout(LIMIT)
                .subprotocols(SUBPROTOCOL)
                .header("Authorization", "Bearer " + token)
                .buildAsync(URI.create(url), new Received(listener))
                .whenComplete((socket, problem) -> {
                    if (problem != null) listener.ended(1006, "could not be opened");
                });
    }

    private static final class Received implements WebSocket.Listener {
        private final Listener listener;
        private final StringBuilder text = new StringBuilder();

        Received(Listener listener) {
            this.listener = listener;
        }

        @Override
        public void onOpen(WebSocket socket) {
            listener.opened(new Sending(socket, listener));
            socket.request(1);
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                listener.received(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            listener.ended(code, reason);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable problem) {
            listener.ended(1006, "");
        }
    }

    /**
     * A WebSocket of the JDK sends one text at a time. It often does not see the end of a connection that is cut right after a
     * text (Java 17: one in three), so a text that cannot be sent ends it, too.
     */
    private static final class Sending implements Connection {
        private final WebSocket socket;
        private final Listener listener;
        private CompletableFuture<WebSocket> last;

        Sending(WebSocket socket, Listener listener) {
            this.socket = socket;
            this.listener = listener;
            last = CompletableFuture.completedFuture(socket);
        }

        @Override
        public synchronized void send(String text) {
            last = last.thenCompose(ready -> ready.sendText(text, true));
            last.exceptionally(problem -> {
                listener.ended(1006, "");
                return null;
            });
        }

        @Override
        public synchronized void close(int code, String reason) {
            last.thenCompose(ready -> ready.sendClose(code, reason));
            CompletableFuture.delayedExecutor(CLOSES_WITHIN, TimeUnit.MILLISECONDS).execute(socket::abort);
        }
    }
}
