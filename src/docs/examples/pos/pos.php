<?php
// A POS. PHP 8.1 or later with its default extensions:
//
//   php pos.php sale 12.50 | void TRANSID | cancel REFERENCE | inquiry TRANSID | recover | aside REFERENCE
//   php pos.php totals [DAY] | events | sign < message.json
//   php -S localhost:9000 pos.php      receives webhooks, to try it; else behind your web server, which limits bodies
//
// In the environment: GATEWAY_URL, POS_ID, MERCHANT_ID, DEVICE_ID and SIGNING_KEY; POS_FOLDER, where its files are; for
// webhooks WEBHOOK_SECRET. Its exit status is the outcome: 0 approved (or done), 1 not approved, 2 not known yet, 3 failed and
// no money moved, 4 failed and the outcome is unknown, 5 wrong usage, 6 nothing sent: another process works in the folder.
declare(strict_types=1);

const APPROVED = 0, NOT_APPROVED = 1, PENDING = 2, REFUSED = 3, UNKNOWN = 4, WRONG_USAGE = 5, LOCKED = 6;
const WORDS = ['approved', 'not approved', 'not known yet', 'refused, no money moved', 'outcome unknown'];
const BY_STATUS_CODE = ['00' => APPROVED, '11' => NOT_APPROVED, '22' => PENDING];
const KEEP = 'Do not charge again: money may have moved. Ask again with recover or inquiry.';
const USED_BEFORE = 40009;
const NEVER_STARTED = "Its reference is another transaction's. This one was never started.";

const HTTP_SECONDS = 120; // a customer takes time to pay
const ASK_SECONDS = 180; // then the cashier decides; the transaction stays open
const FIRST_WAIT = 0.5, LONGEST_WAIT = 10;
const MOST_BYTES = 1_000_000; // of an answer or a delivery

function setting(string $name, string $default = ''): string {
    return getenv($name) ?: $default;
}

function folder(): string {
    return setting('POS_FOLDER', 'pos-data');
}

// region sign
/** RFC 8785: names sorted by UTF-16 code units, no white space, few escapes. */
function canonical(mixed $value): string {
    if (is_array($value)) return '[' . implode(',', array_map('canonical', $value)) . ']';
    if (is_object($value)) {
        $names = array_map('strval', array_keys(get_object_vars($value))); // PHP makes "10" an integer
        usort($names, fn($one, $other) => strcmp(utf16($one), utf16($other)));
        $members = array_map(fn($name) => canonical($name) . ':' . canonical($value->{$name}), $names);
        return '{' . implode(',', $members) . '}';
    }
    if (is_float($value)) throw new InvalidArgumentException('Numbers are integers here; amounts are texts.');
    // Without these flags, PHP escapes what stays as it is.
    $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS;
    return json_encode($value, $flags | JSON_THROW_ON_ERROR);
}

function utf16(string $text): string {
    return iconv('UTF-8', 'UTF-16BE', $text);
}

/** What is signed: the canonical form of the message without its own signature. */
function signedForm(object $message): string {
    $copy = clone $message;
    unset($copy->signature);
    return canonical($copy);
}

/** The key is the text of the signing key. It only looks like base64. */
function signatureOf(object $message): string {
    return hash_hmac('sha256', signedForm($message), setting('SIGNING_KEY'));
}

function signed(array $message): object {
    $signed = (object) (['datetime' => gmdate('Ymd\THis')] + $message);
    $signed->signature = signatureOf($signed);
    return $signed;
}
// endregion sign

// region verify
/** Over every member as it came, unknown members included. */
function isSigned(object $message): bool {
    $signature = $message->signature ?? null;
    try {
        return is_string($signature) && hash_equals(signatureOf($message), $signature);
    } catch (InvalidArgumentException) { // a number that the gateway never signs
        return false;
    }
}

/** Whether it is the answer to this message: one about another proves nothing. */
function isAnswer(object $answer, array $message): bool {
    if (!isSigned($answer) || !isset(BY_STATUS_CODE[$answer->statusCode ?? ''])) return false;
    foreach (['posId', 'deviceId', 'referenceId'] as $name) {
        if ($answer->{$name} !== $message[$name]) return false;
    }
    $named = ['referenceId' => $answer->originalReferenceId ?? null] + (array) ($answer->transData ?? []);
    foreach ((array) ($message['transData'] ?? []) as $name => $asked) {
        if (($named[$name] ?? $asked) !== $asked) return false;
    }
    return true;
}
// endregion verify

final class Answer {
    public function __construct(public int $status, public object $body, public int $retryAfter = 0) {}
}

/** One HTTP exchange, without redirects. No answer, status 0, says nothing about what happened at the gateway. */
function exchange(string $method, string $path, ?object $message = null, string $token = '', string $prefer = ''): Answer {
    $headers = ['Content-Type: application/json', 'Connection: close'];
    if ($token !== '') $headers[] = "Authorization: Bearer $token";
    if ($prefer !== '') $headers[] = "Prefer: $prefer";
    $content = $message === null ? '' : json_encode($message);
    $fixed = ['protocol_version' => 1.1, 'ignore_errors' => true, 'follow_location' => 0, 'timeout' => HTTP_SECONDS];
    $context = stream_context_create(['http' => ['method' => $method, 'header' => $headers, 'content' => $content] + $fixed]);
    $stream = @fopen(rtrim(setting('GATEWAY_URL'), '/') . $path, 'r', false, $context);
    $body = $stream === false ? null : json_decode((string) stream_get_contents($stream, MOST_BYTES));
    $lines = $stream === false ? [''] : stream_get_meta_data($stream)['wrapper_data'];
    $status = (int) (explode(' ', $lines[0])[1] ?? 0);
    if (!isFromGateway($status, $body)) return new Answer(0, new stdClass());
    $wait = preg_grep('/^retry-after: *\d+$/i', $lines);
    return new Answer($status, $body, (int) preg_replace('/\D/', '', implode($wait)));
}

/** A proxy may answer anything, 408 or 403 too, while the sale goes on. The gateway's codes begin with the status. */
function isFromGateway(int $status, mixed $body): bool {
    if (!is_object($body)) return false;
    if ($status === 200) return true;
    $code = $body->code ?? null;
    return $status >= 400 && is_int($code) && intdiv($code, 100) === $status && is_string($body->traceId ?? null);
}

// region session
$tokens = null;

/** New tokens, by the refresh token. That ends at midnight: then by a login. */
function renew(): Answer {
    global $tokens;
    $answer = $tokens === null ? null : exchange('POST', '/auth/refresh', null, $tokens->refresh->token);
    if ($answer === null || $answer->status === 401) {
        // Signed, a login needs no password. Each is valid once: its nonce is new.
        $login = ['posId' => setting('POS_ID'), 'nonce' => bin2hex(random_bytes(16))];
        $answer = exchange('POST', '/auth/login', signed($login));
    }
    if ($answer->status !== 200) return $answer;
    $isPair = isset($answer->body->access->token, $answer->body->refresh->token); // not the login page of a network
    return $isPair ? new Answer(200, $tokens = $answer->body) : new Answer(0, new stdClass());
}

/** A call within the session. After a 401 it goes again, with a new access token. */
function call(string $method, string $path, ?object $message = null, string $prefer = ''): Answer {
    global $tokens;
    foreach ([false, true] as $isAgain) {
        $renewed = $isAgain || $tokens === null ? renew() : null;
        if ($renewed !== null && $renewed->status !== 200) return $renewed;
        $answer = exchange($method, $path, $message, $tokens->access->token, $prefer);
        if ($answer->status !== 401 || $isAgain) return $answer;
    }
}
// endregion session

// region ask
/** Sends the same message again, with the same reference, until its outcome is certain. */
function ask(string $path, array $message, bool $maybeProcessed): array {
    [$outcome, $result, $wait] = [UNKNOWN, new stdClass(), FIRST_WAIT];
    $end = hrtime(true) + ASK_SECONDS * 1e9;
    while (true) {
        $answer = call('POST', $path, signed($message));
        if ($answer->status === 200 && isAnswer($answer->body, $message)) {
            [$outcome, $result] = [BY_STATUS_CODE[$answer->body->statusCode], $answer->body];
            // A 22 does not mean "not paid". UNCONFIRMED waits for the operator.
            if ($outcome !== PENDING || $result->responseCode === 'UNCONFIRMED') return [$outcome, $result];
        } elseif (($answer->body->code ?? null) === USED_BEFORE && ($message['transType'] ?? '') !== 'inquiry') {
            $message = inquiryAbout((object) $message); // first sent more than a day ago
        } elseif ($answer->status >= 400 && $answer->status < 500 && $answer->status !== 429) {
            // The gateway refuses this message. It may have processed an earlier one.
            return [$maybeProcessed ? UNKNOWN : REFUSED, $answer->body];
        }
        $maybeProcessed = $maybeProcessed || $answer->status !== 429;
        $pause = max($wait * random_int(50, 100) / 100, $answer->retryAfter);
        if (hrtime(true) + $pause * 1e9 > $end) return [$outcome, $result];
        fwrite(STDERR, 'Do not charge again. ' . ($answer->status === 0 ? 'No answer' : 'Not known yet') . ". Asking again.\n");
        usleep((int) ($pause * 1e6));
        $wait = min($wait * 2, LONGEST_WAIT);
    }
}
// endregion ask

// region store
/** On disk when it returns, and never in part: a power cut leaves the old file or the new. */
function store(string $path, string $text): void {
    is_dir(dirname($path)) || mkdir(dirname($path), 0777, true);
    $file = fopen("$path.new", 'w');
    $done = fwrite($file, $text) === strlen($text) && fsync($file) && fclose($file);
    // Once more after the change of name, because PHP cannot store the folder.
    $done = $done && rename("$path.new", $path) && fsync(fopen($path, 'r+'));
    if (!$done) throw new RuntimeException("$path could not be stored.");
}

function recordOf(string $reference): string {
    return folder() . "/open/$reference.json";
}
// endregion store

// region lock
/** For one process: a double click would charge twice. The operating system unlocks when the process ends. */
function lock(string $name): bool {
    static $files = []; // an open file stays locked
    is_dir(folder()) || mkdir(folder(), 0777, true);
    $files[$name] = fopen(folder() . "/$name", 'c');
    return flock($files[$name], LOCK_EX | LOCK_NB);
}
// endregion lock

// region transact
function sale(string $amount): int {
    return transact('sale', ['transAmt' => $amount, 'paymentMethod' => 'bankCard']);
}

/** One at a time: none begins while the outcome of an earlier one is not certain. */
function transact(string $transType, array $transData): int {
    if (recover() > NOT_APPROVED) {
        echo "Not sent: an earlier transaction is open. Use recover again, or aside.\n";
        return REFUSED;
    }
    $message = newMessage($transType, $transData);
    // Before the message is sent: after a crash, nothing else knows of it.
    store(recordOf($message['referenceId']), json_encode($message));
    return settle($message['referenceId'], ...ask('/api/transfer', $message, false));
}

function newMessage(string $transType, array $transData): array {
    $reference = bin2hex(random_bytes(10)); // a counter that restarts would get old answers
    $message = ['transType' => $transType, 'referenceId' => $reference, 'transData' => (object) $transData];
    $account = ['posId' => setting('POS_ID'), 'merchantId' => setting('MERCHANT_ID'), 'deviceId' => setting('DEVICE_ID')];
    return $message + $account + ['apiVersion' => 'v1'];
}

/** Shows the outcome. Only then, and only if it is certain, forgets the record. */
function settle(string $reference, int $outcome, object $answer): int {
    if (isAboutAnother($reference, $answer)) {
        [$outcome, $answer] = [NOT_APPROVED, (object) ['message' => NEVER_STARTED]];
    }
    show($reference, $outcome, $answer);
    if (in_array($outcome, [APPROVED, NOT_APPROVED, REFUSED], true)) @unlink(recordOf($reference));
    return $outcome;
}

/** Whether an inquiry returned a transaction of another type or amount: the reference was not unique. */
function isAboutAnother(string $reference, object $answer): bool {
    if (!isset($answer->originalTransType) || !is_file(recordOf($reference))) return false;
    $record = json_decode(file_get_contents(recordOf($reference)), false, 512, JSON_THROW_ON_ERROR);
    [$sent, $found] = [$record->transData->transAmt ?? null, $answer->transData->transAmt ?? null];
    return $answer->originalTransType !== $record->transType || isset($sent, $found) && $sent !== $found;
}
// endregion transact

// region recover
/** Asks about what a crash or a lost connection has left open. */
function recover(): int {
    $outcomes = [APPROVED];
    // Not glob(): it would read a folder's own name as a pattern.
    $open = folder() . '/open';
    foreach (preg_grep('/\.json$/', is_dir($open) ? scandir($open) : []) as $file) {
        $record = json_decode(file_get_contents("$open/$file"), false, 512, JSON_THROW_ON_ERROR);
        [$outcome, $answer] = ask('/api/transfer', inquiryAbout($record), true);
        $outcomes[] = settle($record->referenceId, $outcome, $answer);
    }
    return max($outcomes);
}

/** It starts nothing. A sale that never arrived is cancelled: its customer may have left. */
function inquiryAbout(object $record): array {
    $message = newMessage('inquiry', ['referenceId' => $record->referenceId]);
    return ['deviceId' => $record->deviceId] + $message;
}

/** The cashier goes on without what stays open for long. Its outcome comes as an event. */
function aside(string $reference): int {
    is_dir(folder() . '/aside') || mkdir(folder() . '/aside');
    return rename(recordOf($reference), folder() . "/aside/$reference.json") ? APPROVED : WRONG_USAGE;
}
// endregion recover

// region cancel
/** The answer has the transaction's outcome: the customer may have been faster. */
function cancel(string $reference): int {
    $message = ['posId' => setting('POS_ID'), 'deviceId' => setting('DEVICE_ID'), 'referenceId' => $reference];
    return settle($reference, ...ask('/api/transfer/cancel', $message, true));
}
// endregion cancel

// region void
/** A transaction of its own, with its own reference. */
function void(string $transId): int {
    return transact('void', ['transId' => $transId]);
}
// endregion void

// region inquiry
function inquiry(string $transId): int {
    $message = newMessage('inquiry', ['transId' => $transId]);
    [$outcome, $answer] = ask('/api/transfer', $message, true); // a refused question does not say that no money moved
    show($transId, $outcome, $answer);
    return $outcome;
}
// endregion inquiry

function show(string $name, int $outcome, object $answer): void {
    if ($outcome === PENDING || $outcome === UNKNOWN) echo KEEP, "\n";
    $open = $answer->openReferenceId ?? null;
    if ($open !== null) echo "Another payment is open at the terminal. To cancel it: cancel $open\n";
    $text = $answer->responseText ?? $answer->message ?? '';
    $transId = $answer->transData->transId ?? '';
    echo implode(' ', [$name, WORDS[$outcome], $answer->responseCode ?? '', $text, $transId]), "\n";
    foreach ($answer->details ?? [] as $detail) echo "  $detail->path $detail->message\n";
}

// region totals
function totals(string $day = ''): int {
    $answer = call('GET', '/api/totals' . ($day === '' ? '' : "?day=$day"));
    if ($answer->status !== 200 || !is_array($answer->body->data ?? null)) {
        echo $answer->body->message ?? 'The gateway did not answer.', "\n";
        return REFUSED;
    }
    foreach ($answer->body->data as $line) {
        $sum = [$line->approved->count, $line->approved->transAmt, $line->currency];
        echo implode(' ', [$line->transType, $line->paymentChannel ?? '-', ...$sum]), "\n";
    }
    $state = $answer->body->closed ? 'closed' : 'open';
    $pending = $answer->body->pending->count ?? 0;
    echo $answer->body->day, " $state, $pending not known yet\n";
    return APPROVED;
}
// endregion totals

// region events
/** Books every event, in order, and waits for the next. Run it next to the POS. */
function events(): never {
    while (true) {
        $answer = call('GET', '/api/events?after=' . lastEvent(), null, 'wait=60');
        $skipped = $answer->body->skipped ?? 0;
        if ($skipped > 0) fwrite(STDERR, "$skipped events are missing here: they were deleted. See totals.\n");
        $events = $answer->body->data ?? [];
        array_map('book', $events);
        if ($events !== []) continue;
        fwrite(STDERR, $answer->body->message ?? '');
        sleep(max(1, $answer->retryAfter));
    }
}

function lastEvent(): int {
    return (int) @file_get_contents(folder() . '/last-event');
}

/** Once, however often it comes. In a database: it and its number in one transaction. */
function book(object $event): bool {
    if (($event->number ?? 0) <= lastEvent()) return true;
    $reference = $event->data->referenceId ?? '';
    file_put_contents('php://stdout', "$event->number $event->type $reference\n");
    store(folder() . '/last-event', (string) $event->number);
    return true;
}
// endregion events

// region webhook
/** Answers a delivery, as the script of a web server. */
function webhook(): void {
    $body = file_get_contents('php://input', length: MOST_BYTES + 1);
    $isGenuine = strlen($body) <= MOST_BYTES && isGenuine($body);
    $isBooked = $isGenuine && lock('events.lock') && book(json_decode($body));
    http_response_code($isBooked ? 204 : ($isGenuine ? 503 : 401)); // what is not booked comes again
}

/** Signed are the bytes as they came. While the secret changes, there are two. */
function isGenuine(string $body): bool {
    $secret = setting('WEBHOOK_SECRET') ?: throw new RuntimeException('Missing in the environment: WEBHOOK_SECRET');
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $header = fn($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '';
    [$id, $sent, $given] = array_map($header, ['ID', 'TIMESTAMP', 'SIGNATURE']);
    $mac = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $key, true));
    $right = array_filter(explode(' ', $given), fn($one) => hash_equals($mac, $one));
    return $right !== [] && abs(time() - (int) $sent) < 300;
}
// endregion webhook

/** Prints a message's canonical form and signature. The outcome is 1 if it has a wrong one. */
function sign(): int {
    $message = json_decode(file_get_contents('php://stdin'), false, 512, JSON_THROW_ON_ERROR);
    echo signedForm($message), "\n", signatureOf($message), "\n";
    return isset($message->signature) && !isSigned($message) ? NOT_APPROVED : APPROVED;
}

const ACTIONS = ['sale', 'void', 'cancel', 'inquiry', 'recover', 'aside', 'totals', 'events', 'sign'];
// What works with the open records, or with the books, has its folder for itself. A cancel comes while a sale waits.
const LOCKS = ['sale' => 'lock', 'void' => 'lock', 'recover' => 'lock', 'aside' => 'lock', 'events' => 'events.lock'];
const SETTINGS = ['GATEWAY_URL', 'POS_ID', 'MERCHANT_ID', 'DEVICE_ID', 'SIGNING_KEY'];

function main(string $action = '', string ...$arguments): int {
    $needed = $action === 'sign' ? ['SIGNING_KEY'] : SETTINGS;
    $missing = array_filter($needed, fn($name) => setting($name) === '');
    try {
        if (!in_array($action, ACTIONS, true)) throw new ArgumentCountError('See the first lines of this file.');
        if ($missing !== []) throw new ArgumentCountError('Missing in the environment: ' . implode(' ', $missing));
        if (isset(LOCKS[$action]) && !lock(LOCKS[$action])) {
            echo "Nothing was sent: another process works in this folder.\n";
            return LOCKED;
        }
        return $action(...$arguments);
    } catch (ArgumentCountError $problem) {
        echo $problem->getMessage(), "\n";
        return WRONG_USAGE;
    } catch (Throwable $problem) {
        fwrite(STDERR, "$problem\n");
        return UNKNOWN;
    }
}

if (PHP_SAPI === 'cli') exit(main(...array_slice($argv, 1)));
webhook();
