package paymentterminal;

import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

/**
 * The threads and the connection around a {@link TerminalMachine}. {@link TerminalClient} has them; a test of the machine has
 * lists of what it was asked for.
 */
public interface Surroundings {
    /** Opens a connection, then calls the machine's {@code received} and {@code ended} with its number. */
    void open(int connection, String token);

    /** On the last opened connection. */
    void send(String text);

    void close(int code, String reason);

    /** Calls {@code work} in another thread, and then {@code then} in the machine's. */
    <T> void background(Callable<T> work, BiConsumer<T, Exception> then);

    /** Calls a step in the machine's thread, after every text that was received before this call. */
    void enqueue(Runnable step);
}
