package paymentterminal;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** Set the first eight fields. */
public final class TerminalOptions {
    /** https; or http on this machine, which is 10.0.2.2 for Android's emulator. */
    public String gatewayUrl;
    public String terminalId;
    /** Shown once at enrolment. It signs, and is never sent. */
    public String secret;
    /** At most 40 characters, as {@link #terminalSn}. */
    public String softwareVersion;
    /** The serial number. */
    public String terminalSn;
    public TerminalStore store;
    public TerminalHandler handler;
    public Network network;
    public Clocks clocks = Clocks.SYSTEM;
    /** Called in the client's thread: must be quick. */
    public Consumer<TerminalEvent> onEvent = event -> { };
    /** From 0 to 1. */
    public DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    /** Milliseconds: the most before the first reconnection, and before one after many. */
    public long reconnectFirst = 10_000;
    public long reconnectLongest = 60_000;

    /** @throws IllegalArgumentException that names the field and the fix */
    void check() {
        Object[] needed = {gatewayUrl, terminalId, secret, softwareVersion, terminalSn, store, handler, network};
        String[] names = {
            "gatewayUrl", "terminalId", "secret", "softwareVersion", "terminalSn", "store", "handler", "network"
        };
        for (int at = 0; at < needed.length; at++) {
            boolean isMissing = needed[at] == null || needed[at].equals("");
            if (isMissing) throw new IllegalArgumentException(names[at] + " is missing. Set it.");
        }
        if (softwareVersion.length() > 40 || terminalSn.length() > 40) {
            throw new IllegalArgumentException("softwareVersion and terminalSn have at most 40 characters. Shorten them.");
        }
        if (!gatewayUrl.matches("https://.+|http://(localhost|10\\.0\\.2\\.2|127\\.[0-9.]+|\\[::1\\])([:/].*)?")) {
            throw new IllegalArgumentException("gatewayUrl must begin with https://, or name this machine.");
        }
        gatewayUrl = gatewayUrl.replaceAll("/+$", "");
    }
}
