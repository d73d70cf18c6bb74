package paymentterminal;

import java.util.Map;
import java.util.TreeMap;

/** The outcome of a request. */
public final class TerminalResult {
    /** In characters. With frame and signature it stays well within a frame's 64 KiB. */
    private static final int MOST_CHARACTERS = 16 * 1024;
    private static final int MOST_CODE_CHARACTERS = 32;

    /** 00: money moved. 11: none moved and none will, or its reversal is durably queued. 22: it may still become 00. */
    public final String statusCode;
    /** The code of the host, or the terminal's own. */
    public final String responseCode;
    /** For the POS's display; null for none. */
    public final String responseText;
    /** A 00 needs {@code paymentChannel}, {@code invNo}, {@code tid}, {@code mid}, and for a cashOut {@code cashAmt}. */
    public final Map<String, Object> transData;

    /**
     * @param transData null for none. Of {@code cardNo}, all but the last four characters become {@code x}
     * @throws IllegalArgumentException for a statusCode other than 00, 11 and 22
     */
    public TerminalResult(String statusCode, String responseCode, String responseText, Map<String, ?> transData) {
        if (!"00".equals(statusCode) && !"11".equals(statusCode) && !"22".equals(statusCode)) {
            throw new IllegalArgumentException("a result needs statusCode 00, 11 or 22");
        }
        this.statusCode = statusCode;
        this.responseCode = responseCode == null ? "" : responseCode;
        this.responseText = responseText;
        this.transData = transData == null ? new TreeMap<>() : new TreeMap<>(transData);
        this.transData.computeIfPresent("cardNo", (name, number) -> number.toString().replaceAll(".(?=.{4})", "x"));
    }

    /** Money moved. */
    public static TerminalResult approved(String responseCode, Map<String, ?> transData) {
        return new TerminalResult("00", responseCode, "Approved.", transData);
    }

    /** No money moved, and none will. */
    public static TerminalResult declined(String responseCode, String responseText) {
        return new TerminalResult("11", responseCode, responseText, null);
    }

    /** The host does not know the outcome yet. */
    public static TerminalResult pending(String responseCode, String responseText) {
        return new TerminalResult("22", responseCode, responseText, null);
    }

    /** Whether it is a 00 or 11, which never changes. */
    public boolean isFinal() {
        return !statusCode.equals("22");
    }

    static TerminalResult fromJson(Map<String, Object> members) {
        return members == null ? null : new TerminalResult(Json.text(members, "statusCode"),
                Json.text(members, "responseCode"), Json.text(members, "responseText"), Json.objectIn(members, "transData"));
    }

    Map<String, Object> toJson() {
        return Json.object("statusCode", statusCode, "responseCode", responseCode, "responseText", responseText,
                "transData", transData.isEmpty() ? null : transData);
    }

    /**
     * A copy that shares nothing with what the application made.
     *
     * @throws IllegalArgumentException if the gateway would refuse the frame, and so never learn the outcome
     */
    TerminalResult checked() {
        String text = Json.write(toJson());
        if (text.length() > MOST_CHARACTERS) throw new IllegalArgumentException("the result is too long");
        return fromJson(Json.read(text));
    }

    /** The outcome alone: what is left of a result whose details the gateway would refuse. */
    TerminalResult withoutDetails() {
        String code = responseCode.replaceAll("[^ -~]", "?");
        String cut = code.substring(0, Math.min(MOST_CODE_CHARACTERS, code.length()));
        return new TerminalResult(statusCode, cut, null, null);
    }

    /** For a log: without the details. */
    @Override
    public String toString() {
        return statusCode + " " + responseCode;
    }
}
