// The JSON of Pos.cs, because Mono has none. With a library of your own, only Canonical() is needed.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

/// <summary>A JSON object. Its names are in ordinal order: by UTF-16 code units.</summary>
public sealed class Json : SortedDictionary<string, object>
{
    public Json() : base(StringComparer.Ordinal) { }

    /// <summary>A copy with one more member, or with another value of it.</summary>
    public Json With(string name, object value)
    {
        var copy = Without(name);
        copy.Add(name, value);
        return copy;
    }

    public Json Without(string name)
    {
        var copy = new Json();
        foreach (var member in this) if (member.Key != name) copy.Add(member.Key, member.Value);
        return copy;
    }

    /// <summary>A member; null: there is none.</summary>
    public object Get(string name)
    {
        object value;
        return TryGetValue(name, out value) ? value : null;
    }

    /// <summary>A member as a text. Empty: there is none.</summary>
    public string Text(string name) => Convert.ToString(Get(name), CultureInfo.InvariantCulture);

    /// <summary>A member that is an object. Empty: there is none.</summary>
    public Json Object(string name) => Get(name) as Json ?? new Json();

    /// <summary>The objects in a member that is a list. Empty: there are none.</summary>
    public List<Json> Objects(string name) => (Get(name) as List<object> ?? new List<object>()).OfType<Json>().ToList();

    // region sign
    /// <summary>RFC 8785: names sorted by UTF-16 code units, no white space, few escapes.</summary>
    public static string Canonical(object value)
    {
        if (value is Json members) // sorted by StringComparer.Ordinal; the default comparer sorts by culture
            return "{" + string.Join(",", members.Select(one => Quoted(one.Key) + ":" + Canonical(one.Value))) + "}";
        if (value is List<object> items) return "[" + string.Join(",", items.Select(Canonical)) + "]";
        if (value is string text) return Quoted(text);
        if (value is bool truth) return truth ? "true" : "false";
        return value == null ? "null" : ((long)value).ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>Seven short escapes, four digits for other control characters; ü and / stay as they are.</summary>
    static string Quoted(string text)
    {
        var result = new StringBuilder("\"");
        foreach (char unit in text)
        {
            int escape = "\"\\\b\f\n\r\t".IndexOf(unit);
            if (escape >= 0) result.Append('\\').Append("\"\\bfnrt"[escape]);
            else if (unit < ' ') result.Append("\\u").Append(((int)unit).ToString("x4", CultureInfo.InvariantCulture));
            else result.Append(unit);
        }
        return result.Append('"').ToString();
    }
    // endregion sign

    /// <summary>Reads an object as the gateway writes and takes it: its numbers are integers.</summary>
    public static Json Read(string text)
    {
        var reader = new Reader(text);
        var json = reader.Value() as Json;
        if (json == null || !reader.IsAtEnd()) throw reader.Wrong();
        return json;
    }

    sealed class Reader
    {
        readonly string text;
        int at, depth;
        const int Deepest = 100; // a hostile answer must not use up the stack

        public Reader(string text)
        {
            this.text = text;
        }

        /// <summary>An object, a list, a text, true, false, null, or an integer.</summary>
        public object Value()
        {
            if (Found('{')) return Nested(Members);
            if (Found('[')) return Nested(Items);
            if (Found('"')) return Characters();
            int from = at;
            while (at < text.Length && "-0123456789aeflnrstu".IndexOf(text[at]) >= 0) at++;
            string word = text.Substring(from, at - from);
            switch (word)
            {
                case "true": return true;
                case "false": return false;
                case "null": return null;
                default: return Integer(word);
            }
        }

        long Integer(string word)
        {
            long number;
            bool isInteger = long.TryParse(word, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number);
            if (!isInteger || number.ToString(CultureInfo.InvariantCulture) != word) throw Wrong();
            return number;
        }

        object Nested(Func<object> read)
        {
            if (++depth > Deepest) throw Wrong();
            object value = read();
            depth--;
            return value;
        }

        Json Members()
        {
            var members = new Json();
            if (Found('}')) return members;
            do
            {
                Want('"');
                string name = Characters();
                Want(':');
                if (members.ContainsKey(name)) throw Wrong();
                members.Add(name, Value());
            } while (Found(','));
            Want('}');
            return members;
        }

        List<object> Items()
        {
            var items = new List<object>();
            if (Found(']')) return items;
            do items.Add(Value());
            while (Found(','));
            Want(']');
            return items;
        }

        string Characters()
        {
            var result = new StringBuilder();
            for (char unit = Next(); unit != '"'; unit = Next()) result.Append(unit == '\\' ? Escaped(Next()) : unit);
            return result.ToString();
        }

        char Escaped(char kind)
        {
            if (kind == 'u')
            {
                string digits = new string(new[] { Next(), Next(), Next(), Next() });
                return (char)int.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
            }
            int which = "\"\\/bfnrt".IndexOf(kind);
            if (which < 0) throw Wrong();
            return "\"\\/\b\f\n\r\t"[which];
        }

        char Next()
        {
            if (at == text.Length) throw Wrong();
            return text[at++];
        }

        void Want(char wanted)
        {
            if (!Found(wanted)) throw Wrong();
        }

        bool Found(char wanted)
        {
            if (IsAtEnd() || text[at] != wanted) return false;
            at++;
            return true;
        }

        public bool IsAtEnd()
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
            return at == text.Length;
        }

        public FormatException Wrong()
        {
            return new FormatException("not JSON as the gateway writes it, at character " + at);
        }
    }
}
