package paymentterminal;

import java.io.IOException;
import java.util.*;
import java.util.function.UnaryOperator;

/**
 * Everything that must survive a power cut. It never changes: each step returns another memory, which is stored before it
 * takes effect. The gateway's "no money moved and none will" depends on these rules.
 */
public final class TerminalMemory {
    /** The most that the gateway takes in a hello. */
    private static final int MOST_OPEN = 1_000;

    private static final TerminalResult NEVER_STARTED = TerminalResult.declined("RESTARTED",
            "The terminal was restarted before the payment started. Nothing was charged.");

    /** An accepted request, until the ack of its 00 or 11. */
    public static final class Held {
        public final TransactionRequest request;
        /** It may have reached card or host: stored before that, and never taken back. */
        public final boolean atHost;
        /** Null before one. A 22 may be replaced, a 00 or 11 never. */
        public final TerminalResult result;
        /** Only of a 22: after the ack of a 00 or 11 the request is forgotten. */
        public final boolean acknowledged;

        Held(TransactionRequest request, boolean atHost, TerminalResult result, boolean acknowledged) {
            this.request = request;
            this.atHost = atHost;
            this.result = result;
            this.acknowledged = acknowledged;
        }

        boolean isFinal() {
            return result != null && result.isFinal();
        }
    }

    /** The only terminal and gateway that it may be used for: a requestId means another payment anywhere else. */
    public final String terminalId;
    public final String gateway;
    /** A random text, created with the store: from another one, the gateway sees that the memory was lost. */
    public final String id;
    /** Null before the first request. */
    public final String highestAccepted;
    /** In the order in which they were accepted. */
    public final List<Held> held;

    private TerminalMemory(String terminalId, String gateway, String id, String highestAccepted, List<Held> held) {
        this.terminalId = terminalId;
        this.gateway = gateway;
        this.id = id;
        this.highestAccepted = highestAccepted;
        this.held = Collections.unmodifiableList(held);
    }

    /** Of a new terminal. */
    static TerminalMemory create(String terminalId, String gateway) {
        return new TerminalMemory(terminalId, gateway, UUID.randomUUID().toString(), null, new ArrayList<>());
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws IllegalArgumentException for another text. Do not go on with an empty memory then
     */
    public static TerminalMemory read(String text) {
        Map<String, Object> members = Json.read(text);
        List<Held> held = new ArrayList<>();
        for (Object one : (List<?>) members.get("held")) {
            @SuppressWarnings("unchecked")
            Map<String, Object> of = (Map<String, Object>) one;
            held.add(new Held(new TransactionRequest(Json.objectIn(of, "request")), of.get("atHost").equals(true),
                    TerminalResult.fromJson(Json.objectIn(of, "result")), of.get("acknowledged").equals(true)));
        }
        return new TerminalMemory(Json.text(members, "terminalId"), Json.text(members, "gateway"),
                Json.text(members, "memory"), Json.text(members, "highestAccepted"), held);
    }

    private TerminalMemory with(String highestAccepted, List<Held> held) {
        return new TerminalMemory(terminalId, gateway, id, highestAccepted, held);
    }

    /** @throws IOException with what to do. Otherwise an empty {@code open} could make the gateway report a false 11 */
    void checkOwner(String wantedTerminal, String wantedGateway) throws IOException {
        if (wantedTerminal.equals(terminalId) && wantedGateway.equals(gateway)) return;
        throw new IOException("The store belongs to terminal " + terminalId + " at " + gateway + ", not to " + wantedTerminal
                + " at " + wantedGateway + ". Give this terminal a store of its own."
                + " If the same gateway has a new address, change gateway in the store.");
    }

    public String write() {
        List<Object> all = new ArrayList<>();
        for (Held one : held) {
            all.add(Json.object("request", one.request.toJson(), "atHost", one.atHost,
                    "result", one.result == null ? null : one.result.toJson(), "acknowledged", one.acknowledged));
        }
        return Json.write(Json.object("terminalId", terminalId, "gateway", gateway, "memory", id,
                "highestAccepted", highestAccepted, "held", all));
    }

    /** Null for a request that was never accepted, or is forgotten. */
    public Held find(String requestId) {
        return held.stream().filter(one -> one.request.requestId.equals(requestId)).findFirst().orElse(null);
    }

    /** An unknown number that is not higher was processed and forgotten, or overtaken: it is too late for it. */
    boolean isTooLow(String requestId) {
        if (highestAccepted == null) return false;
        int longer = requestId.length() - highestAccepted.length();
        return longer == 0 ? requestId.compareTo(highestAccepted) <= 0 : longer < 0;
    }

    TerminalMemory accept(TransactionRequest request) {
        List<Held> more = new ArrayList<>(held);
        more.add(new Held(request, false, null, false));
        return with(request.requestId, more);
    }

    /** From here on, money can move. */
    TerminalMemory reachHost(String requestId) {
        return replace(requestId, one -> new Held(one.request, true, one.result, one.acknowledged));
    }

    /** A 22 means that the host may know more: after a restart such a request does not count as untouched. */
    TerminalMemory conclude(String requestId, TerminalResult result) {
        return replace(requestId, one -> one.isFinal() || one.result != null && !result.isFinal() ? one
                : new Held(one.request, one.atHost || !result.isFinal(), result, false));
    }

    /** Only the ack of the stored 00 or 11 forgets. That of a 22 ends its repetition; that of another status is late. */
    TerminalMemory acknowledge(String requestId, String statusCode) {
        return replace(requestId, one -> one.result == null || !one.result.statusCode.equals(statusCode) ? one
                : one.isFinal() ? null : new Held(one.request, one.atHost, one.result, true));
    }

    /** The gateway never sent this request, and has stored its result. Without a 00 or 11 the outcome must still be sent. */
    TerminalMemory forget(String requestId) {
        return replace(requestId, one -> one.isFinal() ? null : one);
    }

    /** Ends the requests that had not gone to card or host. The host is asked about those that had. */
    TerminalMemory restart() {
        TerminalMemory next = this;
        for (Held one : held) {
            if (!one.isFinal() && !one.atHost) next = next.conclude(one.request.requestId, NEVER_STARTED);
        }
        return next;
    }

    /**
     * The {@code open} of hello. Of more than a thousand only the newest: a longer list would lock the terminal out, and the
     * gateway knows from earlier lists that the older ones were accepted.
     */
    List<Object> openRequests() {
        List<Object> open = new ArrayList<>();
        for (Held one : held.subList(Math.max(0, held.size() - MOST_OPEN), held.size())) open.add(one.request.requestId);
        return open;
    }

    /** @param change returns the same for no change, and null to forget */
    private TerminalMemory replace(String requestId, UnaryOperator<Held> change) {
        Held before = find(requestId);
        Held after = before == null ? null : change.apply(before);
        if (before == after) return this;
        List<Held> changed = new ArrayList<>(held);
        if (after == null) changed.remove(before);
        else changed.set(changed.indexOf(before), after);
        return with(highestAccepted, changed);
    }
}
