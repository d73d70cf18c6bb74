package paymentterminal;

import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;

/** Login and binding. Each message is signed when it is sent; the secret itself never is. */
final class Session {
    private static final DateTimeFormatter DATETIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss").withZone(ZoneOffset.UTC);

    /** A token still has to arrive, in milliseconds. */
    private static final long TOKEN_MARGIN = 10_000;
    private static final long DEFAULT_RETRY_AFTER = 60;

    private final TerminalOptions options;
    private final Surroundings surroundings;
    /** By how much the gateway's time is ahead of the machine's, in milliseconds. */
    private long clockOffset;
    private String token;
    private long tokenUntil;

    Session(TerminalOptions options, Surroundings surroundings) {
        this.options = options;
        this.surroundings = surroundings;
    }

    /** For binding and connecting, valid for a few minutes. */
    void token(BiConsumer<String, SessionException> then) {
        if (token != null && options.clocks.monotonic() < tokenUntil) then.accept(token, null);
        else login((serverTime, problem) -> then.accept(problem == null ? token : null, problem));
    }

    void dropToken() {
        token = null;
    }

    /** Logs in, and gives the gateway's time in epoch milliseconds. */
    void login(BiConsumer<Long, SessionException> then) {
        Map<String, Object> message = Json.object("terminalId", options.terminalId);
        postSigned("/terminal/login", message, null, true, (body, problem) -> {
            if (problem != null) {
                then.accept(null, problem);
                return;
            }
            String given = Json.text(body, "token");
            long serverTime = Json.number(body, "serverTime");
            try {
                long expiresAt = OffsetDateTime.parse(String.valueOf(body.get("expiresAt"))).toInstant().toEpochMilli();
                if (given == null || serverTime == 0) throw new DateTimeException("no token");
                token = given;
                tokenUntil = options.clocks.monotonic() + expiresAt - serverTime - TOKEN_MARGIN;
                then.accept(serverTime, null);
            } catch (DateTimeException wrong) { // the login page of a network
                then.accept(null, unreachable(options.gatewayUrl));
            }
        });
    }

    /** Gives the posId. */
    void bind(String key, boolean again, BiConsumer<String, SessionException> then) {
        token((bearer, refused) -> {
            if (refused != null) then.accept(null, refused);
            else postSigned("/terminal/bind", Json.object("key", key), bearer, true, (body, problem) -> {
                String posId = body == null ? null : Json.text(body, "posId");
                if (problem != null && problem.kind == SessionException.Kind.LOGIN_REFUSED && again) {
                    // The token was from before the secret changed, or the machine's clock stood still while it slept.
                    dropToken();
                    bind(key, false, then);
                } else {
                    then.accept(posId, problem == null && posId == null ? unreachable(options.gatewayUrl) : problem);
                }
            });
        });
    }

    /** A refusal with the gateway's time means that the machine's clock is wrong: signs again, with that time. */
    private void postSigned(String path, Map<String, Object> members, String bearer, boolean again,
            BiConsumer<Map<String, Object>, SessionException> then) {
        Instant now = Instant.ofEpochMilli(options.clocks.wall() + clockOffset);
        members.put("datetime", DATETIME.format(now));
        members.put("nonce", UUID.randomUUID().toString());
        String message = Json.write(Signature.sign(members, options.secret));
        surroundings.background(() -> options.network.post(options.gatewayUrl + path, bearer, message), (answer, failure) -> {
            Map<String, Object> body;
            try {
                body = read(options.gatewayUrl, answer);
            } catch (SessionException problem) {
                if (again && problem.serverTime != 0) {
                    clockOffset = problem.serverTime - options.clocks.wall();
                    postSigned(path, members, bearer, false, then);
                } else {
                    then.accept(null, problem);
                }
                return;
            }
            then.accept(body, null);
        });
    }

    /**
     * The body of a success. Proxies and firewalls answer with the same statuses, but do not write the gateway's errors.
     *
     * @param answer null without one
     */
    static Map<String, Object> read(String gatewayUrl, Network.Answer answer) throws SessionException {
        Map<String, Object> body;
        try {
            if (answer == null) throw unreachable(gatewayUrl);
            body = Json.read(answer.body);
        } catch (IllegalArgumentException foreign) {
            throw unreachable(gatewayUrl);
        }
        if (answer.status >= 200 && answer.status < 300) return body;
        boolean isOwn = Json.number(body, "code") / 100 == answer.status && Json.text(body, "traceId") != null;
        if (!isOwn || answer.status >= 500) throw unreachable(gatewayUrl);
        String message = String.valueOf(body.get("message"));
        if (answer.status == 401) throw new SessionException(SessionException.Kind.LOGIN_REFUSED, message, 0, 0);
        if (answer.status != 429) {
            throw new SessionException(SessionException.Kind.REJECTED, message, 0, Json.number(body, "serverTime"));
        }
        long seconds = answer.retryAfter > 0 ? answer.retryAfter : DEFAULT_RETRY_AFTER;
        throw new SessionException(SessionException.Kind.RATE_LIMITED, message, seconds * 1_000, 0);
    }

    static SessionException unreachable(String gatewayUrl) {
        String message = "The gateway at " + gatewayUrl + " cannot be reached.";
        return new SessionException(SessionException.Kind.UNREACHABLE, message, 0, 0);
    }
}
