// The events of an account for Pos.cs: it reads them, or receives them by webhook, and books each one once.
using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading;

static class Events
{
    static readonly Encoding Latin1 = Encoding.GetEncoding("iso-8859-1");
    static readonly string LastEventFile = Path.Combine(Pos.Folder, "last-event");
    static readonly object Books = new object();
    const int MostBytes = 1000000; // of a delivery

    // region events
    /// <summary>Books every event, in order, and waits for the next. Run it next to the POS.</summary>
    internal static int Follow()
    {
        while (true)
        {
            var answer = Pos.Call("GET", "/api/events?after=" + LastEvent(), "", "wait=60");
            string skipped = answer.Body.Text("skipped");
            if (skipped != "") Console.Error.WriteLine(skipped + " events are missing here: they were deleted. See totals.");
            var events = answer.Body.Objects("data");
            events.ForEach(Book);
            if (events.Count > 0) continue;
            Console.Error.Write(answer.Body.Text("message"));
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(1, answer.RetryAfter)));
        }
    }

    static long LastEvent() => File.Exists(LastEventFile) ? long.Parse(File.ReadAllText(LastEventFile)) : 0;

    /// <summary>Once, however often it comes. In a database: it and its number in one transaction.</summary>
    static void Book(Json news)
    {
        lock (Books)
        {
            if (!(news.Get("number") is long number) || number <= LastEvent()) return;
            Pos.Print(news.Text("number"), news.Text("type"), news.Object("data").Text("referenceId"));
            Pos.Store(LastEventFile, news.Text("number"));
        }
    }
    // endregion events

    // region webhook
    internal static int Webhook()
    {
        var listener = new HttpListener { Prefixes = { "http://localhost:" + Pos.Setting("PORT", "9000") + "/" } };
        listener.Start();
        while (true)
        {
            var delivery = listener.GetContext();
            new Thread(() => Receive(delivery)).Start(); // nobody waits for a body that does not come
        }
    }

    static void Receive(HttpListenerContext delivery)
    {
        try
        {
            byte[] body = BodyOf(delivery.Request.InputStream);
            bool genuine = body != null && IsGenuine(name => delivery.Request.Headers[name] ?? "", body);
            if (genuine) Book(Json.Read(Pos.Utf8.GetString(body)));
            delivery.Response.StatusCode = genuine ? 204 : 401; // what is not booked comes again
            delivery.Response.Close();
        }
        catch (Exception problem)
        {
            Console.Error.WriteLine(problem.Message);
            delivery.Response.Abort();
        }
    }

    /// <summary>Null: it is too long.</summary>
    static byte[] BodyOf(Stream stream)
    {
        var body = new MemoryStream();
        var part = new byte[16384];
        for (int count = 1; count > 0 && body.Length <= MostBytes; body.Write(part, 0, count))
            count = stream.Read(part, 0, part.Length);
        return body.Length > MostBytes ? null : body.ToArray();
    }

    /// <summary>Signed are the bytes as they came. While the secret changes, there are two signatures.</summary>
    static bool IsGenuine(Func<string, string> header, byte[] body)
    {
        byte[] key = Convert.FromBase64String(Pos.Setting("WEBHOOK_SECRET", "").Substring("whsec_".Length));
        string sent = header("webhook-timestamp");
        string content = header("webhook-id") + "." + sent + "." + Latin1.GetString(body);
        string mac = "v1," + Convert.ToBase64String(Pos.Hmac(key, Latin1.GetBytes(content)));
        bool isRight = header("webhook-signature").Split(' ').Any(one => Pos.IsSame(one, mac));
        return isRight && Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(sent)) < 300;
    }
    // endregion webhook
}
