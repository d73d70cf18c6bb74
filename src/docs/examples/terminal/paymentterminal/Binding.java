package paymentterminal;

import java.util.Map;

/** The account that a terminal works for. All null while it is unbound. */
public final class Binding {
    public final String posId;
    public final String merchantId;
    public final String currency;
    /** IANA time zone name. */
    public final String timezone;

    Binding(Map<String, Object> frame) {
        posId = Json.text(frame, "posId");
        merchantId = Json.text(frame, "merchantId");
        currency = Json.text(frame, "currency");
        timezone = Json.text(frame, "timezone");
    }

    boolean isOf(TransactionRequest request) {
        return request.posId.equals(posId) && request.merchantId.equals(merchantId);
    }
}
