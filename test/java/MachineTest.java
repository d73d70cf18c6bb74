import java.io.IOException;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.BiConsumer;
import paymentterminal.*;

/**
 * Plays the client's state machine without threads, sockets, files or real time. Prints a line for each scene: {@code ok} or
 * {@code FAILED} and its name, then what happened if it failed.
 */
public final class MachineTest {
    private static final String SECRET = "c2VjcmV0LW9mLXRoZS1kb2N1bWVudGF0aW9uLW9ubHk";
    private static final long START = 1_795_140_900_000L;

    /** What the machine did, in order: {@code save}, and the types of the frames that it sent. */
    private final List<String> done = new ArrayList<>();
    private final List<Map<String, Object>> sent = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    /** Handlers that have not returned. */
    private final List<Runnable> hosts = new ArrayList<>();
    private String saved;
    private boolean isDiskFull;
    private Runnable duringSave = () -> { };
    private long monotonic = 1_000;
    private long wall = 5_000;
    private int connection;
    private RequestControls controls;
    private TerminalMachine machine;
    private Handling handling = (request, given) -> approved();

    interface Handling {
        TerminalResult process(TransactionRequest request, RequestControls controls) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        scene("stores a request before it accepts it, and accepts before it starts", test -> {
            test.request(1, 60_000);
            return test.done.toString().equals("[save, accepted, handler]");
        });
        scene("refuses the store of another terminal or gateway before it connects", test ->
                refusesStoreOf("terminalId", "T-2") && refusesStoreOf("gateway", "https://other.example.com"));
        scene("refuses a request as busy when the disk is full, and starts nothing", test -> {
            test.isDiskFull = true;
            test.request(1, 60_000);
            return test.done.toString().equals("[refused]") && test.lastSent("reason").equals("busy");
        });
        scene("starts nothing when storing took until respondBy", test -> {
            test.duringSave = () -> test.sleep(60_000);
            test.request(1, 60_000);
            return !test.done.contains("handler") && test.lastSent("responseCode").equals("CUSTOMER_TIMEOUT");
        });
        scene("does not let a handler reach the host after a cancel that came while the note was stored", test -> {
            test.request(1, 60_000);
            test.duringSave = () -> test.receive("type", "cancel", "requestId", number(1), "attempt", 1L);
            String reason = test.reachHost();
            test.pass(1_000);
            return reason.equals("CANCELLED") && test.lastSent("statusCode").equals("11");
        });
        scene("does not let a handler reach the host when storing the note took until respondBy", test -> {
            test.request(1, 60_000);
            test.duringSave = () -> test.sleep(60_000);
            return test.reachHost().equals("RESPOND_BY");
        });
        scene("does not let a handler reach the host when the note cannot be stored", test -> {
            test.request(1, 60_000);
            test.isDiskFull = true;
            return test.reachHost().equals("FAILED");
        });
        scene("sends 22 at respondBy when the host has not answered, then what it answers", test -> {
            test.request(1, 60_000);
            boolean isReached = test.reachHost().equals("none");
            test.pass(60_000);
            boolean isPending = test.lastSent("statusCode").equals("22");
            test.hosts.remove(0).run();
            test.play();
            return isReached && isPending && test.lastSent("statusCode").equals("00");
        });
        scene("keeps a result in its hands until the disk takes it, and sends it then", test -> {
            test.request(1, 60_000);
            test.reachHost();
            test.isDiskFull = true;
            test.hosts.remove(0).run();
            test.play();
            boolean isKept = !test.done.contains("result");
            test.isDiskFull = false;
            test.pass(10_000);
            return isKept && test.lastSent("statusCode").equals("00");
        });
        scene("ends a request without a note as 11 after a restart, and sends that after ready", test -> {
            test.request(1, 60_000);
            test.restart();
            return test.lastSent("responseCode").equals("RESTARTED") && test.openOfHello().equals("[" + number(1) + "]");
        });
        scene("asks the host about a request with a note after a restart, and starts nothing", test -> {
            test.request(1, 60_000);
            test.reachHost();
            test.done.clear();
            test.restart();
            return test.done.contains("recover") && !test.done.contains("handler");
        });
        scene("refuses a forgotten number, and one below the highest", test -> {
            test.request(5, 60_000);
            test.hosts.remove(0).run();
            test.play();
            test.frame("type", "ack", "requestId", number(5), "statusCode", "00");
            test.request(5, 60_000);
            String first = test.lastSent("reason");
            test.request(4, 60_000);
            return first.equals("expired") && test.lastSent("reason").equals("expired");
        });
        scene("reads nothing from a connection that has ended", test -> {
            int before = test.connection;
            test.machine.ended(before, 1006, "");
            test.done.clear();
            test.machine.received(before, test.requestFrame(1, 60_000));
            test.play();
            return test.done.isEmpty();
        });
        scene("waits a minute after close code 4001, and tells it", test -> {
            int before = test.connection;
            test.machine.ended(test.connection, 4001, "");
            test.pass(59_000);
            boolean isWaiting = test.connection == before;
            test.pass(2_000);
            return isWaiting && test.connection != before && test.events.stream().anyMatch(one -> one.startsWith("REPLACED"));
        });
        scene("gives up a connection after two unanswered pings", test -> {
            test.pass(30_000);
            test.pass(30_000);
            boolean isOpen = !test.done.contains("close 3000");
            test.pass(30_000);
            return isOpen && test.done.contains("close 3000");
        });
        scene("takes the gateway's time anew within an hour, on the same connection", test -> {
            int before = test.connection;
            test.done.clear();
            for (int beats = 0; beats < 120; beats++) {
                test.pass(30_000);
                test.machine.received(test.connection, "pong");
            }
            return test.connection == before && test.done.contains("/terminal/login");
        });
        scene("connects again when the machine's clock was set", test -> {
            test.wall += 10_000;
            test.pass(30_000);
            return test.done.contains("close 3002");
        });
        scene("sends no whole card number and tells none, also when a handler throws one", test -> {
            test.handling = (request, given) -> new TerminalResult("11", "05", null, Json.object("cardNo", "4111111111111111"));
            test.request(1, 60_000);
            test.hosts.remove(0).run();
            test.play();
            test.handling = (request, given) -> {
                throw new IllegalStateException("4111111111111111");
            };
            test.request(2, 60_000);
            test.hosts.remove(0).run();
            test.play();
            String all = test.sent + " " + test.events;
            return all.contains("xxxxxxxxxxxx1111") && !all.contains("4111111111111111") && test.saved.indexOf("41111111") < 0;
        });
        scene("reports the outcome alone when the details cannot be sent", test -> {
            test.handling = (request, given) -> TerminalResult.approved("00", Json.object("tid", 1.5));
            test.request(1, 60_000);
            test.hosts.remove(0).run();
            test.play();
            return test.lastSent("statusCode").equals("00") && test.lastSent("transData").equals("null");
        });
    }

    interface Scene {
        boolean holds(MachineTest test) throws Exception;
    }

    private static boolean refusesStoreOf(String member, String other) throws IOException {
        MachineTest test = new MachineTest();
        test.restart();
        Map<String, Object> memory = Json.read(test.saved);
        memory.put(member, other);
        test.saved = Json.write(memory);
        test.done.clear();
        try {
            test.restart();
            return false;
        } catch (IOException problem) {
            return test.done.isEmpty() && problem.getMessage().contains(other);
        }
    }

    private static void scene(String name, Scene scene) throws Exception {
        MachineTest test = new MachineTest();
        test.restart();
        test.done.clear();
        boolean holds = scene.holds(test);
        System.out.println((holds ? "ok " : "FAILED ") + name);
        if (!holds) System.out.println(test.done + "\n" + test.sent + "\n" + test.events);
    }

    private static TerminalResult approved() {
        return TerminalResult.approved("00", Json.object("paymentChannel", "VISA", "invNo", "1", "tid", "1", "mid", "1"));
    }

    private static String number(int last) {
        return String.valueOf(1_000_000_000L + last);
    }

    /** Another machine on the same store, connected and bound. */
    private void restart() throws IOException {
        steps.clear();
        hosts.clear();
        machine = new TerminalMachine(options(), new Played());
        machine.start();
        play();
        frame("type", "welcome", "nonce", "n", "serverTime", START + monotonic, "heartbeatSeconds", 30L,
                "posId", "POS-1", "merchantId", "M-1", "currency", "MYR", "timezone", "UTC");
        frame("type", "ready");
    }

    private TerminalOptions options() {
        TerminalOptions options = new TerminalOptions();
        options.gatewayUrl = "http://localhost";
        options.terminalId = "T-1";
        options.secret = SECRET;
        options.softwareVersion = "1";
        options.terminalSn = "1";
        options.random = () -> 0.5;
        options.onEvent = event -> events.add(event.toString());
        options.clocks = new Clocks() {
            @Override
            public long monotonic() {
                return monotonic;
            }

            @Override
            public long wall() {
                return wall;
            }
        };
        options.store = new TerminalStore() {
            @Override
            public String load() {
                return saved;
            }

            @Override
            public void save(String memory) throws IOException {
                if (isDiskFull) throw new IOException("the disk is full");
                Runnable during = duringSave;
                duringSave = () -> { };
                during.run();
                saved = memory;
                done.add("save");
            }

            @Override
            public void close() {}
        };
        options.network = new Network() {
            @Override
            public Answer post(String url, String token, String json) {
                done.add(url.replace("http://localhost", ""));
                return new Answer(200, Json.write(Json.object("token", "t", "serverTime", START + monotonic,
                        "expiresAt", "2026-11-20T03:00:00.000Z")), null);
            }

            @Override
            public void open(String url, String token, Listener listener) {}
        };
        options.handler = new TerminalHandler() {
            @Override
            public TerminalResult onRequest(TransactionRequest request, RequestControls given) throws Exception {
                done.add("handler");
                controls = given;
                return handling.process(request, given);
            }

            @Override
            public TerminalResult onRecover(TransactionRequest request, Reason reason) {
                done.add("recover");
                return approved();
            }
        };
        return options;
    }

    /** Calls everything at once. What a handler returns waits in {@link #hosts}. */
    private final class Played implements Surroundings {
        @Override
        public void open(int number, String token) {
            connection = number;
        }

        @Override
        public void send(String text) {
            if (text.equals("ping")) return;
            Map<String, Object> frame = Json.read(text);
            sent.add(frame);
            done.add(Json.text(frame, "type"));
        }

        @Override
        public void close(int code, String reason) {
            done.add("close " + code);
        }

        @Override
        public <T> void background(Callable<T> work, BiConsumer<T, Exception> then) {
            boolean isLogin = work.getClass().getName().contains("Session");
            try {
                T result = work.call();
                (isLogin ? steps : hosts).add(() -> then.accept(result, null));
            } catch (Exception problem) {
                hosts.add(() -> then.accept(null, problem));
            }
        }

        @Override
        public void enqueue(Runnable step) {
            steps.add(step);
        }
    }

    private void play() {
        while (!steps.isEmpty()) steps.poll().run();
    }

    private void sleep(long milliseconds) {
        monotonic += milliseconds;
        wall += milliseconds;
    }

    /** Time passes, and the machine does what is due. */
    private void pass(long milliseconds) {
        sleep(milliseconds);
        machine.tick();
        play();
    }

    private void receive(Object... members) {
        String frame = Json.write(Json.object(members));
        steps.add(() -> machine.received(connection, frame));
    }

    private void frame(Object... members) {
        receive(members);
        play();
    }

    /** Why the handler may not reach the host; {@code none} if it may. */
    private String reachHost() throws Exception {
        FutureTask<String> handler = new FutureTask<>(() -> {
            try {
                controls.reachHost();
                return "none";
            } catch (StoppedException stopped) {
                return stopped.reason.toString();
            }
        });
        new Thread(handler).start();
        while (!handler.isDone()) play();
        return handler.get();
    }

    private String requestFrame(int last, long within) {
        long now = START + monotonic;
        return Json.write(Signature.sign(Json.object("type", "request", "requestId", number(last), "attempt", 1L,
                "transType", "sale", "posId", "POS-1", "merchantId", "M-1", "referenceId", "R", "currency", "MYR",
                "transId", number(last), "transData", Json.object("transAmt", "1.00"), "deliverBy", now + within, "respondBy", now + within), SECRET));
    }

    private void request(int last, long within) {
        String frame = requestFrame(last, within);
        steps.add(() -> machine.received(connection, frame));
        play();
    }

    private String lastSent(String name) {
        return String.valueOf(sent.get(sent.size() - 1).get(name));
    }

    private String openOfHello() {
        Map<String, Object> hello = new TreeMap<>();
        for (Map<String, Object> frame : sent) if ("hello".equals(frame.get("type"))) hello = frame;
        return String.valueOf(hello.get("open"));
    }
}
