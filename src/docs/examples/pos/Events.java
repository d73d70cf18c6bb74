// The events of an account for Pos.java: it reads them, or receives them by webhook, and books each one once.
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

final class Events {
    static final Path LAST_EVENT = Pos.FOLDER.resolve("last-event");

    static final int MOST_BYTES = 1_000_000; // of a delivery
    static final String SECONDS = "10"; // then the gateway has given up, too

    // region events
    /** Books every event, in order, and waits for the next. Run it next to the POS. */
    static int events() throws Exception {
        while (true) {
            Pos.Answer answer = Pos.call("GET", "/api/events?after=" + lastEvent(), "", 60);
            String skipped = answer.body().text("skipped");
            String missing = " events are missing here: they were deleted. See totals.";
            if (!skipped.isEmpty()) System.err.println(skipped + missing);
            List<Json> events = answer.body().objects("data");
            for (Json event : events) book(event);
            if (!events.isEmpty()) continue;
            System.err.print(answer.body().text("message"));
            Thread.sleep(Math.max(1, answer.retryAfter()) * 1000L);
        }
    }

    static long lastEvent() throws IOException {
        return Files.exists(LAST_EVENT) ? Long.parseLong(Files.readString(LAST_EVENT).trim()) : 0;
    }

    /** Once, however often it comes. In a database: it and its number in one transaction. */
    static synchronized void book(Json event) throws IOException {
        if (!(event.get("number") instanceof Long number) || number <= lastEvent()) return;
        Pos.print(number.toString(), event.text("type"), event.object("data").text("referenceId"));
        Pos.store(LAST_EVENT, number.toString());
    }
    // endregion events

    // region webhook
    static int webhook() throws Exception {
        System.setProperty("sun.net.httpserver.maxReqTime", SECONDS); // for a whole request, header and body
        System.setProperty("sun.net.httpserver.maxRspTime", SECONDS);
        int port = Integer.parseInt(Pos.setting("PORT", "9000"));
        var server = HttpServer.create(new InetSocketAddress("localhost", port), 0);
        server.createContext("/", Events::receive);
        server.setExecutor(Executors.newCachedThreadPool()); // nobody waits for a connection that sends nothing
        server.start();
        Thread.currentThread().join(); // for ever
        return Pos.APPROVED;
    }

    static void receive(HttpExchange delivery) throws IOException {
        try (delivery) {
            byte[] body = delivery.getRequestBody().readNBytes(MOST_BYTES + 1);
            Headers headers = delivery.getRequestHeaders();
            boolean genuine = body.length <= MOST_BYTES
                    && isGenuine(name -> Objects.requireNonNullElse(headers.getFirst(name), ""), body);
            if (genuine) book(Json.read(new String(body, UTF_8)));
            delivery.sendResponseHeaders(genuine ? 204 : 401, -1); // what is not booked comes again
        }
    }

    /** Signed are the bytes as they came. While the secret changes, there are two signatures. */
    static boolean isGenuine(UnaryOperator<String> header, byte[] body) {
        byte[] key = Base64.getDecoder().decode(Pos.setting("WEBHOOK_SECRET", "").substring("whsec_".length()));
        String sent = header.apply("webhook-timestamp");
        String content = header.apply("webhook-id") + "." + sent + "." + new String(body, ISO_8859_1);
        byte[] mac = ("v1," + Base64.getEncoder().encodeToString(Pos.hmac(key, content.getBytes(ISO_8859_1)))).getBytes();
        boolean isRight = Stream.of(header.apply("webhook-signature").split(" "))
                .anyMatch(one -> MessageDigest.isEqual(one.getBytes(UTF_8), mac));
        return isRight && Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(sent)) < 300;
    }
    // endregion webhook
}
