package paymentterminal;

import java.io.IOException;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The duties of a terminal as a state machine: it has no threads and no sockets, and all its methods are for one thread. What
 * it does outside goes through {@link Surroundings} and the options' store, network, handler and clocks.
 */
public final class TerminalMachine {
    private static final long HELLO_WITHIN = 10_000;
    private static final long REPLACED_WAIT = 60_000;
    private static final int REPLACED = 4001;
    /** The machine slept, or its clock was set. */
    private static final long CLOCKS_DISAGREE = 2_000;
    /** Clocks drift, and one that is ten seconds ahead refuses every request as expired. */
    private static final long CLOCK_RENEWED_EVERY = 3_600_000;
    private static final long CLOCK_RENEWAL_PAUSE = 60_000;

    private static final String BOUND = " posId? merchantId? currency? timezone?";

    /** The members of each frame: a text, {@code #} a number, {@code {} an object, {@code ?} a text or null or none. */
    private static final Map<String, Object> SHAPES = Json.object(
            "welcome", "nonce serverTime# heartbeatSeconds#" + BOUND,
            "ready", "type",
            "request", "requestId attempt# transType posId merchantId referenceId referenceLabel? currency transId transData{ "
                    + "deliverBy# respondBy#",
            "cancel", "requestId attempt#",
            "ask", "requestId attempt#",
            "ack", "requestId statusCode",
            "binding", "type" + BOUND,
            "error", "code message requestId?");

    private final TerminalOptions options;
    private final Surroundings surroundings;
    private final Session session;
    private final Timers timers;
    private final Work work;

    /** Another number for each attempt: what comes from an earlier connection is not read any more. */
    private int connection;
    private boolean isGreeted;
    private boolean isReady;
    private boolean isStopped;
    /** Tries in a row that led to no ready connection. */
    private int failed;
    private int unansweredPings;
    private GatewayClock clock;
    private long renewalDue;
    private long renewalAllowed = Long.MIN_VALUE;
    private Binding binding = new Binding(Json.object());

    /**
     * Loads the memory, and ends the requests that a restart interrupted before they reached the host.
     *
     * @throws IOException if the store cannot be read or written, is in use, or belongs to another terminal or gateway
     */
    public TerminalMachine(TerminalOptions options, Surroundings surroundings) throws IOException {
        this.options = options;
        this.surroundings = surroundings;
        session = new Session(options, surroundings);
        timers = new Timers(options.clocks);
        work = new Work(options, surroundings, timers, this);
    }

    /** Asks the host about unclear requests, and stays connected from now on. */
    public void start() {
        work.recoverAll();
        connect();
    }

    /** Calls {@code then} when nothing can move money any more and everything is stored. */
    public void stop(Runnable then) {
        isStopped = true;
        close(1000, "");
        work.stop(then);
    }

    /** Gives the posId. */
    public void bind(String key, BiConsumer<String, SessionException> then) {
        session.bind(key, true, then);
    }

    /** Reports the outcome of a request that ended as 22. */
    public void report(String requestId, TerminalResult result) {
        work.conclude(requestId, result, () -> { });
    }

    public Binding binding() {
        return binding;
    }

    /** Milliseconds until {@link #tick} should be called; call it at least every second, because machines sleep. */
    public long untilTick() {
        return timers.untilNext();
    }

    /** Does what is due. */
    public void tick() {
        timers.run();
        work.endAtRespondBy();
    }

    /** Whether the machine still reads this connection. */
    public boolean isCurrent(int number) {
        return number == connection;
    }

    public void received(int number, String text) {
        if (!isCurrent(number)) return;
        unansweredPings = 0;
        if (text.equals("ping") || text.equals("pong")) return; // the connection's own thread answers a ping at once
        Map<String, Object> frame = null;
        String wrong;
        try {
            frame = Json.read(text);
            wrong = wrongMember(frame);
        } catch (IllegalArgumentException problem) {
            wrong = problem.getMessage();
        }
        if (wrong == null) handle(number, frame);
        else emit(TerminalEvent.Kind.BAD_FRAME, null, wrong, null);
    }

    public void ended(int number, int code, String reason) {
        if (!isCurrent(number)) return;
        boolean isReplaced = code == REPLACED;
        if (isReplaced) emit(TerminalEvent.Kind.REPLACED, null, "another device uses this terminal's identity", null);
        disconnected(code + " " + reason, isReplaced ? REPLACED_WAIT : 0);
    }

    private void connect() {
        if (isStopped) return;
        int number = ++connection;
        isGreeted = false;
        unansweredPings = 0;
        session.token((token, problem) -> {
            if (!isCurrent(number)) return;
            if (problem != null) {
                loginFailed(problem);
                return;
            }
            timers.after(2 * HELLO_WITHIN, () -> {
                if (isCurrent(number) && !isReady) close(3001, "no welcome or ready in time");
            });
            surroundings.open(number, token);
        });
    }

    private void loginFailed(SessionException problem) {
        emit(TerminalEvent.Kind.LOGIN_FAILED, null, problem.kind + ": " + problem.getMessage(), null);
        // Terminals that were sent away together must not return together. A refusal only a person can fix.
        long atLeast = problem.kind == SessionException.Kind.UNREACHABLE ? 0
                : problem.kind != SessionException.Kind.RATE_LIMITED ? options.reconnectLongest
                : (long) (problem.retryAfter * (1 + options.random.getAsDouble() / 4));
        disconnected("login failed", atLeast);
    }

    private void close(int code, String reason) {
        surroundings.close(code, reason);
        ended(connection, code, reason);
    }

    /** From now on nothing of this connection is read. Every write is finished, because there is one thread. */
    private void disconnected(String why, long atLeast) {
        connection++;
        // A token that did not lead to a ready connection is not used again: the secret may have changed.
        if (!isReady) session.dropToken();
        failed = isReady ? 0 : failed + 1;
        isReady = false;
        if (isStopped) return;
        int tries = Math.max(0, failed - 1);
        long random = Timers.jitter(options.random.getAsDouble(), tries, options.reconnectFirst, options.reconnectLongest);
        long wait = Math.max(atLeast, random);
        emit(TerminalEvent.Kind.DISCONNECTED, null, why.trim() + "; connects again in " + wait + " ms", null);
        timers.after(wait, this::connect);
    }

    /** Null if all is well. */
    private static String wrongMember(Map<String, Object> frame) {
        String type = Json.text(frame, "type");
        if (type == null || !SHAPES.containsKey(type)) return "a frame of an unknown type";
        for (String member : ((String) SHAPES.get(type)).split(" ")) {
            String name = member.replaceAll("\\W$", "");
            Object value = frame.get(name);
            boolean isRight = member.endsWith("#") ? value instanceof Long
                    : member.endsWith("{") ? value instanceof Map
                    : value instanceof String || value == null && member.endsWith("?");
            if (!isRight) return type + ": " + name + " is missing or has another type";
        }
        return null;
    }

    private void handle(int number, Map<String, Object> frame) {
        switch (Json.text(frame, "type")) {
            case "welcome":
                if (isGreeted) return;
                isGreeted = true;
                setClock(Json.number(frame, "serverTime"));
                binding = new Binding(frame);
                beat(number, Json.number(frame, "heartbeatSeconds") * 1_000);
                Map<String, Object> hello = Json.object("type", "hello", "nonce", Json.text(frame, "nonce"),
                        "softwareVersion", options.softwareVersion, "terminalSn", options.terminalSn,
                        "memory", work.memory().id, "open", work.memory().openRequests());
                surroundings.send(Json.write(Signature.sign(hello, options.secret)));
                return;
            case "ready":
                isReady = true;
                emit(TerminalEvent.Kind.CONNECTED, null, "", null);
                work.sendUnacknowledged();
                return;
            case "binding":
                binding = new Binding(frame);
                emit(TerminalEvent.Kind.BINDING, null, String.valueOf(binding.posId), null);
                return;
            default:
                work.handle(frame);
        }
    }

    /** Sends {@code ping}, and gives up a connection after two without an answer. */
    private void beat(int number, long every) {
        timers.after(every, () -> {
            if (!isCurrent(number)) return;
            if (unansweredPings >= 2) {
                close(3000, "two unanswered pings");
            } else if (clock.disagreement() > CLOCKS_DISAGREE) {
                close(3002, "the clock was set"); // only a new serverTime has the right time
            } else {
                unansweredPings++;
                surroundings.send("ping");
                if (options.clocks.monotonic() >= renewalDue) renewClock();
                beat(number, every);
            }
        });
    }

    /** Right after {@code serverTime} was read. Terminals that connected together do not ask for the time together. */
    private void setClock(long serverTime) {
        clock = new GatewayClock(serverTime, options.clocks);
        renewalDue = options.clocks.monotonic() + (long) (CLOCK_RENEWED_EVERY * (0.75 + 0.2 * options.random.getAsDouble()));
    }

    /** Takes the gateway's time again, at most once a minute. The connection stays. A failure is tried again at a later ping. */
    void renewClock() {
        long asked = options.clocks.monotonic();
        if (asked < renewalAllowed) return;
        renewalAllowed = asked + CLOCK_RENEWAL_PAUSE;
        session.login((serverTime, problem) -> {
            // The answer may have been on its way for all of this time.
            if (problem == null && options.clocks.monotonic() - asked < HELLO_WITHIN) setClock(serverTime);
        });
    }

    /** Epoch milliseconds of the gateway's clock; before the first connection, of the machine's. */
    long now() {
        return clock == null ? options.clocks.wall() : clock.now();
    }

    /** What is lost with a connection is repeated after the next hello. */
    void send(Map<String, Object> frame) {
        if (isReady) surroundings.send(Json.write(frame));
    }

    void emit(TerminalEvent.Kind kind, String requestId, String text, Throwable problem) {
        try {
            options.onEvent.accept(new TerminalEvent(kind, requestId, text, problem));
        } catch (RuntimeException failed) { // it must not end a payment
            System.err.println("onEvent failed: " + failed.getClass().getName());
        }
    }
}
