// A POS. Java 17 or later, without any library; its JSON is in Json.java, its events are in Events.java:
//
//   javac Pos.java
//   java Pos sale 12.50 | void TRANSID | cancel REFERENCE | inquiry TRANSID | recover | aside REFERENCE
//   java Pos totals [DAY] | events | webhook | sign < message.json
//
// In the environment: GATEWAY_URL, POS_ID, MERCHANT_ID, DEVICE_ID and SIGNING_KEY; POS_FOLDER, where its files are; for
// webhook also WEBHOOK_SECRET and PORT. Its exit status is the outcome: 0 approved (or done), 1 not approved, 2 not known
// yet, 3 failed and no money moved, 4 failed and the outcome is unknown, 5 wrong usage, 6 nothing sent: another process
// works in the folder.
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.*;

import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.security.*;
import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Pos {
    static final List<String> SETTINGS = List.of("GATEWAY_URL", "POS_ID", "MERCHANT_ID", "DEVICE_ID", "SIGNING_KEY");
    static final String POS_ID = setting("POS_ID", ""), DEVICE_ID = setting("DEVICE_ID", "");
    static final Path FOLDER = Path.of(setting("POS_FOLDER", "pos-data"));
    static final Path OPEN = FOLDER.resolve("open");

    static final int APPROVED = 0, NOT_APPROVED = 1, PENDING = 2, REFUSED = 3, UNKNOWN = 4, WRONG_USAGE = 5, LOCKED = 6;
    static final List<String> WORDS =
            List.of("approved", "not approved", "not known yet", "refused, no money moved", "outcome unknown");
    static final Map<String, Integer> BY_STATUS_CODE = Map.of("00", APPROVED, "11", NOT_APPROVED, "22", PENDING);
    static final String KEEP = "Do not charge again: money may have moved. Ask again with recover or inquiry.";
    static final String USED_BEFORE = "40009";
    static final String NEVER_STARTED = "Its reference is another transaction's. This one was never started.";

    static final int HTTP_SECONDS = 120; // a customer takes time to pay
    static final int ASK_SECONDS = 180; // then the cashier decides; the transaction stays open
    static final double FIRST_WAIT = 0.5, LONGEST_WAIT = 10;

    static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

    static String setting(String name, String usual) {
        return System.getenv().getOrDefault(name, usual);
    }

    // region sign
    /** What is signed: the canonical form of the message without its own signature. */
    static String signedForm(Json message) {
        return Json.canonical(message.without("signature"));
    }

    /** The key is the text of the signing key. It only looks like base64. */
    static String signatureOf(Json message) {
        byte[] key = setting("SIGNING_KEY", "").getBytes(UTF_8);
        return HexFormat.of().formatHex(hmac(key, signedForm(message).getBytes(UTF_8)));
    }

    static byte[] hmac(byte[] key, byte[] content) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(content);
        } catch (GeneralSecurityException problem) { // every Java has it
            throw new IllegalStateException(problem);
        }
    }

    static Json signed(Json message) {
        String now = ZonedDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss"));
        Json dated = message.with("datetime", now);
        return dated.with("signature", signatureOf(dated));
    }
    // endregion sign

    // region verify
    /** Over every member as it came, unknown members included. */
    static boolean isSigned(Json message) {
        return MessageDigest.isEqual(message.text("signature").getBytes(UTF_8), signatureOf(message).getBytes(UTF_8));
    }

    /** Whether it is the answer to this message: one about another proves nothing. */
    static boolean isAnswer(Json answer, Json message) {
        if (!isSigned(answer) || !BY_STATUS_CODE.containsKey(answer.text("statusCode"))) return false;
        Json named = answer.object("transData").with("referenceId", answer.get("originalReferenceId"));
        Json asked = message.object("transData");
        return Stream.of("posId", "deviceId", "referenceId").allMatch(name -> message.get(name).equals(answer.get(name)))
                && asked.keySet().stream().allMatch(
                        name -> named.get(name) == null || named.get(name).equals(asked.get(name)));
    }
    // endregion verify

    record Answer(int status, Json body, int retryAfter) {}
    record Result(int outcome, Json answer) {}

    static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static final Answer NO_ANSWER = new Answer(0, new Json(), 0);

    /** One HTTP exchange, without redirects. No answer says nothing about what happened at the gateway. */
    static Answer exchange(String method, String path, String body, String token, int wait) throws Exception {
        URI address = URI.create(setting("GATEWAY_URL", "").replaceAll("/+$", "") + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) request.header("Authorization", "Bearer " + token);
        if (wait > 0) request.header("Prefer", "wait=" + wait);
        try {
            HttpResponse<String> response =
                    HTTP.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()).get(HTTP_SECONDS, TimeUnit.SECONDS);
            Json read = Json.read(response.body());
            if (!isFromGateway(response.statusCode(), read)) return NO_ANSWER;
            int retryAfter = Integer.parseInt(response.headers().firstValue("Retry-After").orElse("0"));
            return new Answer(response.statusCode(), read, retryAfter);
        } catch (ExecutionException | TimeoutException | IllegalArgumentException problem) {
            return NO_ANSWER;
        }
    }

    /** A proxy may answer anything, 408 or 403 too, while the sale goes on. The gateway's codes begin with the status. */
    static boolean isFromGateway(int status, Json body) {
        if (status == 200) return true;
        boolean begins = body.get("code") instanceof Long code && code / 100 == status;
        return status >= 400 && begins && body.get("traceId") instanceof String;
    }

    // region session
    static Json tokens = new Json();

    /** New tokens, by the refresh token. That ends at midnight: then by a login. */
    static Answer renew() throws Exception {
        String refresh = tokens.object("refresh").text("token");
        Answer refreshed = refresh.isEmpty() ? null : exchange("POST", "/auth/refresh", "", refresh, 0);
        // Signed, a login needs no password. Each is valid once: its nonce is new.
        Json login = new Json(Map.of("posId", POS_ID, "nonce", UUID.randomUUID().toString()));
        Answer answer = refreshed != null && refreshed.status() != 401 ? refreshed
                : exchange("POST", "/auth/login", Json.canonical(signed(login)), "", 0);
        if (answer.status() != 200) return answer;
        boolean isPair = Stream.of("access", "refresh").noneMatch(name -> answer.body().object(name).text("token").isEmpty());
        if (!isPair) return NO_ANSWER; // the login page of a network
        tokens = answer.body();
        return answer;
    }

    /** A call within the session. After a 401 it goes again, with a new access token. */
    static Answer call(String method, String path, String body, int wait) throws Exception {
        for (boolean isAgain = false; ; isAgain = true) {
            Answer renewed = isAgain || tokens.isEmpty() ? renew() : null;
            if (renewed != null && renewed.status() != 200) return renewed;
            Answer answer = exchange(method, path, body, tokens.object("access").text("token"), wait);
            if (answer.status() != 401 || isAgain) return answer;
        }
    }
    // endregion session

    // region ask
    /** Sends the same message again, with the same reference, until its outcome is certain. */
    static Result ask(String path, Json message, boolean maybeProcessed) throws Exception {
        Result result = new Result(UNKNOWN, new Json());
        double wait = FIRST_WAIT;
        long end = System.nanoTime() + ASK_SECONDS * 1_000_000_000L;
        while (true) {
            Answer answer = call("POST", path, Json.canonical(signed(message)), 0);
            if (answer.status() == 200 && isAnswer(answer.body(), message)) {
                result = new Result(BY_STATUS_CODE.get(answer.body().text("statusCode")), answer.body());
                // A 22 does not mean "not paid". UNCONFIRMED waits for the operator.
                if (result.outcome() != PENDING || answer.body().text("responseCode").equals("UNCONFIRMED")) return result;
            } else if (answer.body().text("code").equals(USED_BEFORE) && !message.text("transType").equals("inquiry")) {
                message = inquiryAbout(message); // first sent more than a day ago
            } else if (answer.status() >= 400 && answer.status() < 500 && answer.status() != 429) {
                // The gateway refuses this message. It may have processed an earlier one.
                return new Result(maybeProcessed ? UNKNOWN : REFUSED, answer.body());
            }
            maybeProcessed = maybeProcessed || answer.status() != 429;
            double pause = Math.max(wait * ThreadLocalRandom.current().nextDouble(0.5, 1), answer.retryAfter());
            if (System.nanoTime() + (long) (pause * 1e9) > end) return result;
            String reason = answer.status() == 0 ? "No answer." : "Not known yet.";
            System.err.println("Do not charge again. " + reason + " Asking again.");
            Thread.sleep((long) (pause * 1000));
            wait = Math.min(wait * 2, LONGEST_WAIT);
        }
    }
    // endregion ask

    // region store
    /** On disk when it returns, and never in part: a power cut leaves the old file or the new. */
    static void store(Path path, String text) throws IOException {
        Files.createDirectories(path.getParent());
        Path fresh = Path.of(path + ".new");
        try (FileChannel file = FileChannel.open(fresh, CREATE, WRITE, TRUNCATE_EXISTING)) {
            file.write(UTF_8.encode(text));
            file.force(true);
        }
        Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
        if (File.separatorChar == '\\') return; // Windows; elsewhere the folder has the file's name
        try (FileChannel folder = FileChannel.open(path.getParent(), READ)) {
            folder.force(true);
        }
    }

    static Path recordOf(String reference) {
        return OPEN.resolve(reference + ".json");
    }
    // endregion store

    // region lock
    /** For one process: a double click would charge twice. The operating system unlocks when the process ends. */
    static boolean lock(String name) throws IOException {
        lockFile = FileChannel.open(Files.createDirectories(FOLDER).resolve(name), CREATE, WRITE);
        return lockFile.tryLock() != null;
    }

    static FileChannel lockFile; // collected as garbage, it would be unlocked
    // endregion lock

    // region transact
    static int sale(String amount) throws Exception {
        return transact("sale", new Json(Map.of("transAmt", amount, "paymentMethod", "bankCard")));
    }

    /** One at a time: none begins while the outcome of an earlier one is not certain. */
    static int transact(String transType, Json transData) throws Exception {
        if (recover() > NOT_APPROVED) {
            print("Not sent: an earlier transaction is open. Use recover again, or aside.");
            return REFUSED;
        }
        Json message = newMessage(transType, transData);
        String reference = message.text("referenceId");
        // Before the message is sent: after a crash, nothing else knows of it.
        store(recordOf(reference), Json.canonical(message));
        return settle(reference, ask("/api/transfer", message, false));
    }

    static Json newMessage(String transType, Json transData) {
        // 20 random digits: a counter that restarts would get old answers.
        String reference = UUID.randomUUID().toString().replace("-", "").substring(0, 20);
        return new Json(Map.of("transType", transType, "referenceId", reference, "transData", transData,
                "posId", POS_ID, "merchantId", setting("MERCHANT_ID", ""), "deviceId", DEVICE_ID, "apiVersion", "v1"));
    }

    /** Shows the outcome. Only then, and only if it is certain, forgets the record. */
    static int settle(String reference, Result result) throws IOException {
        if (isAboutAnother(reference, result.answer())) {
            result = new Result(NOT_APPROVED, new Json(Map.of("message", NEVER_STARTED)));
        }
        show(reference, result);
        if (List.of(APPROVED, NOT_APPROVED, REFUSED).contains(result.outcome())) Files.deleteIfExists(recordOf(reference));
        return result.outcome();
    }

    /** Whether an inquiry returned a transaction of another type or amount: the reference was not unique. */
    static boolean isAboutAnother(String reference, Json answer) throws IOException {
        String transType = answer.text("originalTransType");
        if (transType.isEmpty() || !Files.exists(recordOf(reference))) return false;
        Json record = Json.read(Files.readString(recordOf(reference)));
        String sent = record.object("transData").text("transAmt");
        String found = answer.object("transData").text("transAmt");
        return !transType.equals(record.text("transType")) || !sent.isEmpty() && !found.isEmpty() && !sent.equals(found);
    }
    // endregion transact

    // region recover
    /** Asks about what a crash or a lost connection has left open. */
    static int recover() throws Exception {
        int worst = APPROVED;
        for (File file : Files.createDirectories(OPEN).toFile().listFiles((folder, name) -> name.endsWith(".json"))) {
            Json record = Json.read(Files.readString(file.toPath()));
            Result result = ask("/api/transfer", inquiryAbout(record), true);
            worst = Math.max(worst, settle(record.text("referenceId"), result));
        }
        return worst;
    }

    /** It starts nothing. A sale that never arrived is cancelled: its customer may have left. */
    static Json inquiryAbout(Json record) {
        Json about = new Json(Map.of("referenceId", record.text("referenceId")));
        return newMessage("inquiry", about).with("deviceId", record.text("deviceId"));
    }

    /** The cashier goes on without what stays open for long. Its outcome comes as an event. */
    static int aside(String reference) throws IOException {
        Path folder = Files.createDirectories(FOLDER.resolve("aside"));
        Files.move(recordOf(reference), folder.resolve(reference + ".json"));
        return APPROVED;
    }
    // endregion recover

    // region cancel
    /** The answer has the transaction's outcome: the customer may have been faster. */
    static int cancel(String reference) throws Exception {
        Json message = new Json(Map.of("posId", POS_ID, "deviceId", DEVICE_ID, "referenceId", reference));
        return settle(reference, ask("/api/transfer/cancel", message, true));
    }
    // endregion cancel

    // region void
    /** A transaction of its own, with its own reference. */
    static int voidSale(String transId) throws Exception {
        return transact("void", new Json(Map.of("transId", transId)));
    }
    // endregion void

    // region inquiry
    static int inquiry(String transId) throws Exception {
        // A refused question does not say that no money moved.
        Result result = ask("/api/transfer", newMessage("inquiry", new Json(Map.of("transId", transId))), true);
        show(transId, result);
        return result.outcome();
    }
    // endregion inquiry

    static void print(String... words) {
        OUT.println(String.join(" ", words));
    }

    static void show(String name, Result result) {
        if (result.outcome() == PENDING || result.outcome() == UNKNOWN) print(KEEP);
        String open = result.answer().text("openReferenceId");
        if (!open.isEmpty()) print("Another payment is open at the terminal. To cancel it: cancel " + open);
        Json answer = result.answer();
        String text = answer.containsKey("responseText") ? answer.text("responseText") : answer.text("message");
        String transId = answer.object("transData").text("transId");
        print(name, WORDS.get(result.outcome()), answer.text("responseCode"), text, transId);
        for (Json detail : answer.objects("details")) print(" ", detail.text("path"), detail.text("message"));
    }

    // region totals
    static int totals(String day) throws Exception {
        Answer answer = call("GET", "/api/totals" + (day.isEmpty() ? "" : "?day=" + day), "", 0);
        Json body = answer.body();
        if (answer.status() != 200 || !body.containsKey("data")) {
            print(body.containsKey("message") ? body.text("message") : "The gateway did not answer.");
            return REFUSED;
        }
        for (Json line : body.objects("data")) {
            Json sum = line.object("approved");
            String channel = Objects.requireNonNullElse(line.get("paymentChannel"), "-").toString();
            print(line.text("transType"), channel, sum.text("count"), sum.text("transAmt"), line.text("currency"));
        }
        Object pending = body.object("pending").getOrDefault("count", 0);
        print(body.text("day"), body.get("closed").equals(true) ? "closed," : "open,", pending + " not known yet");
        return APPROVED;
    }
    // endregion totals

    /** Prints a message's canonical form and signature. The outcome is 1 if it has a wrong one. */
    static int sign() throws Exception {
        Json message = Json.read(new String(System.in.readAllBytes(), UTF_8));
        OUT.print(signedForm(message) + "\n" + signatureOf(message) + "\n");
        return message.containsKey("signature") && !isSigned(message) ? NOT_APPROVED : APPROVED;
    }

    interface Action { int run(String argument) throws Exception; }

    static final Map<String, Action> ACTIONS = Map.of(
            "sale", Pos::sale, "void", Pos::voidSale, "cancel", Pos::cancel, "inquiry", Pos::inquiry,
            "recover", none -> recover(), "aside", Pos::aside, "totals", Pos::totals, "events", none -> Events.events(),
            "webhook", none -> Events.webhook(), "sign", none -> sign());
    /** What works with the open records, or with the books, has its folder for itself. A cancel comes while a sale waits. */
    static final Map<String, String> LOCKS = Map.of("sale", "lock", "void", "lock", "recover", "lock", "aside", "lock",
            "events", "events.lock", "webhook", "events.lock");
    static final List<String> WITH_ARGUMENT = List.of("sale", "void", "cancel", "inquiry", "aside");

    static int act(String name, String argument) throws Exception {
        List<String> needed = Map.of("sign", List.of("SIGNING_KEY"), "webhook", List.of("WEBHOOK_SECRET"))
                .getOrDefault(name, SETTINGS);
        String missing = needed.stream().filter(one -> setting(one, "").isEmpty()).collect(Collectors.joining(" "));
        boolean isUsable = ACTIONS.containsKey(name) && !(argument.isEmpty() && WITH_ARGUMENT.contains(name));
        if (!isUsable || !missing.isEmpty()) {
            print(isUsable ? "Missing in the environment: " + missing : "See the first lines of Pos.java.");
            return WRONG_USAGE;
        }
        if (!LOCKS.containsKey(name) || lock(LOCKS.get(name))) return ACTIONS.get(name).run(argument);
        print("Nothing was sent: another process works in this folder.");
        return LOCKED;
    }

    public static void main(String[] words) {
        int outcome = UNKNOWN; // Java would exit with 1 after an exception or error, which is "not approved"
        try {
            outcome = act(words.length > 0 ? words[0] : "", words.length > 1 ? words[1] : "");
        } catch (Throwable problem) {
            problem.printStackTrace();
        }
        System.exit(outcome);
    }
}
