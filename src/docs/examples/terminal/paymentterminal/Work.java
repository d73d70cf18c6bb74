package paymentterminal;

import java.io.IOException;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import paymentterminal.RequestControls.Gate;
import paymentterminal.TerminalEvent.Kind;
import paymentterminal.TerminalHandler.Reason;
import paymentterminal.TerminalMemory.Held;

/** The requests of a {@link TerminalMachine}. */
final class Work {
    /** How long a handler that was stopped before the host may take to return its own result. Times in milliseconds. */
    private static final long STOP_GRACE = 1_000;
    /** How long the terminal may ask its host before it answers 22. */
    private static final long ASK_GRACE = 2_000;
    private static final long SIGNATURE_RETRY_WAIT = 5_000;
    private static final int SIGNATURE_RETRIES = 5;

    private static final TerminalResult IN_PROGRESS =
            TerminalResult.pending("IN_PROGRESS", "The terminal is still processing it.");
    private static final TerminalResult UNDECIDED =
            TerminalResult.pending("HOST_PENDING", "The host has not answered yet. Ask again with the same referenceId.");

    private final TerminalOptions options;
    private final Surroundings surroundings;
    private final Timers timers;
    private final TerminalMachine machine;
    private final Map<String, List<Runnable>> recovering = new HashMap<>();
    private final Map<String, Integer> signedAgain = new HashMap<>();
    private TerminalMemory memory;
    /** The request in progress. One whose handler has returned a 22 is only pending at the host, and does not count. */
    private RequestControls run;
    private Runnable whenIdle;

    Work(TerminalOptions options, Surroundings surroundings, Timers timers, TerminalMachine machine) throws IOException {
        this.options = options;
        this.surroundings = surroundings;
        this.timers = timers;
        this.machine = machine;
        String saved = options.store.load();
        if (saved == null) save(TerminalMemory.create(options.terminalId, options.gatewayUrl));
        else memory = TerminalMemory.read(saved);
        memory.checkOwner(options.terminalId, options.gatewayUrl);
        save(memory.restart());
    }

    TerminalMemory memory() {
        return memory;
    }

    void recoverAll() {
        for (Held held : memory.held) {
            if (!held.isFinal()) recover(held.request, Reason.RESTART, () -> { });
        }
    }

    void enqueue(Runnable step) {
        surroundings.enqueue(step);
    }

    void stop(Runnable then) {
        whenIdle = then;
        if (run == null) then.run();
        else end(run, StoppedException.Reason.STOPPED);
    }

    void handle(Map<String, Object> frame) {
        String requestId = Json.text(frame, "requestId");
        switch (Json.text(frame, "type")) {
            case "request":
                request(requestId, frame);
                return;
            case "ask":
            case "cancel":
                answer(requestId, frame, Json.text(frame, "type").equals("cancel"));
                return;
            case "ack":
                String statusCode = Json.text(frame, "statusCode");
                signedAgain.remove(requestId);
                machine.emit(Kind.ACKNOWLEDGED, requestId, statusCode, null);
                change(held -> held.acknowledge(requestId, statusCode), 0, before -> { });
                return;
            default:
                String code = Json.text(frame, "code");
                machine.emit(Kind.GATEWAY_ERROR, requestId, code + ": " + Json.text(frame, "message"), null);
                if (requestId != null && code.equals("bad_signature")) sendAgain(requestId);
                if (requestId != null && code.equals("unknown_request")) change(held -> held.forget(requestId), 0, before -> { });
        }
    }

    /** Stores, then accepts, then starts. A lost connection in between does no harm: the next hello lists the request. */
    private void request(String requestId, Map<String, Object> frame) {
        if (!Signature.isSigned(frame, options.secret)) {
            machine.emit(Kind.FORGED_REQUEST, requestId, "", null);
            return;
        }
        Map<String, Object> accepted = Json.object("type", "accepted", "requestId", requestId, "attempt", frame.get("attempt"));
        Held held = memory.find(requestId);
        if (held != null) { // nothing starts twice
            if (held.result == null) machine.send(accepted);
            else sendResult(requestId, held.result);
            return;
        }
        TransactionRequest request = new TransactionRequest(frame);
        String refusal = refusalOf(request);
        if (refusal == null) {
            try {
                save(memory.accept(request));
            } catch (IOException | RuntimeException problem) {
                machine.emit(Kind.MEMORY_FAILED, requestId, "", problem);
                refusal = "busy";
            }
        }
        if (refusal != null) {
            refuse(requestId, frame, refusal);
            machine.emit(Kind.REFUSED, requestId, refusal, null);
            // This terminal's clock may be the one that is wrong. The next request must not expire, too.
            if (refusal.equals("expired")) machine.renewClock();
            return;
        }
        machine.send(accepted);
        machine.emit(Kind.ACCEPTED, requestId, "", null);
        begin(new RequestControls(request, this));
    }

    private String refusalOf(TransactionRequest request) {
        long now = machine.now();
        if (memory.isTooLow(request.requestId)) return "expired";
        if (!machine.binding().isOf(request)) return "unbound";
        if (now > request.deliverBy || now >= request.respondBy) return "expired";
        if (run != null || whenIdle != null) return "busy";
        try {
            return options.handler.refuse(request);
        } catch (RuntimeException problem) {
            machine.emit(Kind.HANDLER_FAILED, request.requestId, "refuse", problem);
            return "busy";
        }
    }

    private void refuse(String requestId, Map<String, Object> frame, String reason) {
        machine.send(Json.object("type", "refused", "requestId", requestId, "attempt", frame.get("attempt"), "reason", reason));
    }

    private void begin(RequestControls started) {
        run = started;
        TransactionRequest request = started.request;
        long left = request.respondBy - machine.now();
        if (left <= 0) { // storing took time
            returned(started, StoppedException.Reason.RESPOND_BY.result, null);
            return;
        }
        timers.after(left, this::endAtRespondBy);
        surroundings.background(() -> options.handler.onRequest(request, started),
                (result, problem) -> returned(started, result, problem));
    }

    void endAtRespondBy() {
        if (run == null || run.isReturned || run.isTimeUp || machine.now() < run.request.respondBy) return;
        run.isTimeUp = true;
        end(run, StoppedException.Reason.RESPOND_BY);
        if (run.gate == Gate.PASSED) conclude(run.request.requestId, UNDECIDED, () -> { });
    }

    /** A request that has not reached the host never will, and ends as 11. Otherwise its handler decides. */
    private void end(RequestControls ending, StoppedException.Reason reason) {
        if (ending.isReturned) return;
        if (ending.gate == Gate.OPEN || ending.gate == Gate.NOTED) {
            ending.gate = Gate.SHUT;
            ending.reason = reason;
            timers.after(STOP_GRACE, () -> {
                if (!ending.isReturned) conclude(ending.request.requestId, reason.result, () -> { });
            });
        }
        ending.signalStop();
    }

    void progress(RequestControls of, String stage) {
        Held held = memory.find(of.request.requestId);
        if (of.isReturned || held == null || held.isFinal()) return;
        machine.send(Json.object("type", "progress", "requestId", of.request.requestId, "stage", stage));
    }

    void reachHost(RequestControls of, CompletableFuture<StoppedException.Reason> answer) {
        if (machine.now() >= of.request.respondBy) end(of, StoppedException.Reason.RESPOND_BY);
        if (of.gate == Gate.OPEN) {
            try {
                save(memory.reachHost(of.request.requestId));
                of.gate = Gate.NOTED;
            } catch (IOException | RuntimeException problem) {
                // Without the note, a power cut would hide that the host must be asked.
                machine.emit(Kind.MEMORY_FAILED, of.request.requestId, "", problem);
                of.gate = Gate.SHUT;
                of.reason = StoppedException.Reason.FAILED;
            }
        }
        // A disk can take seconds: a cancel that came meanwhile goes first, and the time is looked at again.
        enqueue(() -> {
            if (of.gate == Gate.NOTED && machine.now() >= of.request.respondBy) end(of, StoppedException.Reason.RESPOND_BY);
            if (of.gate == Gate.NOTED) of.gate = Gate.PASSED;
            answer.complete(of.gate == Gate.PASSED ? null : of.reason);
        });
    }

    private void returned(RequestControls of, TerminalResult result, Exception problem) {
        String requestId = of.request.requestId;
        TerminalResult outcome = result == null ? null : checked(requestId, result);
        if (of.gate == Gate.SHUT && (outcome == null || !outcome.isFinal())) {
            outcome = of.reason.result; // what did not reach the host cannot be pending there
        } else if (outcome == null) {
            machine.emit(Kind.HANDLER_FAILED, requestId, "onRequest", problem);
            outcome = of.gate == Gate.PASSED ? UNDECIDED : StoppedException.Reason.FAILED.result;
        }
        of.isReturned = true;
        if (of.gate != Gate.PASSED) {
            of.gate = Gate.SHUT; // for a thread that the handler has left behind
            of.reason = StoppedException.Reason.FAILED;
        }
        conclude(requestId, outcome, () -> {
            run = null;
            if (whenIdle != null) whenIdle.run();
        });
    }

    private TerminalResult checked(String requestId, TerminalResult result) {
        try {
            return result.checked();
        } catch (RuntimeException problem) {
            machine.emit(Kind.HANDLER_FAILED, requestId, "the details of its result cannot be sent", problem);
            return result.withoutDetails();
        }
    }

    /** Stores a result, then sends it. A 00 or 11 that is stored does not change. */
    void conclude(String requestId, TerminalResult result, Runnable then) {
        TerminalResult made = checked(requestId, result);
        change(held -> held.conclude(requestId, made), 0, before -> {
            Held known = before.find(requestId);
            if (memory != before) {
                machine.emit(Kind.CONCLUDED, requestId, made.toString(), null);
                sendResult(requestId, made);
            } else if (known != null && known.isFinal() && made.isFinal() && !known.result.statusCode.equals(made.statusCode)) {
                machine.emit(Kind.CONFLICTING_RESULT, requestId, made.toString(), null);
            }
            then.run();
        });
    }

    private void answer(String requestId, Map<String, Object> frame, boolean isCancel) {
        Held held = memory.find(requestId);
        boolean isRunning = run != null && run.request.requestId.equals(requestId);
        if (held == null) refuse(requestId, frame, "unknown");
        else if (held.isFinal()) sendResult(requestId, held.result);
        else if (!isRunning) answerFromHost(held, isCancel ? held.request.respondBy - machine.now() : 0);
        else if (isCancel && held.result == null) end(run, StoppedException.Reason.CANCELLED);
        else sendResult(requestId, held.result == null ? IN_PROGRESS : held.result);
    }

    /** With what the host says within this time, but at least two seconds; or else with what is known. */
    private void answerFromHost(Held before, long within) {
        String requestId = before.request.requestId;
        boolean[] isAnswered = {false};
        Runnable answer = () -> {
            Held now = memory.find(requestId);
            boolean isNew = now != null && now.result != null
                    && (before.result == null || !before.result.statusCode.equals(now.result.statusCode));
            // A new outcome was sent when it was stored.
            if (now != null && !isNew && !isAnswered[0]) sendResult(requestId, now.result == null ? UNDECIDED : now.result);
            isAnswered[0] = true;
        };
        timers.after(Math.max(within, ASK_GRACE), answer);
        recover(before.request, Reason.ASKED, answer);
    }

    private void recover(TransactionRequest request, Reason reason, Runnable then) {
        List<Runnable> waiting = recovering.get(request.requestId);
        if (waiting != null) {
            waiting.add(then);
            return;
        }
        recovering.put(request.requestId, new ArrayList<>(Collections.singletonList(then)));
        tryToRecover(request, reason, 0);
    }

    /** Without an answer of the host it tries again after a restart; otherwise the gateway asks again. */
    private void tryToRecover(TransactionRequest request, Reason reason, int tries) {
        surroundings.background(() -> options.handler.onRecover(request, reason), (result, problem) -> {
            Runnable finish = () -> recovering.remove(request.requestId).forEach(Runnable::run);
            if (result != null) {
                conclude(request.requestId, result, finish);
                return;
            }
            machine.emit(Kind.HANDLER_FAILED, request.requestId, "onRecover", problem);
            if (reason == Reason.ASKED) finish.run();
            else timers.after(Timers.jitter(options.random.getAsDouble(), tries, 5_000, 60_000),
                    () -> tryToRecover(request, reason, tries + 1));
        });
    }

    /** After {@code ready}: every result that is not acknowledged, signed now. */
    void sendUnacknowledged() {
        signedAgain.clear();
        for (Held held : memory.held) {
            if (held.result != null && !held.acknowledged) sendResult(held.request.requestId, held.result);
        }
    }

    private void sendAgain(String requestId) {
        if (signedAgain.merge(requestId, 1, Integer::sum) > SIGNATURE_RETRIES) return;
        timers.after(SIGNATURE_RETRY_WAIT, () -> {
            Held held = memory.find(requestId);
            if (held != null && held.result != null && !held.acknowledged) sendResult(requestId, held.result);
        });
    }

    private void sendResult(String requestId, TerminalResult result) {
        Map<String, Object> frame = result.toJson();
        frame.putAll(Json.object("type", "result", "requestId", requestId,
                "softwareVersion", options.softwareVersion, "terminalSn", options.terminalSn));
        machine.send(Signature.sign(frame, options.secret));
    }

    /** Throws, and nothing has changed, if the store fails. */
    private void save(TerminalMemory next) throws IOException {
        if (next != memory) options.store.save(next.write());
        memory = next;
    }

    /** For a step that must not be lost: a store that fails is tried again, until it works or the terminal is stopped. */
    private void change(UnaryOperator<TerminalMemory> step, int tries, Consumer<TerminalMemory> then) {
        TerminalMemory before = memory;
        try {
            save(step.apply(before));
        } catch (IOException | RuntimeException problem) {
            machine.emit(Kind.MEMORY_FAILED, null, "", problem);
            if (whenIdle == null) {
                long wait = Timers.jitter(options.random.getAsDouble(), tries, 1_000, 10_000);
                timers.after(wait, () -> change(step, tries + 1, then));
                return;
            }
        }
        then.accept(before);
    }
}
