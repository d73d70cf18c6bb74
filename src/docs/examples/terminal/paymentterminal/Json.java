package paymentterminal;

import java.util.*;

/**
 * JSON as the gateway writes and takes it: objects are maps, arrays are lists, numbers are integers of at most 15 digits.
 * {@link #write} makes the canonical form of RFC 8785, which is what a signature covers.
 */
public final class Json {
    private static final int MOST_LEVELS = 32;
    private static final int MOST_DIGITS = 15;

    private Json() {}

    /** An object of names and values in turn. Leaves out a name whose value is null. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> members = new TreeMap<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            if (namesAndValues[at + 1] != null) members.put((String) namesAndValues[at], namesAndValues[at + 1]);
        }
        return members;
    }

    /** A member that is a text; null without one. */
    public static String text(Map<String, ?> members, String name) {
        Object value = members.get(name);
        return value instanceof String ? (String) value : null;
    }

    /** A member that is a number; 0 without one. */
    public static long number(Map<String, ?> members, String name) {
        Object value = members.get(name);
        return value instanceof Number ? ((Number) value).longValue() : 0;
    }

    /** A member that is an object; null without one. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> objectIn(Map<String, ?> members, String name) {
        Object value = members.get(name);
        return value instanceof Map ? (Map<String, Object>) value : null;
    }

    /**
     * The canonical form: no white space, names in the order of their UTF-16 code units, which is that of
     * {@link String#compareTo}, and as few escapes as possible.
     *
     * @throws IllegalArgumentException for a value that the gateway does not take
     */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out, 0);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out, int level) {
        if (level > MOST_LEVELS) throw new IllegalArgumentException("nested too deep");
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof String) {
            writeText((String) value, out);
        } else if (value instanceof Long || value instanceof Integer) {
            if (Long.toString(Math.abs(((Number) value).longValue())).length() > MOST_DIGITS) {
                throw new IllegalArgumentException("a number has more than " + MOST_DIGITS + " digits");
            }
            out.append(value);
        } else if (value instanceof Map) {
            Map<String, Object> sorted = new TreeMap<>();
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                sorted.put((String) member.getKey(), member.getValue());
            }
            char before = '{';
            for (Map.Entry<String, Object> member : sorted.entrySet()) {
                out.append(before);
                writeText(member.getKey(), out);
                write(member.getValue(), out.append(':'), level + 1);
                before = ',';
            }
            out.append(sorted.isEmpty() ? "{}" : "}");
        } else if (value instanceof List) {
            char before = '[';
            for (Object element : (List<?>) value) {
                write(element, out.append(before), level + 1);
                before = ',';
            }
            out.append(((List<?>) value).isEmpty() ? "[]" : "]");
        } else {
            throw new IllegalArgumentException("a " + value.getClass().getSimpleName() + " has no canonical form here");
        }
    }

    /** Seven short escapes, four digits for the other control characters. A slash and an umlaut stay as they are. */
    private static void writeText(String text, StringBuilder out) {
        checkUnicode(text);
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            int escape = "\"\\\b\f\n\r\t".indexOf(unit);
            if (escape >= 0) out.append('\\').append("\"\\bfnrt".charAt(escape));
            else if (unit < ' ') out.append(String.format("\\u%04x", (int) unit));
            else out.append(unit);
        }
        out.append('"');
    }

    private static void checkUnicode(String text) {
        text.codePoints().filter(point -> point >= 0xD800 && point <= 0xDFFF).findFirst().ifPresent(point -> {
            throw new IllegalArgumentException("a text has half of a surrogate pair");
        });
    }

    /**
     * Reads an object. Refuses a name that is written twice, because it could mean two things.
     *
     * @throws IllegalArgumentException for everything else. Its message quotes nothing of the text
     */
    public static Map<String, Object> read(String text) {
        Reader reader = new Reader(text);
        Map<String, Object> members = reader.skip('{') ? reader.members(0) : null;
        if (members == null || !reader.isAtEnd()) throw reader.wrong();
        return members;
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        Object value(int level) {
            if (level > MOST_LEVELS) throw wrong();
            if (skip('{')) return members(level);
            if (skip('[')) return elements(level);
            if (skip('"')) return string();
            int from = at;
            while (at < text.length() && "-0123456789aeflnrstu".indexOf(text.charAt(at)) >= 0) at++;
            String word = text.substring(from, at);
            if (word.equals("null")) return null;
            if (word.equals("true") || word.equals("false")) return word.equals("true");
            if (!word.matches("0|-?[1-9][0-9]{0," + (MOST_DIGITS - 1) + "}")) throw wrong();
            return Long.valueOf(word);
        }

        private Map<String, Object> members(int level) {
            Map<String, Object> members = new TreeMap<>();
            if (skip('}')) return members;
            do {
                want('"');
                String name = string();
                want(':');
                if (members.containsKey(name)) throw wrong();
                members.put(name, value(level + 1));
            } while (skip(','));
            want('}');
            return members;
        }

        private List<Object> elements(int level) {
            List<Object> elements = new ArrayList<>();
            if (skip(']')) return elements;
            do elements.add(value(level + 1));
            while (skip(','));
            want(']');
            return elements;
        }

        private String string() {
            StringBuilder out = new StringBuilder();
            for (char unit = next(); unit != '"'; unit = next()) {
                if (unit < ' ') throw wrong();
                out.append(unit == '\\' ? escaped(next()) : unit);
            }
            checkUnicode(out.toString());
            return out.toString();
        }

        private char escaped(char kind) {
            if (kind == 'u') {
                String digits = "" + next() + next() + next() + next();
                if (!digits.matches("[0-9a-fA-F]{4}")) throw wrong();
                return (char) Integer.parseInt(digits, 16);
            }
            int which = "\"\\/bfnrt".indexOf(kind);
            if (which < 0) throw wrong();
            return "\"\\/\b\f\n\r\t".charAt(which);
        }

        private char next() {
            if (at == text.length()) throw wrong();
            return text.charAt(at++);
        }

        private void want(char wanted) {
            if (!skip(wanted)) throw wrong();
        }

        private boolean skip(char wanted) {
            if (isAtEnd() || text.charAt(at) != wanted) return false;
            at++;
            return true;
        }

        boolean isAtEnd() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
            return at == text.length();
        }

        IllegalArgumentException wrong() {
            return new IllegalArgumentException("not JSON as the gateway writes it, at character " + at);
        }
    }
}
