#!/usr/bin/env bash
# Signs a message, and verifies one that is signed. bash, awk and perl:
#
#   SIGNING_KEY=… bash sign.sh < message.json
#
# Prints the canonical form, then the signature. Exit status 1 if the message has a signature that is wrong.
# A script that writes its message in canonical form to begin with needs the line with perl alone. The key is never an
# argument: everybody on the machine can read those.
set -euo pipefail

# RFC 8785: names sorted by UTF-16 code units, no white space, only what must be escaped is. The second line is the
# message's own signature, which the first one leaves out.
canonical() {
  LC_ALL=C awk '
    function fail() { print "not JSON as the gateway takes it, at byte " at > "/dev/stderr"; failed = 1; exit 2 }
    function skip() { while (index(" \t\r\n", substr(json, at, 1)) && at <= length(json)) at++ }
    function found(wanted) { skip(); if (substr(json, at, 1) != wanted) return 0; at++; return 1 }

    function value(depth,    first) {
      skip()
      first = substr(json, at, 1)
      if (first == "{") return object(depth)
      if (first == "[") return list(depth)
      if (first == "\"") return text()
      if (!match(substr(json, at), /^(true|false|null|0|-?[1-9][0-9]*)/)) fail()
      at += RLENGTH
      return substr(json, at - RLENGTH, RLENGTH)
    }

    function object(depth,    count, names, members, name, key, member, place, out) {
      at++
      count = 0
      if (!found("}")) {
        do {
          skip()
          name = text(); key = sortable
          if (!found(":")) fail()
          member = value(depth + 1)
          if (depth == 0 && name == "\"signature\"") { signature = member; continue }
          for (place = count++; place > 0 && names[place] > key; place--) {
            names[place + 1] = names[place]; members[place + 1] = members[place]
          }
          names[place + 1] = key ""; members[place + 1] = name ":" member
        } while (found(","))
        if (!found("}")) fail()
      }
      out = members[1]
      for (place = 2; place <= count; place++) out = out "," members[place]
      return "{" out "}"
    }

    function list(depth,    out) {
      at++
      if (found("]")) return "[]"
      out = value(depth + 1)
      while (found(",")) out = out "," value(depth + 1)
      if (!found("]")) fail()
      return "[" out "]"
    }

    # Leaves in `sortable` what sorts by bytes as the text sorts by UTF-16 code units: there, what UTF-8 writes in four
    # bytes comes before the characters from U+E000 on.
    function text(    sign, out, key) {
      if (substr(json, at, 1) != "\"") fail()
      out = key = ""
      for (at++; (sign = substr(json, at, 1)) != "\""; at++) {
        if (sign == "") fail()
        if (sign == "\\") sign = unescaped()
        out = out (sign in escapes ? escapes[sign] : sign)
        key = key sign
      }
      at++
      gsub(/[\360-\364]/, "\355\377&", key)
      sortable = key
      return "\"" out "\""
    }

    function unescaped(    kind, code) {
      kind = substr(json, ++at, 1)
      if (kind != "u") {
        if (kind == "" || !index("\"\\/bfnrt", kind)) fail()
        return substr("\"\\/\b\f\n\r\t", index("\"\\/bfnrt", kind), 1)
      }
      code = hex(substr(json, at + 1, 4))
      at += 4
      if (code >= 55296 && code < 56320) {
        code = 65536 + (code - 55296) * 1024 + hex(substr(json, at + 3, 4)) - 56320
        at += 6
      }
      return utf8(code)
    }

    function hex(digits,    place, number) {
      for (place = 1; place <= 4; place++) {
        number = number * 16 + index("0123456789abcdef", tolower(substr(digits, place, 1))) - 1
      }
      return number
    }

    function utf8(code) {
      if (code == 0) return "\\u0000"
      if (code < 128) return sprintf("%c", code)
      if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
      if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
      return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
    }

    BEGIN {
      for (code = 1; code < 32; code++) escapes[sprintf("%c", code)] = sprintf("\\u%04x", code)
      escapes["\b"] = "\\b"; escapes["\t"] = "\\t"; escapes["\n"] = "\\n"; escapes["\f"] = "\\f"; escapes["\r"] = "\\r"
      escapes["\""] = "\\\""; escapes["\\"] = "\\\\"
    }
    { json = json $0 "\n" }
    END {
      if (failed) exit 2
      at = 1
      skip()
      if (substr(json, at, 1) != "{") fail()
      form = value(0)
      skip()
      if (at <= length(json)) fail()
      print form
      print signature
    }'
}

lines=$(canonical)
form=${lines%%$'\n'*}
given=${lines#"$form"}
given=${given#$'\n'}
signature=$(printf %s "$form" |
  perl -MDigest::SHA=hmac_sha256_hex -0777 -ne 'print hmac_sha256_hex($_, $ENV{SIGNING_KEY})')
printf '%s\n%s\n' "$form" "$signature"

[ -z "$given" ] || [ "$given" = "\"$signature\"" ]
