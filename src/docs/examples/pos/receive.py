"""Receives webhooks and books their events, as pos.py does with those that it reads. Python 3.9 or later:

    python3 receive.py

In the environment: WEBHOOK_SECRET, PORT, and the POS_FOLDER of pos.py.
"""

import base64, hashlib, hmac, json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pos

MOST_BYTES = 1_000_000


# region webhook
class Receiver(BaseHTTPRequestHandler):
    """Each connection has its own thread: nobody waits for one that sends nothing."""
    timeout = 10  # seconds without a byte, after which the gateway has given up, too

    def do_POST(self):
        chunked = self.header("transfer-encoding").lower() == b"chunked"
        body = self.chunks() if chunked else self.bytes(self.header("content-length") or b"0", 10)
        if body is None:
            return self.send_error(413)
        genuine = self.is_genuine(body)
        if genuine:
            pos.book(json.loads(body))
        self.send_response(204 if genuine else 401)  # what is not booked comes again
        self.end_headers()

    def bytes(self, length, base, room=MOST_BYTES):
        """Reads as many bytes as a number says. None: it says none, or too many."""
        try:
            count = int(length, base)
        except ValueError:
            return None
        return self.rfile.read(count) if 0 <= count <= room else None

    def chunks(self):
        """RFC 9112, section 7.1: each chunk comes after a line with its length, and the last one is empty."""
        body = b""
        while True:
            chunk = self.bytes(self.rfile.readline(100).split(b";")[0].strip(), 16, MOST_BYTES - len(body))
            if not chunk:
                return None if chunk is None else body
            body += chunk
            self.rfile.readline(100)

    def is_genuine(self, body):
        """Signed are the bytes as they came. While the secret changes, there are two signatures."""
        key = base64.b64decode(os.environ["WEBHOOK_SECRET"][len("whsec_") :])
        sent = self.header("webhook-timestamp")
        content = self.header("webhook-id") + b"." + sent + b"." + body
        mac = b"v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256))
        signatures = self.header("webhook-signature").split()
        is_right = any(hmac.compare_digest(mac, one) for one in signatures)
        return is_right and abs(time.time() - int(sent)) < 300

    def header(self, name):
        return self.headers.get(name, "").encode()  # bytes: anybody may send anything


def webhook():
    address = ("localhost", int(os.environ.get("PORT", "9000")))
    ThreadingHTTPServer(address, Receiver).serve_forever()
# endregion webhook


if __name__ == "__main__":
    if not os.environ.get("WEBHOOK_SECRET"):
        sys.exit("Missing in the environment: WEBHOOK_SECRET")
    locked = pos.lock("events.lock")
    sys.exit(webhook() if locked else pos.LOCKED)
