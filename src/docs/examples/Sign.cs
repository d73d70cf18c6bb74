// Signs a message, and verifies one that is signed. .NET, .NET Framework or Mono, without any package:
//
//   dotnet run Sign.cs < message.json              (.NET 10 or later; SIGNING_KEY in the environment)
//   mcs Sign.cs && mono Sign.exe < message.json    (Mono)
//
// Prints the canonical form, then the signature. A message that has a signature is verified: exit status 1 if it does
// not hold. With a JSON library of your own, only Canonical() and SignatureOf() are needed.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

public static class Sign
{
    static readonly UTF8Encoding Utf8 = new UTF8Encoding(false);

    /// <summary>RFC 8785: names sorted by UTF-16 code units, no white space, only what must be escaped is.</summary>
    static string Canonical(object value)
    {
        if (value is Dictionary<string, object> members)
        {
            // StringComparer.Ordinal compares UTF-16 code units; the default comparer sorts by culture.
            var names = members.Keys.OrderBy(name => name, StringComparer.Ordinal);
            return "{" + string.Join(",", names.Select(name => Text(name) + ":" + Canonical(members[name]))) + "}";
        }
        if (value is List<object> items) return "[" + string.Join(",", items.Select(Canonical)) + "]";
        if (value is string text) return Text(text);
        if (value is bool truth) return truth ? "true" : "false";
        return value == null ? "null" : ((long)value).ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>Seven short escapes, other control characters as four digits, all else as it is.</summary>
    static string Text(string value)
    {
        var result = new StringBuilder("\"");
        foreach (char unit in value)
        {
            int escape = "\"\\\b\f\n\r\t".IndexOf(unit);
            if (escape >= 0) result.Append('\\').Append("\"\\bfnrt"[escape]);
            else if (unit < 0x20) result.Append("\\u").Append(((int)unit).ToString("x4", CultureInfo.InvariantCulture));
            else result.Append(unit);
        }
        return result.Append('"').ToString();
    }

    /// <summary>What is signed: the canonical form of the message without its own signature.</summary>
    static string SignedForm(Dictionary<string, object> message)
    {
        var rest = message.Where(member => member.Key != "signature").ToDictionary(member => member.Key, member => member.Value);
        return Canonical(rest);
    }

    static string SignatureOf(Dictionary<string, object> message, string key)
    {
        using (var mac = new HMACSHA256(Utf8.GetBytes(key)))
        {
            byte[] hash = mac.ComputeHash(Utf8.GetBytes(SignedForm(message)));
            return string.Concat(hash.Select(octet => octet.ToString("x2", CultureInfo.InvariantCulture)));
        }
    }

    static bool Holds(Dictionary<string, object> message, string key)
    {
        string expected = SignatureOf(message, key);
        string given = message["signature"] as string;
        if (given == null || given.Length != expected.Length) return false;
        // In time that does not tell where the first difference is; CryptographicOperations.FixedTimeEquals does the same.
        int difference = 0;
        for (int index = 0; index < expected.Length; index++) difference |= expected[index] ^ given[index];
        return difference == 0;
    }

    public static int Main()
    {
        string input = new StreamReader(Console.OpenStandardInput(), Utf8).ReadToEnd();
        var message = (Dictionary<string, object>)new Reader(input).Document();
        string key = Environment.GetEnvironmentVariable("SIGNING_KEY");
        bool verdict = !message.ContainsKey("signature") || Holds(message, key);
        using (var output = new StreamWriter(Console.OpenStandardOutput(), Utf8))
        {
            output.Write(SignedForm(message) + "\n" + SignatureOf(message, key) + "\n");
            if (message.ContainsKey("signature")) output.Write(verdict ? "The signature holds.\n" : "The signature does not hold.\n");
        }
        return verdict ? 0 : 1;
    }

    /// <summary>Reads JSON as the gateway takes it: dictionaries, lists, texts, booleans, null, and integers.</summary>
    sealed class Reader
    {
        readonly string json;
        int at;

        public Reader(string json)
        {
            this.json = json;
        }

        public object Document()
        {
            object value = Value();
            Skip();
            if (at < json.Length) throw Wrong();
            return value;
        }

        object Value()
        {
            Skip();
            if (at == json.Length) throw Wrong();
            switch (json[at])
            {
                case '{': return Members();
                case '[': return Items();
                case '"': return Characters();
                default: return Word();
            }
        }

        Dictionary<string, object> Members()
        {
            var members = new Dictionary<string, object>(StringComparer.Ordinal);
            at++;
            if (Found('}')) return members;
            do
            {
                Skip();
                string name = Characters();
                if (!Found(':') || members.ContainsKey(name)) throw Wrong();
                members.Add(name, Value());
            } while (Found(','));
            if (!Found('}')) throw Wrong();
            return members;
        }

        List<object> Items()
        {
            var items = new List<object>();
            at++;
            if (Found(']')) return items;
            do items.Add(Value());
            while (Found(','));
            if (!Found(']')) throw Wrong();
            return items;
        }

        string Characters()
        {
            if (at == json.Length || json[at] != '"') throw Wrong();
            var result = new StringBuilder();
            for (at++; at < json.Length && json[at] != '"'; at++) result.Append(json[at] == '\\' ? Escape() : json[at]);
            if (at == json.Length) throw Wrong();
            at++;
            return result.ToString();
        }

        char Escape()
        {
            if (++at == json.Length) throw Wrong();
            if (json[at] == 'u' && at + 4 < json.Length)
            {
                at += 4;
                return (char)int.Parse(json.Substring(at - 3, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
            }
            int which = "\"\\/bfnrt".IndexOf(json[at]);
            if (which < 0) throw Wrong();
            return "\"\\/\b\f\n\r\t"[which];
        }

        object Word()
        {
            int from = at;
            while (at < json.Length && "{}[],:\" \t\r\n".IndexOf(json[at]) < 0) at++;
            string word = json.Substring(from, at - from);
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
            string digits = word.StartsWith("-", StringComparison.Ordinal) ? word.Substring(1) : word;
            bool plain = digits.Length >= 1 && digits.Length <= 15 && digits.All(digit => digit >= '0' && digit <= '9');
            if (!plain || (digits[0] == '0' && word != "0")) throw Wrong();
            return long.Parse(word, CultureInfo.InvariantCulture);
        }

        bool Found(char wanted)
        {
            Skip();
            if (at == json.Length || json[at] != wanted) return false;
            at++;
            return true;
        }

        void Skip()
        {
            while (at < json.Length && " \t\r\n".IndexOf(json[at]) >= 0) at++;
        }

        FormatException Wrong()
        {
            return new FormatException("not JSON as the gateway takes it, at character " + at);
        }
    }
}
