// The JSON of Till.java, because Java has none. With a library of your own, only canonical() of Till.java is needed.
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A JSON object. Its names are in the order of String.compareTo: by UTF-16 code units. */
final class Json extends TreeMap<String, Object> {
    private static final long serialVersionUID = 1;

    /** A copy with one more member, or with another value of it. */
    Json with(String name, Object value) {
        Json copy = new Json();
        copy.putAll(this);
        copy.put(name, value);
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
            for (Object item : list) objects.add((Json) item);
        }
        return objects;
    }

    /** Reads an object as the gateway writes and takes it: its numbers are integers. */
    static Json read(String text) {
        Reader reader = new Reader(text);
        if (!(reader.value() instanceof Json object) || !reader.isAtEnd()) throw reader.wrong();
        return object;
    }

    private static final class Reader {
        private static final Map<String, Object> WORDS = Map.of("true", true, "false", false);

        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        /** An object, a list, a text, true, false, null, or an integer. */
        Object value() {
            if (found('{')) return object();
            if (found('[')) return list();
            if (found('"')) return string();
            int from = at;
            while (at < text.length() && "-0123456789aeflnrstu".indexOf(text.charAt(at)) >= 0) at++;
            String word = text.substring(from, at);
            if (word.equals("null")) return null;
            if (WORDS.containsKey(word)) return WORDS.get(word);
            if (!word.matches("0|-?[1-9][0-9]{0,15}")) throw wrong();
            return Long.valueOf(word);
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
