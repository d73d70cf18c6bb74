package paymentterminal;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A transaction that the gateway asks for. Times are epoch milliseconds of the gateway's clock. */
public final class TransactionRequest {
    /** Ten digits. The numbers of a terminal only increase. */
    public final String requestId;
    /** {@code sale}, {@code cashOut} or {@code void}. Refuse others as unsupported. */
    public final String transType;
    public final String posId;
    public final String merchantId;
    /** The POS's reference, for the receipt. */
    public final String referenceId;
    /** Printed before the reference; "POS Ref" if the POS sent none. */
    public final String referenceLabel;
    /** ISO 4217. */
    public final String currency;
    /** The number of the transaction; for a void, of the transaction to void. */
    public final String transId;
    /** {@code transAmt}, {@code paymentMethod} and so on, as the reference of the frames lists them. */
    public final Map<String, Object> transData;
    public final long deliverBy;
    public final long respondBy;

    private final Map<String, Object> members;

    /** @param frame checked */
    TransactionRequest(Map<String, Object> frame) {
        members = new TreeMap<>(frame);
        members.keySet().removeAll(Arrays.asList("type", "attempt", "signature"));
        requestId = Json.text(members, "requestId");
        transType = Json.text(members, "transType");
        posId = Json.text(members, "posId");
        merchantId = Json.text(members, "merchantId");
        referenceId = Json.text(members, "referenceId");
        String label = Json.text(members, "referenceLabel");
        referenceLabel = label == null ? "POS Ref" : label;
        currency = Json.text(members, "currency");
        transId = Json.text(members, "transId");
        transData = new TreeMap<>(Json.objectIn(members, "transData"));
        deliverBy = Json.number(members, "deliverBy");
        respondBy = Json.number(members, "respondBy");
    }

    /** A text of {@link #transData}; null without one. */
    public String detail(String name) {
        return Json.text(transData, name);
    }

    Map<String, Object> toJson() {
        return members;
    }

    /** For a log: without the details. */
    @Override
    public String toString() {
        return transType + " " + requestId;
    }
}
