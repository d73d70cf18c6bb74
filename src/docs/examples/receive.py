import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
last = int(os.environ.get("LAST", "0"))  # in your books: the number of the last event that they hold


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        global last
        header = lambda name: self.headers.get(name, "").encode()  # bytes: anybody may send anything
        length, sent = header("content-length"), header("webhook-timestamp")
        body = self.rfile.read(int(length) if length.isdigit() else 0)
        signed = header("webhook-id") + b"." + sent + b"." + body
        mac = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
        good = any(hmac.compare_digest(mac, one) for one in header("webhook-signature").split())
        good = good and abs(time.time() - int(sent)) < 300
        event = json.loads(body) if good else {}
        if event.get("number", 0) > last:
            last = event["number"]
            print(last, event["type"], event["data"].get("referenceId", ""), flush=True)
        self.send_response(204 if good else 401)
        self.end_headers()


HTTPServer(("localhost", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
