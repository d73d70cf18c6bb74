package paymentterminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA-256 over the canonical form of a message without its {@code signature}. */
public final class Signature {
    private Signature() {}

    /** A copy with its signature. Sign right before you send: the signature covers every member. */
    public static Map<String, Object> sign(Map<String, Object> message, String secret) {
        Map<String, Object> signed = new TreeMap<>(message);
        signed.put("signature", of(message, secret));
        return signed;
    }

    /** Whether a message, with all members as received, has the right signature. Compares in constant time. */
    public static boolean isSigned(Map<String, Object> message, String secret) {
        String signature = Json.text(message, "signature");
        if (signature == null) return false;
        return MessageDigest.isEqual(signature.getBytes(UTF_8), of(message, secret).getBytes(UTF_8));
    }

    /** 64 hexadecimal digits. The key is the text of the secret: it only looks like base64. */
    public static String of(Map<String, Object> message, String secret) {
        Map<String, Object> unsigned = new TreeMap<>(message);
        unsigned.remove("signature");
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
            StringBuilder digits = new StringBuilder();
            for (byte one : mac.doFinal(Json.write(unsigned).getBytes(UTF_8))) digits.append(String.format("%02x", one));
            return digits.toString();
        } catch (GeneralSecurityException problem) {
            throw new IllegalStateException("every Java has HMAC-SHA-256", problem);
        }
    }
}
