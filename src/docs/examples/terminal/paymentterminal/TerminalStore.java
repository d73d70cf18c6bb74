package paymentterminal;

import java.io.IOException;

/**
 * Keeps one text, the terminal's memory. It belongs to one terminal at one gateway, and to one process at a time: two with
 * one memory would process a request twice.
 */
public interface TerminalStore {
    /**
     * The last saved text, complete; null if none was ever saved. From now on nobody else can load it.
     *
     * @throws IOException if it cannot be read, or another process uses it. The terminal must not start then
     */
    String load() throws IOException;

    /**
     * Returns when the text would survive a power cut.
     *
     * @throws IOException if that is not sure; the store then has the earlier text or this one, never a part
     */
    void save(String memory) throws IOException;

    /** After this, another process may load the text. */
    void close() throws IOException;
}
