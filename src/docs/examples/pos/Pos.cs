// A POS. .NET, .NET Framework or Mono, without any package; its JSON is in Json.cs, its events are in Events.cs. In a console
// project of .NET, put the three files in the place of Program.cs. With Mono:
//
//   mcs -r:System.Net.Http Pos.cs Json.cs Events.cs
//   mono Pos.exe sale 12.50 | void TRANSID | cancel REFERENCE | inquiry TRANSID | recover | aside REFERENCE
//   mono Pos.exe totals [DAY] | events | webhook | sign < message.json
//
// In the environment: GATEWAY_URL, POS_ID, MERCHANT_ID, DEVICE_ID and SIGNING_KEY; POS_FOLDER, where its files are; for
// webhook also WEBHOOK_SECRET and PORT. Its exit status is the outcome: 0 approved (or done), 1 not approved, 2 not known
// yet, 3 failed and no money moved, 4 failed and the outcome is unknown, 5 wrong usage, 6 nothing sent: another process
// works in the folder.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading;

public static class Pos
{
    internal static readonly Encoding Utf8 = new UTF8Encoding(false);
    static readonly string[] Settings = { "GATEWAY_URL", "POS_ID", "MERCHANT_ID", "DEVICE_ID", "SIGNING_KEY" };
    static readonly string PosId = Setting("POS_ID", ""), DeviceId = Setting("DEVICE_ID", "");
    internal static readonly string Folder = Setting("POS_FOLDER", "pos-data");

    internal const int Approved = 0, NotApproved = 1, Pending = 2, Refused = 3, Unknown = 4, WrongUsage = 5, Locked = 6;
    static readonly string[] Words = { "approved", "not approved", "not known yet", "refused, no money moved", "outcome unknown" };
    static readonly Dictionary<string, int> ByStatusCode =
        new Dictionary<string, int> { { "00", Approved }, { "11", NotApproved }, { "22", Pending } };
    const string Keep = "Do not charge again: money may have moved. Ask again with recover or inquiry.";
    const string UsedBefore = "40009";
    const string NeverStarted = "Its reference is another transaction's. This one was never started.";

    const int HttpSeconds = 120; // a customer takes time to pay
    const int AskSeconds = 180; // then the cashier decides; the transaction stays open
    const double FirstWait = 0.5, LongestWait = 10;

    internal static string Setting(string name, string usual) => Environment.GetEnvironmentVariable(name) ?? usual;

    // region sign
    /// <summary>What is signed: the canonical form of the message without its own signature.</summary>
    static string SignedForm(Json message) => Json.Canonical(message.Without("signature"));

    /// <summary>The key is the text of the signing key. It only looks like base64.</summary>
    static string SignatureOf(Json message) =>
        string.Concat(Hmac(Utf8.GetBytes(Setting("SIGNING_KEY", "")), Utf8.GetBytes(SignedForm(message)))
            .Select(octet => octet.ToString("x2")));

    internal static byte[] Hmac(byte[] key, byte[] content) => new HMACSHA256(key).ComputeHash(content);

    static Json Signed(Json message)
    {
        var dated = message.With("datetime", DateTime.UtcNow.ToString("yyyyMMdd'T'HHmmss", CultureInfo.InvariantCulture));
        return dated.With("signature", SignatureOf(dated));
    }
    // endregion sign

    // region verify
    /// <summary>Over every member as it came, unknown members included.</summary>
    static bool IsSigned(Json message) => IsSame(message.Text("signature"), SignatureOf(message));

    /// <summary>Takes as long wherever the difference is, like CryptographicOperations.FixedTimeEquals of .NET.</summary>
    internal static bool IsSame(string one, string other) =>
        one.Length == other.Length && one.Zip(other, (left, right) => left ^ right).Sum() == 0;

    /// <summary>Whether it is the answer to this message: one about another proves nothing.</summary>
    static bool IsAnswer(Json answer, Json message)
    {
        if (!IsSigned(answer) || !ByStatusCode.ContainsKey(answer.Text("statusCode"))) return false;
        var named = answer.Object("transData").With("referenceId", answer.Get("originalReferenceId"));
        var same = new[] { "posId", "deviceId", "referenceId" }.All(name => Equals(answer.Get(name), message.Get(name)));
        return same && message.Object("transData").All(
            asked => named.Get(asked.Key) == null || Equals(named.Get(asked.Key), asked.Value));
    }
    // endregion verify

    internal sealed class Answer { public int Status, RetryAfter, Outcome = Unknown; public Json Body = new Json(); }

    static readonly HttpClientHandler Direct = new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false };
    static readonly HttpClient Http = new HttpClient(Direct) { Timeout = TimeSpan.FromSeconds(HttpSeconds) };

    /// <summary>One HTTP exchange, without redirects. No answer, status 0, says nothing about the gateway.</summary>
    static Answer Exchange(string method, string path, string body, string token, string prefer)
    {
        var request = new HttpRequestMessage(new HttpMethod(method), Setting("GATEWAY_URL", "").TrimEnd('/') + path);
        request.Headers.ExpectContinue = false;
        if (body != "") request.Content = new StringContent(body, Utf8, "application/json");
        if (token != "") request.Headers.Add("Authorization", "Bearer " + token);
        if (prefer != "") request.Headers.TryAddWithoutValidation("Prefer", prefer);
        try
        {
            using (var response = Http.SendAsync(request).GetAwaiter().GetResult())
            {
                var read = Json.Read(response.Content.ReadAsStringAsync().GetAwaiter().GetResult());
                if (!IsFromGateway((int)response.StatusCode, read)) return new Answer();
                int retryAfter = (int)(response.Headers.RetryAfter?.Delta?.TotalSeconds ?? 0);
                return new Answer { Status = (int)response.StatusCode, Body = read, RetryAfter = retryAfter };
            }
        }
        catch (Exception) { return new Answer(); } // of many kinds: also an answer that is not JSON
    }

    /// <summary>A proxy may answer anything, 408 or 403 too. The gateway's codes begin with the status.</summary>
    static bool IsFromGateway(int status, Json body) =>
        status == 200
        || (status >= 400 && body.Get("code") is long code && code / 100 == status && body.Get("traceId") is string);

    // region session
    static Json tokens = new Json();

    /// <summary>New tokens, by the refresh token. That ends at midnight: then by a login.</summary>
    static Answer Renew()
    {
        string refresh = tokens.Object("refresh").Text("token");
        var answer = refresh == "" ? null : Exchange("POST", "/auth/refresh", "", refresh, "");
        if (answer == null || answer.Status == 401)
        {
            // Signed, a login needs no password. Each is valid once: its nonce is new.
            var login = new Json { { "posId", PosId }, { "nonce", Guid.NewGuid().ToString() } };
            answer = Exchange("POST", "/auth/login", Json.Canonical(Signed(login)), "", "");
        }
        if (answer.Status != 200) return answer;
        bool isPair = new[] { "access", "refresh" }.All(name => answer.Body.Object(name).Text("token") != "");
        if (!isPair) return new Answer(); // the login page of a network
        tokens = answer.Body;
        return answer;
    }

    /// <summary>A call within the session. After a 401 it goes again, with a new access token.</summary>
    internal static Answer Call(string method, string path, string body = "", string prefer = "")
    {
        for (bool isAgain = false; ; isAgain = true)
        {
            var renewed = isAgain || tokens.Count == 0 ? Renew() : null;
            if (renewed != null && renewed.Status != 200) return renewed;
            var answer = Exchange(method, path, body, tokens.Object("access").Text("token"), prefer);
            if (answer.Status != 401 || isAgain) return answer;
        }
    }
    // endregion session

    // region ask
    /// <summary>Sends the same message again, with the same reference, until its outcome is certain.</summary>
    static Answer Ask(string path, Json message, bool maybeProcessed)
    {
        var result = new Answer();
        double wait = FirstWait;
        var random = new Random();
        var clock = Stopwatch.StartNew();
        while (true)
        {
            var answer = Call("POST", path, Json.Canonical(Signed(message)));
            if (answer.Status == 200 && IsAnswer(answer.Body, message))
            {
                result = answer;
                result.Outcome = ByStatusCode[answer.Body.Text("statusCode")];
                // A 22 does not mean "not paid". UNCONFIRMED waits for the operator.
                if (result.Outcome != Pending || answer.Body.Text("responseCode") == "UNCONFIRMED") return result;
            }
            else if (answer.Body.Text("code") == UsedBefore && message.Text("transType") != "inquiry")
            {
                message = InquiryAbout(message); // sent more than a day ago
            }
            else if (answer.Status >= 400 && answer.Status < 500 && answer.Status != 429)
            {
                // The gateway refuses this message. It may have processed an earlier one.
                answer.Outcome = maybeProcessed ? Unknown : Refused;
                return answer;
            }
            maybeProcessed = maybeProcessed || answer.Status != 429;
            double pause = Math.Max(wait * (0.5 + random.NextDouble() / 2), answer.RetryAfter);
            if (clock.Elapsed.TotalSeconds + pause > AskSeconds) return result;
            string reason = answer.Status == 0 ? "No answer." : "Not known yet.";
            Console.Error.WriteLine("Do not charge again. " + reason + " Asking again.");
            Thread.Sleep(TimeSpan.FromSeconds(pause));
            wait = Math.Min(wait * 2, LongestWait);
        }
    }
    // endregion ask

    // region store
    /// <summary>On disk when it returns, and never in part: a power cut leaves the old file or the new.</summary>
    internal static void Store(string path, string text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(path));
        string fresh = path + ".new";
        using (var file = new FileStream(fresh, FileMode.Create))
        {
            file.Write(Utf8.GetBytes(text), 0, Utf8.GetByteCount(text));
            file.Flush(true);
        }
        if (File.Exists(path)) File.Replace(fresh, path, null);
        else File.Move(fresh, path);
        // Once more after the change of name, because .NET cannot store the folder.
        using (var file = new FileStream(path, FileMode.Open)) file.Flush(true);
    }

    static string RecordOf(string reference) => Path.Combine(Folder, "open", reference + ".json");
    // endregion store

    // region lock
    /// <summary>For one process: a double click would charge twice. The operating system unlocks when it ends.</summary>
    static bool Lock(string name)
    {
        Directory.CreateDirectory(Folder);
        try
        {
            string path = Path.Combine(Folder, name);
            lockFile = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            if (Type.GetType("Mono.Runtime") != null) lockFile.Lock(0, 1); // Mono's FileShare holds in one process only
            return true;
        }
        catch (IOException) { return false; }
    }

    static FileStream lockFile; // collected as garbage, it would be unlocked
    // endregion lock

    // region transact
    static int Sale(string amount) =>
        Transact("sale", new Json().With("transAmt", amount).With("paymentMethod", "bankCard"));

    /// <summary>One at a time: none begins while the outcome of an earlier one is not certain.</summary>
    static int Transact(string transType, Json transData)
    {
        if (Recover() > NotApproved)
        {
            Print("Not sent: an earlier transaction is open. Use recover again, or aside.");
            return Refused;
        }
        var message = NewMessage(transType, transData);
        // Before the message is sent: after a crash, nothing else knows of it.
        Store(RecordOf(message.Text("referenceId")), Json.Canonical(message));
        return Settle(message.Text("referenceId"), Ask("/api/transfer", message, false));
    }

    static Json NewMessage(string transType, Json transData)
    {
        var message = new Json { { "transType", transType }, { "transData", transData }, { "apiVersion", "v1" } };
        // 20 random digits: a counter that restarts would get old answers.
        return message.With("referenceId", Guid.NewGuid().ToString("N").Substring(0, 20)).With("posId", PosId)
            .With("merchantId", Setting("MERCHANT_ID", "")).With("deviceId", DeviceId);
    }

    /// <summary>Shows the outcome. Only then, and only if it is certain, forgets the record.</summary>
    static int Settle(string reference, Answer result)
    {
        if (IsAboutAnother(reference, result.Body))
        {
            result = new Answer { Outcome = NotApproved, Body = new Json().With("message", NeverStarted) };
        }
        Show(reference, result);
        if (result.Outcome != Pending && result.Outcome != Unknown) File.Delete(RecordOf(reference));
        return result.Outcome;
    }

    /// <summary>Whether an inquiry returned a transaction of another type or amount: the reference was not unique.</summary>
    static bool IsAboutAnother(string reference, Json answer)
    {
        string transType = answer.Text("originalTransType");
        if (transType == "" || !File.Exists(RecordOf(reference))) return false;
        var record = Json.Read(File.ReadAllText(RecordOf(reference)));
        string sent = record.Object("transData").Text("transAmt");
        string found = answer.Object("transData").Text("transAmt");
        return transType != record.Text("transType") || (sent != "" && found != "" && sent != found);
    }
    // endregion transact

    // region recover
    /// <summary>Asks about what a crash or a lost connection has left open.</summary>
    static int Recover()
    {
        int worst = Approved;
        foreach (var file in Directory.CreateDirectory(Path.Combine(Folder, "open")).GetFiles("*.json"))
        {
            var record = Json.Read(File.ReadAllText(file.FullName));
            var result = Ask("/api/transfer", InquiryAbout(record), true);
            worst = Math.Max(worst, Settle(record.Text("referenceId"), result));
        }
        return worst;
    }

    /// <summary>It starts nothing. A sale that never arrived is cancelled: its customer may have left.</summary>
    static Json InquiryAbout(Json record) =>
        NewMessage("inquiry", new Json().With("referenceId", record.Text("referenceId")))
            .With("deviceId", record.Text("deviceId"));

    /// <summary>The cashier goes on without what stays open for long. Its outcome comes as an event.</summary>
    static int Aside(string reference)
    {
        string folder = Directory.CreateDirectory(Path.Combine(Folder, "aside")).FullName;
        File.Move(RecordOf(reference), Path.Combine(folder, reference + ".json"));
        return Approved;
    }
    // endregion recover

    // region cancel
    /// <summary>The answer has the transaction's outcome: the customer may have been faster.</summary>
    static int Cancel(string reference) => Settle(reference, Ask("/api/transfer/cancel",
        new Json { { "posId", PosId }, { "deviceId", DeviceId }, { "referenceId", reference } }, true));
    // endregion cancel

    // region void
    /// <summary>A transaction of its own, with its own reference.</summary>
    static int Void(string transId) => Transact("void", new Json().With("transId", transId));
    // endregion void

    // region inquiry
    static int Inquiry(string transId)
    {
        // A refused question does not say that no money moved.
        var result = Ask("/api/transfer", NewMessage("inquiry", new Json().With("transId", transId)), true);
        Show(transId, result);
        return result.Outcome;
    }
    // endregion inquiry

    internal static void Print(params string[] words) => Console.WriteLine(string.Join(" ", words));

    static void Show(string name, Answer result)
    {
        if (result.Outcome == Pending || result.Outcome == Unknown) Print(Keep);
        string open = result.Body.Text("openReferenceId");
        if (open != "") Print("Another payment is open at the terminal. To cancel it: cancel " + open);
        var answer = result.Body;
        string text = answer.Text(answer.ContainsKey("responseText") ? "responseText" : "message");
        string transId = answer.Object("transData").Text("transId");
        Print(name, Words[result.Outcome], answer.Text("responseCode"), text, transId);
        foreach (var detail in answer.Objects("details")) Print(" ", detail.Text("path"), detail.Text("message"));
    }

    // region totals
    static int Totals(string day)
    {
        var answer = Call("GET", "/api/totals" + (day == "" ? "" : "?day=" + day));
        var body = answer.Body;
        if (answer.Status != 200 || !body.ContainsKey("data"))
        {
            Print(body.ContainsKey("message") ? body.Text("message") : "The gateway did not answer.");
            return Refused;
        }
        foreach (var line in body.Objects("data"))
        {
            Json sum = line.Object("approved");
            string channel = (line.Get("paymentChannel") ?? "-").ToString();
            Print(line.Text("transType"), channel, sum.Text("count"), sum.Text("transAmt"), line.Text("currency"));
        }
        string state = Equals(body.Get("closed"), true) ? "closed" : "open";
        Print(body.Text("day"), state + ",", (body.Object("pending").Get("count") ?? 0).ToString(), "not known yet");
        return Approved;
    }
    // endregion totals

    /// <summary>Prints a message's canonical form and signature. The outcome is 1 if it has a wrong one.</summary>
    static int Sign()
    {
        var message = Json.Read(new StreamReader(Console.OpenStandardInput(), Utf8).ReadToEnd());
        Console.Write(SignedForm(message) + "\n" + SignatureOf(message) + "\n");
        return message.ContainsKey("signature") && !IsSigned(message) ? NotApproved : Approved;
    }

    static readonly Dictionary<string, Func<string, int>> Actions = new Dictionary<string, Func<string, int>>
    {
        { "sale", Sale }, { "void", Void }, { "cancel", Cancel }, { "inquiry", Inquiry }, { "recover", _ => Recover() },
        { "aside", Aside }, { "totals", Totals }, { "events", _ => Events.Follow() }, { "webhook", _ => Events.Webhook() },
        { "sign", _ => Sign() },
    };

    // What works with the open records, or with the books, has its folder for itself. A cancel comes while a sale waits.
    static readonly Dictionary<string, string> Locks = new Dictionary<string, string>
    {
        { "sale", "lock" }, { "void", "lock" }, { "recover", "lock" }, { "aside", "lock" },
        { "events", "events.lock" }, { "webhook", "events.lock" },
    };
    static readonly string[] WithArgument = { "sale", "void", "cancel", "inquiry", "aside" };

    public static int Main(string[] words)
    {
        Console.SetOut(new StreamWriter(Console.OpenStandardOutput(), Utf8) { AutoFlush = true });
        string name = words.ElementAtOrDefault(0) ?? "", argument = words.ElementAtOrDefault(1) ?? "";
        var needed = name == "sign" ? new[] { "SIGNING_KEY" } : name == "webhook" ? new[] { "WEBHOOK_SECRET" } : Settings;
        string missing = string.Join(" ", needed.Where(one => Setting(one, "") == ""));
        bool isUsable = Actions.ContainsKey(name) && (argument != "" || !WithArgument.Contains(name));
        try
        {
            if (isUsable && missing == "")
            {
                if (!Locks.ContainsKey(name) || Lock(Locks[name])) return Actions[name](argument);
                Print("Nothing was sent: another process works in this folder.");
                return Locked;
            }
        }
        catch (Exception problem)
        {
            Console.Error.WriteLine(problem);
            return Unknown;
        }
        Print(isUsable ? "Missing in the environment: " + missing : "See the first lines of Pos.cs.");
        return WrongUsage;
    }
}
