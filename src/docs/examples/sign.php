<?php
// Signs a message, and verifies one that is signed. PHP 7.2 or later:
//
//   SIGNING_KEY=… php sign.php < message.json
//
// Prints the canonical form, then the signature. A message that has a signature is verified: exit status 1 if it does
// not hold.
declare(strict_types=1);

/** RFC 8785: names sorted by UTF-16 code units, no white space, only what must be escaped is. */
function canonical($value): string
{
    if (is_array($value)) {
        return '[' . implode(',', array_map('canonical', $value)) . ']';
    }
    if (is_object($value)) {
        // PHP turns a name such as "10" into an integer.
        $names = array_map('strval', array_keys(get_object_vars($value)));
        usort($names, function (string $one, string $other): int {
            return strcmp(iconv('UTF-8', 'UTF-16BE', $one), iconv('UTF-8', 'UTF-16BE', $other));
        });
        $members = array_map(function (string $name) use ($value): string {
            return text($name) . ':' . canonical($value->{$name});
        }, $names);
        return '{' . implode(',', $members) . '}';
    }
    if (is_float($value)) {
        throw new InvalidArgumentException('Numbers are integers here; amounts are texts.');
    }
    return is_string($value) ? text($value) : json_encode($value);
}

/** Without these three flags PHP escapes what RFC 8785 leaves as it is. */
function text(string $value): string
{
    return json_encode($value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS);
}

/** What is signed: the canonical form of the message without its own signature. */
function signedForm(stdClass $message): string
{
    $copy = clone $message;
    unset($copy->signature);
    return canonical($copy);
}

function sign(stdClass $message, string $key): string
{
    return hash_hmac('sha256', signedForm($message), $key);
}

function holds(stdClass $message, string $key): bool
{
    return is_string($message->signature) && hash_equals(sign($message, $key), $message->signature);
}

// Objects stay objects: an associative array cannot tell {} from [].
$message = json_decode(file_get_contents('php://stdin'), false, 32);
if (!$message instanceof stdClass) {
    fwrite(STDERR, "A JSON object is wanted.\n");
    exit(2);
}
$key = getenv('SIGNING_KEY');
echo signedForm($message), "\n", sign($message, $key), "\n";
if (property_exists($message, 'signature')) {
    $verdict = holds($message, $key);
    echo $verdict ? "The signature holds.\n" : "The signature does not hold.\n";
    exit($verdict ? 0 : 1);
}
