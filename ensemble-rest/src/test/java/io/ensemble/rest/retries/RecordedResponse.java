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
 * @param body as received
 * @param etag of the entry; empty if there is none
 * @param sentNanos a time before the request was sent
 * @param cameNanos a time after the answer was received
 */
record RecordedResponse(int status, String body, String etag, long sentNanos, long cameNanos) {

  /** Problems after which nothing was done, so that a repetition finds nothing. */
  private static final Set<String> NOTHING_DONE =
      Set.of("sites-unavailable", "busy", "too-many-requests", "not-ready", "site-failed");

  /** A final answer, although it says that the request may be sent again. */
  private static final String LOCK_HELD = "lock-held";

  /** Counters remember a call for five minutes; a later repetition is a new call. */
  private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(4);

  static RecordedResponse of(HttpResponse<byte[]> answer, long sentNanos) {
    return new RecordedResponse(
        answer.statusCode(),
        new String(answer.body(), StandardCharsets.UTF_8),
        answer.headers().firstValue("ETag").orElse(""),
        sentNanos,
        System.nanoTime());
  }

  /** Whether a counter certainly remembers the call, for at least another minute. */
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

  /** The last word of the problem's type; empty if the answer is no problem. */
  String problem() {
    return status < 400 ? "" : json().path("type").asText().replace("/problems/", "");
  }

  /** Whether the same request may be sent again, as the answer says. */
  boolean retrySafe() {
    return status >= 400 && json().path("retrySafe").asBoolean();
  }

  /** Whether the outcome is not final yet and the same request may be sent again. */
  boolean isToBeAskedAgain() {
    return retrySafe() && !problem().equals(LOCK_HELD);
  }

  /** Whether the answer says that nothing was done. */
  boolean isRefused() {
    return NOTHING_DONE.contains(problem());
  }

  /** Whether the answer says that the request was perhaps performed, or may yet be. */
  boolean isUnknown() {
    return problem().equals("unknown-outcome");
  }

  /** The content, which is the same in all answers to one request. */
  String gist() {
    return status + " " + body;
  }
}
