// A terminal with a simulated customer and host. Java 11 or later. The client in paymentterminal/ does the protocol:
//
//   javac -d classes SampleTerminal.java
//   java -cp classes SampleTerminal [sign < message.json]
//
// In the environment: GATEWAY_URL, TERMINAL_ID and TERMINAL_SECRET; BIND_KEY, the key that the POS shows; TERMINAL_FOLDER,
// where memory and ledger are. In milliseconds: PACE, of each stage, and RECONNECT, the longest first wait for another
// connection. The cents of the amount decide the outcome.
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.*;

import java.io.*;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.*;
import java.util.concurrent.TimeUnit;
import paymentterminal.*;

public final class SampleTerminal implements TerminalHandler {
    static final String GATEWAY_URL = setting("GATEWAY_URL", "http://127.0.0.1:8787");
    static final String TERMINAL_ID = setting("TERMINAL_ID", "");
    static final long PACE = Long.parseLong(setting("PACE", "300"));
    static final long SLOW = 10_000; // the customer's time at .89, in milliseconds
    static final long CONTACTLESS_LIMIT = 250_00; // in cents; above it, the card needs a PIN

    static final TerminalResult PENDING = TerminalResult.pending("09", "The payment is still pending at the host.");
    static final Map<String, String> DECLINED = Map.of("05", "Declined by the issuer.", "51", "Insufficient funds.",
            "54", "The card has expired.", "55", "Wrong PIN.", "91", "The issuer is unavailable.",
            "57", "This card does not take part in the promotion.");

    static String setting(String name, String usual) {
        return System.getenv().getOrDefault(name, usual);
    }

    private final Host host;
    private TerminalClient client;

    SampleTerminal(Host host) {
        this.host = host;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) System.exit(sign());
        try {
            start(new JdkNetwork(), Clocks.SYSTEM);
        } catch (IllegalArgumentException | IOException problem) { // a setting is missing, or another process has the memory
            say(problem.getMessage());
            System.exit(1);
        }
    }

    static void start(Network network, Clocks clocks) throws IOException {
        // A memory belongs to one gateway: another one has other numbers.
        String gateway = URI.create(GATEWAY_URL).getAuthority().replaceAll("[^A-Za-z0-9.-]", "_");
        Path folder = Paths.get(setting("TERMINAL_FOLDER", "terminal-data"), gateway, TERMINAL_ID);
        SampleTerminal terminal = new SampleTerminal(new Host(folder.resolve("ledger.jsonl")));
        TerminalOptions options = new TerminalOptions();
        options.gatewayUrl = GATEWAY_URL;
        options.terminalId = TERMINAL_ID;
        options.secret = setting("TERMINAL_SECRET", "");
        options.softwareVersion = "sample 1";
        options.terminalSn = "SAMPLE-1";
        options.store = new FileStore(folder.resolve("memory.json"));
        options.handler = terminal;
        options.network = network;
        options.clocks = clocks;
        options.onEvent = terminal::show;
        options.reconnectFirst = Long.parseLong(setting("RECONNECT", "10000"));
        terminal.client = new TerminalClient(options);
        terminal.client.start();
        Runtime.getRuntime().addShutdownHook(new Thread(terminal::stop));
    }

    private void stop() {
        try {
            client.stop().get(SLOW, TimeUnit.MILLISECONDS);
        } catch (Exception problem) { // the memory is right at every moment
            say("Stopped in the middle of a payment. Its outcome comes after the next start.");
        }
    }

    private void show(TerminalEvent event) {
        say(event.toString());
        if (event.kind == TerminalEvent.Kind.CONNECTED && client.binding().posId == null) new Thread(this::bind).start();
    }

    private void bind() {
        String key = setting("BIND_KEY", "");
        if (key.isEmpty()) {
            say("Not bound. Type the key that the POS shows:");
            key = new Scanner(System.in, "UTF-8").nextLine();
        }
        client.bind(key).whenComplete((posId, problem) ->
                say(problem == null ? "Bound to " + posId : "Not bound: " + problem.getMessage()));
    }

    static void say(String text) {
        System.out.println(text);
    }

    @Override
    public String refuse(TransactionRequest request) {
        if (!Arrays.asList("sale", "cashOut", "void").contains(request.transType)) return "unsupported";
        return cents(request).equals("86") ? "busy" : null;
    }

    /** A void has no amount. */
    static String cents(TransactionRequest request) {
        String amount = request.detail("transAmt");
        return amount == null ? "" : amount.substring(amount.length() - 2);
    }

    @Override
    public TerminalResult onRequest(TransactionRequest request, RequestControls controls) throws Exception {
        controls.progress("present");
        String amount = request.detail("transAmt"), cash = request.detail("cashAmt");
        say("Present the card or code: " + request.transType + " " + (amount == null ? request.transId
                : request.currency + " " + amount + (cash == null ? "" : " and cash " + cash)));
        controls.awaitStop(cents(request).equals("89") ? SLOW : PACE); // if the POS cancels meanwhile, reachHost() throws
        if (cents(request).equals("88")) return TerminalResult.declined("17", "The customer cancelled. Nothing was charged.");
        Map<String, Object> means = request.transType.equals("void") ? new TreeMap<>() : means(request);
        String stage = means.containsKey("cardNo") ? "reading" : "scan";
        if (!means.isEmpty()) controls.progress(stage);
        controls.awaitStop(PACE);
        if ("02".equals(means.get("cvmType"))) controls.progress("pin");

        controls.reachHost(); // from here on money may move: this stores a durable note first
        controls.progress("authorising");
        Thread.sleep(PACE);
        TerminalResult result = decide(request, means);
        if (result.statusCode.equals("00")) {
            controls.progress("printing");
            print(request, result);
        }
        return result;
    }

    /** The host. Its answer to a pending payment is there when it is asked again. */
    private TerminalResult decide(TransactionRequest request, Map<String, Object> means) throws IOException {
        String why = DECLINED.get(cents(request));
        boolean hasNoPromotion = cents(request).equals("57") && request.detail("promoSale") == null;
        if (why != null && !hasNoPromotion) return TerminalResult.declined(cents(request), why);
        if (cents(request).equals("23")) return PENDING;
        TerminalResult result = execute(request, means);
        return cents(request).equals("22") ? PENDING : result;
    }

    private TerminalResult execute(TransactionRequest request, Map<String, Object> means) throws IOException {
        ZoneId zone = ZoneId.of(client.binding().timezone == null ? "UTC" : client.binding().timezone);
        String time = ZonedDateTime.now(zone).format(DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss"));
        return request.transType.equals("void") ? host.reverse(request, time) : host.charge(request, means, time);
    }

    /** After a restart, or when the gateway asks. */
    @Override
    public TerminalResult onRecover(TransactionRequest request, Reason reason) throws IOException {
        boolean isPending = reason == Reason.RESTART && (cents(request).equals("22") || cents(request).equals("23"));
        if (isPending) return PENDING;
        TerminalResult result = host.outcome(request);
        if (result.statusCode.equals("00")) print(request, result);
        return result;
    }

    /** What the customer pays with: a test card of no real customer, or a wallet. */
    private static Map<String, Object> means(TransactionRequest request) {
        boolean isWallet = !"bankCard".equals(request.detail("paymentMethod"));
        String wallet = request.detail("paymentChannel");
        if (isWallet) return Json.object("paymentChannel", wallet == null ? "GrabPay" : wallet);
        boolean isCashOut = request.transType.equals("cashOut");
        boolean needsPin = isCashOut || Long.parseLong(request.detail("transAmt").replace(".", "")) > CONTACTLESS_LIMIT;
        String last = request.requestId.substring(request.requestId.length() - 5);
        return Json.object("paymentChannel", isCashOut ? "MyDebit" : "VISA",
                "cardNo", isCashOut ? "6799990100000000019" : "4111111111111111", // the client masks it
                "entryMode", needsPin ? "Chip" : "Contactless", "cvmType", needsPin ? "02" : "00",
                "cardLabel", isCashOut ? "MYDEBIT" : "VISA CREDIT", "cardHoldersName", "TEST CARD/SIMULATED",
                "rrn", "00" + request.requestId, "apprCode", "S" + last);
    }

    private static void print(TransactionRequest request, TerminalResult result) {
        long copies = request.transData.containsKey("printCount") ? Json.number(request.transData, "printCount") : 2;
        for (int copy = 0; copy < copies; copy++) {
            say("\n" + request.transType + " " + request.currency + " " + result.transData.get("transAmt") + "\n"
                    + result.transData.get("paymentChannel") + " " + result.transData.getOrDefault("cardNo", "") + "\n"
                    + request.referenceLabel + ": " + request.referenceId + "\n"
                    + (copy == 0 ? "MERCHANT COPY" : "CUSTOMER COPY") + "\n");
        }
    }

    /** Prints the form and the signature of a message. 1: the message has another one. */
    private static int sign() throws IOException {
        Map<String, Object> message = Json.read(new String(System.in.readAllBytes(), UTF_8));
        Map<String, Object> unsigned = new TreeMap<>(message);
        unsigned.remove("signature");
        String key = setting("SIGNING_KEY", "");
        String lines = Json.write(unsigned) + "\n" + Signature.of(message, key) + "\n";
        System.out.write(lines.getBytes(UTF_8));
        System.out.flush();
        return message.containsKey("signature") && !Signature.isSigned(message, key) ? 1 : 0;
    }

    /** The charges, one JSON a line. Each is on disk before anybody learns of it. */
    static final class Host {
        private final Path file;
        private List<Map<String, Object>> entries; // read when the terminal has its lock
        private long size;

        Host(Path file) {
            this.file = file;
        }

        synchronized TerminalResult charge(TransactionRequest request, Map<String, Object> means, String time)
                throws IOException {
            if (isReversed(request)) return unknown();
            String number = String.format("%06d", entries().size() + 1);
            Map<String, Object> details = new TreeMap<>(means);
            details.putAll(Json.object("transId", request.transId, "transAmt", request.detail("transAmt"),
                    "cashAmt", request.detail("cashAmt"), "currency", request.currency, "transDateTime", time,
                    "invNo", number, "batchNo", "000001", "tid", shortened(TERMINAL_ID), "mid", shortened(request.merchantId),
                    "metadata", request.detail("metadata")));
            return moved(request, "charge", TerminalResult.approved("00", details));
        }

        synchronized TerminalResult reverse(TransactionRequest request, String time) throws IOException {
            Map<String, Object> charge = find("charge", "transId", request.transId);
            boolean isVoided = find("void", "transId", request.transId) != null;
            if (charge == null || isVoided || isReversed(request) || !request.posId.equals(charge.get("posId"))) return unknown();
            Map<String, Object> details = new TreeMap<>(Json.objectIn(charge, "transData"));
            details.put("transDateTime", time);
            return moved(request, "void", TerminalResult.approved("00", details));
        }

        /** A request that has moved no money never will from now on, even if a part of it is still on its way. */
        synchronized TerminalResult outcome(TransactionRequest request) throws IOException {
            for (String kind : new String[] {"charge", "void"}) {
                Map<String, Object> entry = find(kind, "requestId", request.requestId);
                if (entry != null) return TerminalResult.approved("00", Json.objectIn(entry, "transData"));
            }
            append(Json.object("kind", "reversal", "requestId", request.requestId));
            return unknown();
        }

        private boolean isReversed(TransactionRequest request) throws IOException {
            return find("reversal", "requestId", request.requestId) != null;
        }

        private static TerminalResult unknown() {
            return TerminalResult.declined("25", "The host does not know this transaction. Nothing was charged.");
        }

        private static String shortened(String text) {
            return text.substring(Math.max(0, text.length() - 32));
        }

        private TerminalResult moved(TransactionRequest request, String kind, TerminalResult result) throws IOException {
            append(Json.object("kind", kind, "requestId", request.requestId, "transId", request.transId,
                    "posId", request.posId, "transData", result.transData));
            return result;
        }

        private Map<String, Object> find(String kind, String name, String value) throws IOException {
            return entries().stream()
                    .filter(one -> kind.equals(one.get("kind")) && value.equals(one.get(name))).findFirst().orElse(null);
        }

        /** A line that was cut by a power cut never counted: no result was sent for it. */
        private List<Map<String, Object>> entries() throws IOException {
            if (entries != null) return entries;
            String text = Files.exists(file) ? new String(Files.readAllBytes(file), UTF_8) : "";
            List<Map<String, Object>> read = new ArrayList<>();
            String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            for (String line : whole.split("\n")) {
                if (!line.isEmpty()) read.add(Json.read(line));
            }
            size = whole.getBytes(UTF_8).length;
            entries = read;
            return entries;
        }

        private void append(Map<String, Object> entry) throws IOException {
            entries();
            ByteBuffer line = UTF_8.encode(Json.write(entry) + "\n");
            long next = size + line.remaining();
            try (FileChannel channel = FileChannel.open(file, CREATE, WRITE)) {
                channel.truncate(size);
                while (line.hasRemaining()) channel.write(line, next - line.remaining());
                channel.force(true);
            }
            size = next;
            entries.add(entry);
        }
    }
}
