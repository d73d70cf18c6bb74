package paymentterminal;

import java.io.IOException;
import java.util.concurrent.*;
import java.util.function.BiConsumer;

/**
 * A payment terminal at the gateway. You write a {@link TerminalHandler}; the client keeps the duties of the protocol: login,
 * connection, heartbeat, a durable memory, and a money-safe answer to everything that the gateway sends.
 *
 * <pre>
 * TerminalOptions options = new TerminalOptions();
 * options.gatewayUrl = "https://gateway.example.com";
 * …
 * TerminalClient client = new TerminalClient(options);
 * client.start();
 * client.bind("7K3M-9QXT");
 * </pre>
 */
public final class TerminalClient {
    /** A machine that slept notices the time within this, in milliseconds. */
    private static final long LONGEST_WAIT = 1_000;

    private final TerminalOptions options;
    private final LinkedBlockingQueue<Runnable> steps = new LinkedBlockingQueue<>();
    private final ExecutorService workers = Executors.newCachedThreadPool(TerminalClient::daemon);
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private TerminalMachine machine;
    private volatile boolean isRunning;

    /** @throws IllegalArgumentException that names the option and the fix */
    public TerminalClient(TerminalOptions options) {
        options.check();
        this.options = options;
    }

    /**
     * Opens the memory, ends what a restart interrupted, and stays connected from now on. Call it once.
     *
     * @throws IOException if the memory cannot be used. Do not go on with another one: the terminal could charge twice
     */
    public synchronized void start() throws IOException {
        if (machine != null) throw new IllegalStateException("The terminal is already started.");
        try {
            machine = new TerminalMachine(options, new Threads());
        } catch (IOException | RuntimeException problem) {
            options.store.close();
            throw problem;
        }
        isRunning = true;
        enqueue(machine::start);
        new Thread(this::run, "terminal").start();
    }

    /**
     * With the key that the account's POS shows: eight characters in any case, with or without dashes.
     *
     * @return the posId, or a {@link SessionException}. Do not wait for it within {@code onEvent}
     */
    public CompletableFuture<String> bind(String key) {
        CompletableFuture<String> bound = new CompletableFuture<>();
        enqueue(() -> machine.bind(key, (posId, problem) -> {
            if (problem == null) bound.complete(posId);
            else bound.completeExceptionally(problem);
        }));
        return bound;
    }

    /** The account as of the last {@code welcome} or {@code binding}. For {@code onEvent} and the handler. */
    public Binding binding() {
        return machine.binding();
    }

    /** Reports the outcome of a request that ended as 22. */
    public void report(String requestId, TerminalResult result) {
        enqueue(() -> machine.report(requestId, result));
    }

    /**
     * Ends the connection and every request that has not reached the host, and waits for the handlers of the others. When the
     * future completes, another client may use the store.
     */
    public CompletableFuture<Void> stop() {
        enqueue(() -> machine.stop(() -> isRunning = false));
        return stopped;
    }

    private void enqueue(Runnable step) {
        steps.add(step);
    }

    /** The machine's thread: one frame, one result or one timer at a time. */
    private void run() {
        while (isRunning) {
            try {
                Runnable step = steps.poll(Math.min(machine.untilTick(), LONGEST_WAIT), TimeUnit.MILLISECONDS);
                if (step != null) step.run();
                machine.tick();
            } catch (InterruptedException ignored) {
                // Only stop() ends this thread.
            } catch (RuntimeException | Error problem) {
                // A fault of this program, or out of memory. The memory on disk is right, and the next hello lists what is open.
                System.err.println("terminal: " + problem.getClass().getName());
            }
        }
        try {
            options.store.close();
            stopped.complete(null);
        } catch (IOException problem) {
            stopped.completeExceptionally(problem);
        }
    }

    /** Does not keep the process alive. */
    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "terminal-work");
        thread.setDaemon(true);
        return thread;
    }

    private final class Threads implements Surroundings {
        /** Only the machine's thread uses it. */
        private Network.Connection connection;

        @Override
        public void open(int number, String token) {
            connection = null;
            String url = options.gatewayUrl.replaceFirst("^http", "ws") + "/terminal/connect";
            options.network.open(url, token, new Listening(number));
        }

        @Override
        public void send(String text) {
            if (connection != null) connection.send(text);
        }

        @Override
        public void close(int code, String reason) {
            if (connection != null) connection.close(code, reason);
            connection = null;
        }

        @Override
        public <T> void background(Callable<T> work, BiConsumer<T, Exception> then) {
            workers.execute(() -> {
                try {
                    T result = work.call();
                    enqueue(() -> then.accept(result, null));
                } catch (Throwable problem) {
                    Exception failure = problem instanceof Exception ? (Exception) problem : new ExecutionException(problem);
                    enqueue(() -> then.accept(null, failure));
                }
            });
        }

        @Override
        public void enqueue(Runnable step) {
            TerminalClient.this.enqueue(step);
        }

        private final class Listening implements Network.Listener {
            private final int number;
            private volatile Network.Connection own;

            Listening(int number) {
                this.number = number;
            }

            @Override
            public void opened(Network.Connection opened) {
                own = opened;
                enqueue(() -> {
                    if (machine.isCurrent(number)) connection = opened;
                    else opened.close(1000, "");
                });
            }

            @Override
            public void received(String text) {
                if (text.equals("ping")) own.send("pong"); // at once, also while the disk is slow
                enqueue(() -> machine.received(number, text));
            }

            @Override
            public void ended(int code, String reason) {
                enqueue(() -> machine.ended(number, code, reason));
            }
        }
    }
}
