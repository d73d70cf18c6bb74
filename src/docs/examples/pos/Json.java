// The JSON of Pos.java, because Java has none. With a library of your own, only canonical() is needed.
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A JSON object. Its names are in the order of String.compareTo: by UTF-16 code units. */
final class Json extends TreeMap<String, Object> {
    private static final long serialVersionUID = 1;

    Json() {}

    Json(Map<String, ?> members) {
        putAll(members);
    }

    /** A copy with one more member, or with another value of it. */
    Json with(String name, Object value) {
        Json copy = new Json(this);
        copy.put(name, value);
        return copy;
    }

    Json without(String name) {
        Json copy = new Json(this);
        copy.remove(name);
        return copy;
    }

    /** A member as a text. Empty: there is none. */
    String text(String name) {
        Object value = get(name);
        return value == null ? "" : value.toString();
    }

    /** A member that is an object. Empty: there is none. */
    Json object(String name) {
        return get(name) instanceof Json object ? object : new Json();
    }

    /** The objects in a member that is a list. Empty: there are none. */
    List<Json> objects(String name) {
        List<Json> objects = new ArrayList<>();
        if (get(name) instanceof List<?> list) {
            for (Object item : list) if (item instanceof Json object) objects.add(object);
        }
        return objects;
    }

    // region sign
    /** RFC 8785: names sorted by UTF-16 code units, no white space, few escapes. */
    static String canonical(Object value) {
        if (value instanceof Json object) { // a TreeMap, which sorts so
            return object.entrySet().stream()
                    .map(member -> quoted(member.getKey()) + ":" + canonical(member.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Json::canonical).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String text ? quoted(text) : String.valueOf(value); // numbers are integers
    }

    /** Seven short escapes, four digits for other control characters; ü and / stay as they are. */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            int escape = "\"\\\b\f\n\r\t".indexOf(unit);
            if (escape >= 0) out.append('\\').append("\"\\bfnrt".charAt(escape));
            else if (unit < ' ') out.append(String.format("\\u%04x", (int) unit));
            else out.append(unit);
        }
        return out.append('"').toString();
    }
    // endregion sign

    /** Reads an object as the gateway writes and takes it: its numbers are integers. */
    static Json read(String text) {
        Reader reader = new Reader(text);
        if (!(reader.value() instanceof Json object) || !reader.isAtEnd()) throw reader.wrong();
        return object;
    }

    private static final class Reader {
        private static final Map<String, Object> WORDS = Map.of("true", true, "false", false);
        private static final int DEEPEST = 100; // a hostile answer must not use up the stack

        private final String text;
        private int at, depth;

        Reader(String text) {
            this.text = text;
        }

        /** An object, a list, a text, true, false, null, or an integer. */
        Object value() {
            if (found('{')) return nested(this::object);
            if (found('[')) return nested(this::list);
            if (found('"')) return string();
            int from = at;
            while (at < text.length() && "-0123456789aeflnrstu".indexOf(text.charAt(at)) >= 0) at++;
            String word = text.substring(from, at);
            if (word.equals("null")) return null;
            if (WORDS.containsKey(word)) return WORDS.get(word);
            if (!word.matches("0|-?[1-9][0-9]{0,15}")) throw wrong();
            return Long.valueOf(word);
        }

        private Object nested(Supplier<Object> read) {
            if (++depth > DEEPEST) throw wrong();
            Object value = read.get();
            depth--;
            return value;
        }

        private Json object() {
            Json members = new Json();
            if (found('}')) return members;
            do {
                want('"');
                String name = string();
                want(':');
                if (members.containsKey(name)) throw wrong();
                members.put(name, value());
            } while (found(','));
            want('}');
            return members;
        }

        private List<Object> list() {
            List<Object> items = new ArrayList<>();
            if (found(']')) return items;
            do items.add(value());
            while (found(','));
            want(']');
            return items;
        }

        private String string() {
            StringBuilder out = new StringBuilder();
            for (char unit = next(); unit != '"'; unit = next()) out.append(unit == '\\' ? escaped(next()) : unit);
            return out.toString();
        }

        private char escaped(char kind) {
            if (kind == 'u') return (char) Integer.parseInt("" + next() + next() + next() + next(), 16);
            int which = "\"\\/bfnrt".indexOf(kind);
            if (which < 0) throw wrong();
            return "\"\\/\b\f\n\r\t".charAt(which);
        }

        private char next() {
            if (at == text.length()) throw wrong();
            return text.charAt(at++);
        }

        private void want(char wanted) {
            if (!found(wanted)) throw wrong();
        }

        private boolean found(char wanted) {
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
