// Signs a message, and verifies one that is signed. Java 17 or later, without any library:
//
//   SIGNING_KEY=… java Sign.java < message.json
//
// Prints the canonical form, then the signature. A message that has a signature is verified: exit status 1 if it does
// not hold. With a JSON library of your own, only canonical() and sign() are needed.
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Sign {
    /** RFC 8785: names sorted by UTF-16 code units, no white space, only what must be escaped is. */
    static String canonical(Object value) {
        if (value instanceof Map<?, ?> object) {
            // String.compareTo, and with it a TreeMap, compares UTF-16 code units.
            return new TreeMap<Object, Object>(object).entrySet().stream()
                    .map(member -> text((String) member.getKey()) + ":" + canonical(member.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Sign::canonical).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String string ? text(string) : String.valueOf(value);
    }

    /** A text as RFC 8785 writes it: seven short escapes, other control characters as four digits, all else as it is. */
    static String text(String value) {
        StringBuilder out = new StringBuilder("\"");
        for (char unit : value.toCharArray()) {
            switch (unit) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (unit < 0x20) out.append(String.format("\\u%04x", (int) unit));
                    else out.append(unit);
                }
            }
        }
        return out.append('"').toString();
    }

    /** What is signed: the canonical form of the message without its own signature. */
    static String signedForm(Map<String, Object> message) {
        Map<String, Object> rest = new TreeMap<>(message);
        rest.remove("signature");
        return canonical(rest);
    }

    static String sign(Map<String, Object> message, String key) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(signedForm(message).getBytes(StandardCharsets.UTF_8)));
    }

    static boolean holds(Map<String, Object> message, String key) throws GeneralSecurityException {
        byte[] given = String.valueOf(message.get("signature")).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(given, sign(message, key).getBytes(StandardCharsets.UTF_8));
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        Map<String, Object> message = (Map<String, Object>) new Reader(input).document();
        String key = System.getenv("SIGNING_KEY");
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.print(signedForm(message) + "\n" + sign(message, key) + "\n");
        if (!message.containsKey("signature")) return;
        boolean verdict = holds(message, key);
        out.print(verdict ? "The signature holds.\n" : "The signature does not hold.\n");
        System.exit(verdict ? 0 : 1);
    }

    /** Reads JSON as the gateway takes it: maps, lists, texts, booleans, null, and integers. */
    static final class Reader {
        private final String json;
        private int at;

        Reader(String json) {
            this.json = json;
        }

        Object document() {
            Object value = value();
            skip();
            if (at < json.length()) throw wrong();
            return value;
        }

        private Object value() {
            skip();
            if (at == json.length()) throw wrong();
            switch (json.charAt(at)) {
                case '{': return object();
                case '[': return list();
                case '"': return string();
                default: return word();
            }
        }

        private Map<String, Object> object() {
            Map<String, Object> members = new TreeMap<>();
            at++;
            if (found('}')) return members;
            do {
                skip();
                String name = string();
                if (!found(':') || members.containsKey(name)) throw wrong();
                members.put(name, value());
            } while (found(','));
            if (!found('}')) throw wrong();
            return members;
        }

        private List<Object> list() {
            List<Object> items = new ArrayList<>();
            at++;
            if (found(']')) return items;
            do items.add(value());
            while (found(','));
            if (!found(']')) throw wrong();
            return items;
        }

        private String string() {
            if (at == json.length() || json.charAt(at) != '"') throw wrong();
            StringBuilder out = new StringBuilder();
            for (at++; at < json.length() && json.charAt(at) != '"'; at++) {
                out.append(json.charAt(at) == '\\' ? escape() : json.charAt(at));
            }
            if (at == json.length()) throw wrong();
            at++;
            return out.toString();
        }

        private char escape() {
            if (++at == json.length()) throw wrong();
            char kind = json.charAt(at);
            if (kind == 'u' && at + 4 < json.length()) {
                at += 4;
                return (char) Integer.parseInt(json.substring(at - 3, at + 1), 16);
            }
            int which = "\"\\/bfnrt".indexOf(kind);
            if (which < 0) throw wrong();
            return "\"\\/\b\f\n\r\t".charAt(which);
        }

        private Object word() {
            int from = at;
            while (at < json.length() && "{}[],:\" \t\r\n".indexOf(json.charAt(at)) < 0) at++;
            String word = json.substring(from, at);
            switch (word) {
                case "true": return true;
                case "false": return false;
                case "null": return null;
                default: return integer(word);
            }
        }

        private Long integer(String word) {
            if (!word.matches("0|-?[1-9][0-9]{0,14}")) throw wrong();
            return Long.parseLong(word);
        }

        private boolean found(char wanted) {
            skip();
            if (at == json.length() || json.charAt(at) != wanted) return false;
            at++;
            return true;
        }

        private void skip() {
            while (at < json.length() && " \t\r\n".indexOf(json.charAt(at)) >= 0) at++;
        }

        private IllegalArgumentException wrong() {
            return new IllegalArgumentException("not JSON as the gateway takes it, at character " + at);
        }
    }
}
