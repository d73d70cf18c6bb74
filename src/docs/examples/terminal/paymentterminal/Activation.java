package paymentterminal;

import java.io.IOException;
import java.util.Map;

/** What an activation code gives, once. Store the secret, encrypted, before you do anything else. */
public final class Activation {
    public final String terminalId;
    public final String secret;

    private Activation(String terminalId, String secret) {
        this.terminalId = terminalId;
        this.secret = secret;
    }

    /**
     * Exchanges the code in the calling thread. After UNREACHABLE, send it again: if it was used by then, the secret is lost, and
     * the operator creates another code.
     *
     * @param code as somebody typed or scanned it, in any case, with or without dashes
     */
    public static Activation exchange(String gatewayUrl, Network network, String code) throws SessionException {
        Network.Answer answer;
        try {
            answer = network.post(gatewayUrl + "/terminal/activate", null, Json.write(Json.object("activationCode", code)));
        } catch (IOException problem) {
            answer = null;
        }
        Map<String, Object> body = Session.read(gatewayUrl, answer);
        String terminalId = Json.text(body, "terminalId"), secret = Json.text(body, "secret");
        if (terminalId == null || secret == null) throw Session.unreachable(gatewayUrl);
        return new Activation(terminalId, secret);
    }
}
