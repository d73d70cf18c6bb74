package paymentterminal;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import okhttp3.*;

/**
 * With OkHttp 3.13 or later, for Android, which has no {@code java.net.http}. This file alone needs a library: leave it out
 * elsewhere.
 */
public final class OkHttpNetwork implements Network {
    private static final MediaType JSON = MediaType.get("application/json; charset=utf-8");

    private final OkHttpClient client;

    /** @param client whose proxy, certificates and DNS are used; {@code new OkHttpClient()} for the device's */
    public OkHttpNetwork(OkHttpClient client) {
        this.client = client.newBuilder()
                .followRedirects(false)
                .connectTimeout(WITHIN, TimeUnit.MILLISECONDS)
                .readTimeout(WITHIN, TimeUnit.MILLISECONDS)
                .build();
    }

    @Override
    public Answer post(String url, String token, String json) throws IOException {
        Call call = client.newCall(request(url, token).post(RequestBody.create(JSON, json)).build());
        call.timeout().timeout(WITHIN, TimeUnit.MILLISECONDS);
        try (Response response = call.execute()) {
            return new Answer(response.code(), response.body().string(), response.header("Retry-After"));
        }
    }

    @Override
    public void open(String url, String token, Listener listener) {
        Request request = request(url, token).header("Sec-WebSocket-Protocol", SUBPROTOCOL).build();
        client.newWebSocket(request, new WebSocketListener() {
            @Override
            public void onOpen(WebSocket socket, Response response) {
                listener.opened(new Sending(socket));
            }

            @Override
            public void onMessage(WebSocket socket, String text) {
                listener.received(text);
            }

            @Override
            public void onClosing(WebSocket socket, int code, String reason) {
                listener.ended(code, reason);
                socket.close(1000, null);
            }

            @Override
            public void onFailure(WebSocket socket, Throwable problem, Response response) {
                listener.ended(1006, "");
            }
        });
    }

    private static Request.Builder request(String url, String token) {
        Request.Builder request = new Request.Builder().url(url);
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private static final class Sending implements Connection {
        private final WebSocket socket;

        Sending(WebSocket socket) {
            this.socket = socket;
        }

        @Override
        public void send(String text) {
            socket.send(text);
        }

        /** OkHttp gives up by itself what does not answer a close. */
        @Override
        public void close(int code, String reason) {
            socket.close(code, reason);
        }
    }
}
