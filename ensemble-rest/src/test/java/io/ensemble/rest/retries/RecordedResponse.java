package io.ensemble.rest.retries;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.ensemble.rest.json.StrictJson;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * An answer.
 *
 * @param body as it came
 * @param etag of the entry; empty without
 * @param sentNanos before it was asked for
 * @param cameNanos after it had come
 */
record RecordedResponse(int status, String body, String etag, long sentNanos, long cameNanos) {

  /** Nothing was done: there is nothing that a repetition could find. */
  private static final Set<String> NOTHING_DONE =
      Set.of("sites-unavailable", "busy", "too-many-requests", "not-ready", "site-failed");

  /** Says that it may be sent again, and yet is what was wanted to be known. */
  private static final String LOCK_HELD = "lock-held";

  /** Counters remember a call for five minutes: after that a repetition is a call of its own. */
  private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(4);

  static RecordedResponse of(HttpResponse<byte[]> answer, long sentNanos) {
    return new RecordedResponse(
        answer.statusCode(),
        new String(answer.body(), StandardCharsets.UTF_8),
        answer.headers().firstValue("ETag").orElse(""),
        sentNanos,
        System.nanoTime());
  }

  /** Whether a counter surely remembers the call, and a minute longer. */
  boolean isRemembered() {
    return System.nanoTime() - sentNanos < REMEMBERED_NANOS;
  }

  /** The body as JSON; missing if there is none. */
  JsonNode json() {
    return body.isEmpty() ? MissingNode.getInstance() : StrictJson.parse(bytes());
  }

  private byte[] bytes() {
    return body.getBytes(StandardCharsets.UTF_8);
  }

  /** The last word of the problem's type; empty if it is none. */
  String problem() {
    return status < 400 ? "" : json().path("type").asText().replace("/problems/", "");
  }

  /** Whether the same request may be sent again, as the answer says. */
  boolean retrySafe() {
    return status >= 400 && json().path("retrySafe").asBoolean();
  }

  /** Whether nobody knows yet what becomes of it, and the same request may be sent again. */
  boolean isToBeAskedAgain() {
    return retrySafe() && !problem().equals(LOCK_HELD);
  }

  /** Whether it says that nothing was done. */
  boolean isRefused() {
    return NOTHING_DONE.contains(problem());
  }

  /** Whether it says that it may have been done, or may yet be. */
  boolean isUnknown() {
    return problem().equals("unknown-outcome");
  }

  /** What it says, however often it is said. */
  String gist() {
    return status + " " + body;
  }
}
