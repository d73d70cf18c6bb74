"""A POS. Python 3.9 or later, standard library only:

    python3 pos.py sale 12.50 | void TRANSID | cancel REFERENCE | inquiry TRANSID | recover | aside REFERENCE
    python3 pos.py totals [DAY] | events | sign < message.json

In the environment: GATEWAY_URL, POS_ID, MERCHANT_ID, DEVICE_ID and SIGNING_KEY; POS_FOLDER, where its files are. Its
exit status is the outcome: 0 approved (or done), 1 not approved, 2 not known yet, 3 failed and no money moved, 4 failed
and the outcome is unknown, 5 wrong usage, 6 nothing sent: another process works in the folder.
"""

import hashlib, hmac, inspect, json, os, random, secrets, sys, threading, time, traceback
from collections import namedtuple
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

SETTINGS = ("GATEWAY_URL", "POS_ID", "MERCHANT_ID", "DEVICE_ID", "SIGNING_KEY")
GATEWAY_URL, POS_ID, MERCHANT_ID, DEVICE_ID, SIGNING_KEY = (os.environ.get(name, "") for name in SETTINGS)
FOLDER = Path(os.environ.get("POS_FOLDER", "pos-data"))
LAST_EVENT = FOLDER / "last-event"

APPROVED, NOT_APPROVED, PENDING, REFUSED, UNKNOWN, WRONG_USAGE, LOCKED = range(7)
WORDS = ("approved", "not approved", "not known yet", "refused, no money moved", "outcome unknown")
BY_STATUS_CODE = {"00": APPROVED, "11": NOT_APPROVED, "22": PENDING}
DONE = APPROVED
KEEP = "Do not charge again: money may have moved. Ask again with recover or inquiry."
USED_BEFORE = 40009
NEVER_STARTED = "Its reference is another transaction's. This one was never started."

HTTP_SECONDS = 120  # a customer takes time to pay
ASK_SECONDS = 180  # then the cashier decides; the transaction stays open
FIRST_WAIT, LONGEST_WAIT = 0.5, 10
MOST_BYTES = 1_000_000  # of an answer


# region sign
def canonical(value):
    """RFC 8785: names sorted by UTF-16 code units, no white space, few escapes."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, float):
        raise ValueError("Numbers are integers here; amounts are texts.")
    return json.dumps(value, ensure_ascii=False)  # ü stays as it is


def signed_form(message):
    """What is signed: the canonical form of the message without its own signature."""
    return canonical({name: value for name, value in message.items() if name != "signature"})


def signature_of(message):
    """The key is the text of the signing key. It only looks like base64."""
    return hmac.new(SIGNING_KEY.encode(), signed_form(message).encode(), hashlib.sha256).hexdigest()


def signed(message):
    message = {**message, "datetime": time.strftime("%Y%m%dT%H%M%S", time.gmtime())}
    return {**message, "signature": signature_of(message)}
# endregion sign


# region verify
def is_signed(message):
    """Over every member as it came, unknown members included."""
    try:
        return hmac.compare_digest(str(message.get("signature")).encode(), signature_of(message).encode())
    except ValueError:  # a number or a text that the gateway never signs
        return False


def is_answer(answer, message):
    """Whether it is the answer to this message: one about another proves nothing."""
    if not is_signed(answer) or answer.get("statusCode") not in BY_STATUS_CODE:
        return False
    asked = message.get("transData", {})
    named = {**answer.get("transData", {}), "referenceId": answer.get("originalReferenceId")}
    same = all(answer[name] == message[name] for name in ("posId", "deviceId", "referenceId"))
    return same and all(named.get(name) in (None, asked[name]) for name in asked)
# endregion verify


Answer = namedtuple("Answer", "status body retry_after")
NO_ANSWER = Answer(0, {}, 0)


def exchange(method, path, message=None, token="", prefer=""):
    """One HTTP exchange, without redirects. No answer says nothing about what happened at the gateway."""
    url = urlsplit(GATEWAY_URL)
    connect = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = connect(url.netloc, timeout=HTTP_SECONDS)
    headers = {"Content-Type": "application/json", "Prefer": prefer}
    if token:
        headers["Authorization"] = "Bearer " + token
    try:
        connection.request(method, url.path.rstrip("/") + path, message and json.dumps(message), headers)
        response = connection.getresponse()
        body = json.loads(response.read(MOST_BYTES))
        if not is_from_gateway(response.status, body):
            return NO_ANSWER
        return Answer(response.status, body, int(response.headers.get("Retry-After", 0)))
    except (OSError, HTTPException, ValueError, RecursionError):
        return NO_ANSWER
    finally:
        connection.close()


def is_from_gateway(status, body):
    """A proxy may answer anything, 408 or 403 too, while the sale goes on. Its codes begin with the status."""
    if not isinstance(body, dict):
        return False
    code, trace = body.get("code"), body.get("traceId")
    return status == 200 or (status >= 400 and type(code) is int and code // 100 == status and isinstance(trace, str))


# region session
tokens = None


def renew():
    """New tokens, by the refresh token. That ends at midnight: then by a login."""
    global tokens
    answer = tokens and exchange("POST", "/auth/refresh", token=tokens["refresh"]["token"])
    if not answer or answer.status == 401:
        # Signed, a login needs no password. Each is valid once: its nonce is new.
        login = {"posId": POS_ID, "nonce": secrets.token_hex(16)}
        answer = exchange("POST", "/auth/login", signed(login))
    if answer.status == 200:
        if not all(isinstance(answer.body.get(name), dict) for name in ("access", "refresh")):
            return NO_ANSWER  # the login page of a network
        tokens = answer.body
    return answer


def call(method, path, message=None, prefer=""):
    """A call within the session. After a 401 it goes again, with a new access token."""
    for is_again in (False, True):
        renewed = renew() if is_again or not tokens else None
        if renewed and renewed.status != 200:
            return renewed
        answer = exchange(method, path, message, tokens["access"]["token"], prefer)
        if answer.status != 401 or is_again:
            return answer
# endregion session


# region ask
def ask(path, message, maybe_processed):
    """Sends the same message again, with the same reference, until its outcome is certain."""
    outcome, result, wait, end = UNKNOWN, {}, FIRST_WAIT, time.monotonic() + ASK_SECONDS
    while True:
        answer = call("POST", path, signed(message))
        if answer.status == 200 and is_answer(answer.body, message):
            outcome, result = BY_STATUS_CODE[answer.body["statusCode"]], answer.body
            # A 22 does not mean "not paid". UNCONFIRMED waits for the operator.
            if outcome != PENDING or result["responseCode"] == "UNCONFIRMED":
                return outcome, result
        elif answer.body.get("code") == USED_BEFORE and message.get("transType") != "inquiry":
            message = inquiry_about(message)  # first sent more than a day ago
        elif 400 <= answer.status < 500 and answer.status != 429:
            # The gateway refuses this message. It may have processed an earlier one.
            return (UNKNOWN if maybe_processed else REFUSED), answer.body
        maybe_processed = maybe_processed or answer.status != 429
        pause = max(wait * random.uniform(0.5, 1), answer.retry_after)
        if time.monotonic() + pause > end:
            return outcome, result
        reason = "Not known yet." if answer.status else "No answer."
        print("Do not charge again.", reason, "Asking again.", file=sys.stderr)
        time.sleep(pause)
        wait = min(wait * 2, LONGEST_WAIT)
# endregion ask


# region store
def store(path, text):
    """On disk when it returns, and never in part: a power cut leaves the old file or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    if os.name == "posix":  # the name of a file is stored with its folder
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def record_of(reference):
    return FOLDER / "open" / f"{reference}.json"
# endregion store


# region lock
def lock(name):
    """For one process: a double click would charge twice. The operating system unlocks when the process ends."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = open(FOLDER / name, "a")
    try:
        if os.name == "nt":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return file
# endregion lock


# region transact
def sale(amount):
    return transact("sale", {"transAmt": amount, "paymentMethod": "bankCard"})


def transact(trans_type, trans_data):
    """One at a time: none begins while the outcome of an earlier one is not certain."""
    if recover() > NOT_APPROVED:
        print("Not sent: an earlier transaction is open. Use recover again, or aside.")
        return REFUSED
    message = new_message(trans_type, trans_data)
    # Before the message is sent: after a crash, nothing else knows of it.
    store(record_of(message["referenceId"]), json.dumps(message))
    return settle(message["referenceId"], *ask("/api/transfer", message, False))


def new_message(trans_type, trans_data):
    reference = secrets.token_hex(10)  # a counter that restarts would get old answers
    account = {"posId": POS_ID, "merchantId": MERCHANT_ID, "deviceId": DEVICE_ID, "apiVersion": "v1"}
    return {**account, "transType": trans_type, "referenceId": reference, "transData": trans_data}


def settle(reference, outcome, answer):
    """Shows the outcome. Only then, and only if it is certain, forgets the record."""
    if is_about_another(reference, answer):
        outcome, answer = NOT_APPROVED, {"message": NEVER_STARTED}
    show(reference, outcome, answer)
    if outcome in (APPROVED, NOT_APPROVED, REFUSED):
        record_of(reference).unlink(missing_ok=True)
    return outcome


def is_about_another(reference, answer):
    """Whether an inquiry returned a transaction of another type or amount: the reference was not unique."""
    if "originalTransType" not in answer or not record_of(reference).exists():
        return False
    record = json.loads(record_of(reference).read_text(encoding="utf-8"))
    sent, found = (each.get("transData", {}).get("transAmt") for each in (record, answer))
    return answer["originalTransType"] != record["transType"] or None not in (sent, found) and sent != found
# endregion transact


# region recover
def recover():
    """Asks about what a crash or a lost connection has left open."""
    outcomes = [DONE]
    for path in sorted(record_of("*").parent.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        outcome, answer = ask("/api/transfer", inquiry_about(record), True)
        outcomes.append(settle(record["referenceId"], outcome, answer))
    return max(outcomes)  # the worst outcome; the constants are ordered


def inquiry_about(record):
    """It starts nothing. A sale that never arrived is cancelled: its customer may have left."""
    message = new_message("inquiry", {"referenceId": record["referenceId"]})
    return {**message, "deviceId": record["deviceId"]}


def aside(reference):
    """The cashier goes on without what stays open for long. Its outcome comes as an event."""
    os.renames(record_of(reference), FOLDER / "aside" / f"{reference}.json")
    return DONE
# endregion recover


# region cancel
def cancel(reference):
    """The answer has the transaction's outcome: the customer may have been faster."""
    message = {"posId": POS_ID, "deviceId": DEVICE_ID, "referenceId": reference}
    return settle(reference, *ask("/api/transfer/cancel", message, True))
# endregion cancel


# region void
def void(trans_id):
    """A transaction of its own, with its own reference."""
    return transact("void", {"transId": trans_id})
# endregion void


# region inquiry
def inquiry(trans_id):
    message = new_message("inquiry", {"transId": trans_id})
    outcome, answer = ask("/api/transfer", message, True)  # a refused question does not say that no money moved
    show(trans_id, outcome, answer)
    return outcome
# endregion inquiry


def show(name, outcome, answer):
    if outcome in (PENDING, UNKNOWN):
        print(KEEP)
    if answer.get("openReferenceId"):
        print("Another payment is open at the terminal. To cancel it: cancel", answer["openReferenceId"])
    text = answer.get("responseText") or answer.get("message", "")
    trans_id = answer.get("transData", {}).get("transId", "")
    print(name, WORDS[outcome], answer.get("responseCode", ""), text, trans_id)
    for detail in answer.get("details", []):
        print(" ", detail["path"], detail["message"])


# region totals
def totals(day=""):
    answer = call("GET", "/api/totals" + (day and "?day=" + day))
    if answer.status != 200 or "data" not in answer.body:
        print(answer.body.get("message", "The gateway did not answer."))
        return REFUSED
    for line in answer.body["data"]:
        approved, channel = line["approved"], line["paymentChannel"] or "-"
        print(line["transType"], channel, approved["count"], approved["transAmt"], line["currency"])
    state = "closed" if answer.body["closed"] else "open"
    pending = answer.body["pending"] or {"count": 0}
    print(answer.body["day"], f"{state}, {pending['count']} not known yet")
    return APPROVED
# endregion totals


# region events
def events():
    """Books every event, in order, and waits for the next. Run it next to the POS."""
    while True:
        answer = call("GET", f"/api/events?after={last_event()}", prefer="wait=60")
        if answer.body.get("skipped"):
            print(answer.body["skipped"], "events are missing here: they were deleted. See totals.", file=sys.stderr)
        for event in answer.body.get("data", []):
            book(event)
        if not answer.body.get("data"):
            print(answer.body.get("message", ""), end="", file=sys.stderr)
            time.sleep(max(1, answer.retry_after))


BOOKS = threading.Lock()


def last_event():
    return int(LAST_EVENT.read_text()) if LAST_EVENT.exists() else 0


def book(event):
    """Once, however often it comes. In a database: it and its number in one transaction."""
    with BOOKS:
        if event.get("number", 0) > last_event():
            reference = event["data"].get("referenceId", "")
            print(event["number"], event["type"], reference, flush=True)
            store(LAST_EVENT, str(event["number"]))
# endregion events


def sign():
    """Prints a message's canonical form and signature. The outcome is 1 if it has a wrong one."""
    message = dict(json.loads(sys.stdin.buffer.read()))
    sys.stdout.buffer.write(f"{signed_form(message)}\n{signature_of(message)}\n".encode())
    return NOT_APPROVED if "signature" in message and not is_signed(message) else APPROVED


# What works with the open records, or with the books, has its folder for itself. A cancel comes while a sale waits.
LOCKS = {sale: "lock", void: "lock", recover: "lock", aside: "lock", events: "events.lock"}


def main(name="", *arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # a console may lack the letters of an answer
    actions = (sale, void, cancel, inquiry, recover, aside, totals, events, sign)
    action = {action.__name__: action for action in actions}.get(name)
    try:
        inspect.signature(action).bind(*arguments)
    except TypeError:  # no such action, or not its arguments
        print(__doc__)
        return WRONG_USAGE
    needed = ["SIGNING_KEY"] if action is sign else SETTINGS
    missing = [setting for setting in needed if not os.environ.get(setting)]
    if missing:
        print("Missing in the environment:", *missing)
        return WRONG_USAGE
    try:
        locked = lock(LOCKS[action]) if action in LOCKS else True
        if not locked:
            print("Nothing was sent: another process works in this folder.")
            return LOCKED
        return action(*arguments)
    except Exception:  # Python would exit with 1, which is "not approved"
        traceback.print_exc()
        return UNKNOWN


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
