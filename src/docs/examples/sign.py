"""Signs a message, and verifies one that is signed. Python 3, standard library only:

    SIGNING_KEY=… python3 sign.py < message.json

Prints the canonical form, then the signature. A message that has a signature is verified: exit status 1 if it does
not hold.
"""

import hashlib
import hmac
import json
import os
import sys


def canonical(value):
    """RFC 8785: names sorted by UTF-16 code units, no white space, only what must be escaped is."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(text(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, str):
        return text(value)
    return json.dumps(value)  # null, true, false, integers


def text(value):
    # Without ensure_ascii=False every ü would become an escape, and the signature another one.
    return json.dumps(value, ensure_ascii=False)


def refuse_fraction(digits):
    raise ValueError("Numbers are integers here; amounts are texts: " + digits)


def signed_form(message):
    """What is signed: the canonical form of the message without its own signature."""
    return canonical({name: value for name, value in message.items() if name != "signature"})


def sign(message, key):
    return hmac.new(key.encode("utf-8"), signed_form(message).encode("utf-8"), hashlib.sha256).hexdigest()


def holds(message, key):
    return hmac.compare_digest(str(message.get("signature")).encode("utf-8"), sign(message, key).encode("utf-8"))


def main():
    message = json.loads(sys.stdin.buffer.read().decode("utf-8"), parse_float=refuse_fraction)
    key = os.environ["SIGNING_KEY"]
    lines = [signed_form(message), sign(message, key)]
    verdict = "signature" not in message or holds(message, key)
    if "signature" in message:
        lines.append("The signature holds." if verdict else "The signature does not hold.")
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode("utf-8"))
    return 0 if verdict else 1


if __name__ == "__main__":
    sys.exit(main())
