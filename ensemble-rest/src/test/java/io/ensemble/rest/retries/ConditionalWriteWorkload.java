package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are written, created and removed under a condition. An attempt with an unknown
 * outcome may have been performed, or be performed later, once. So the history of all attempts must
 * be linearizable, where each repetition is an attempt of its own. Every value is written by one
 * request only.
 */
final class ConditionalWriteWorkload implements RetryWorkload {

  private static final int KEYS = 2;
  private static final int MOST_TRIES = 20_000;

  private final String cache;
  private final HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, MOST_TRIES);
  private final Map<String, RecordedResponse> seen = new ConcurrentHashMap<>();
  private final Map<String, Long> numbers = new ConcurrentHashMap<>();

  ConditionalWriteWorkload(String cache) {
    this.cache = cache;
  }

  private String path(String key) {
    return "/caches/" + cache + "/entries/" + key;
  }

  /** A change of one entry, as a request and as an operation of the history. */
  private record Change(
      RepeatableRequest asked, String key, String op, @Nullable Object in, boolean removes) {}

  @Override
  public void step(RetryingClient retryingClient, String client, int number) {
    String key = "entry-" + retryingClient.random().nextInt(KEYS);
    RecordedResponse now = read(retryingClient, client, key);
    RecordedResponse there = now == null ? seen.get(key) : now;
    if (there == null) {
      return;
    }
    seen.put(key, there); // Used when a read fails.
    Change change = change(retryingClient, key, there, client + "-" + number);
    Boolean made = tried(retryingClient, client, change);
    while (made == null && retryingClient.random().nextBoolean()) { // Without a new read.
      made = tried(retryingClient, client, change);
      retryingClient.tally().count("repeated");
    }
  }

  private Change change(
      RetryingClient retryingClient, String key, RecordedResponse there, String value) {
    if (there.status() == 404) {
      RepeatableRequest asked =
          retryingClient.random().nextBoolean()
              ? RepeatableRequest.text("PUT", path(key), value).with("If-None-Match", "*")
              : RepeatableRequest.text("POST", path(key), value);
      return new Change(asked, key, "put_if_absent", value, false);
    }
    if (retryingClient.random().nextInt(5) == 0) {
      RepeatableRequest asked =
          RepeatableRequest.bare("DELETE", path(key)).with("If-Match", there.etag());
      return new Change(asked, key, "remove_if", there.body(), true);
    }
    RepeatableRequest asked =
        RepeatableRequest.text("PUT", path(key), value).with("If-Match", there.etag());
    return new Change(asked, key, "cas", List.of(there.body(), value), false);
  }

  private long number(String client) {
    return numbers.computeIfAbsent(client, name -> recorder.newClient());
  }

  /** The answer to a read; null if the read was refused. */
  private @Nullable RecordedResponse read(
      RetryingClient retryingClient, String client, String key) {
    HistoryRecorder.Pending read = recorder.begin(number(client), key, "read", null);
    List<RecordedResponse> came =
        retryingClient.sent(RepeatableRequest.bare("GET", path(key)), RetryingClient.Way.PLAIN);
    RecordedResponse told = came.get(0);
    if (told.status() != 200 && told.status() != 404) {
      assertThat(told.isRefused()).as("%s", told).isTrue();
      numbers.put(client, read.failed());
      return null;
    }
    numbers.put(client, read.ok(told.status() == 200 ? told.body() : null));
    return told;
  }

  /** Whether the change was made; null if that is unknown. */
  private @Nullable Boolean tried(RetryingClient retryingClient, String client, Change change) {
    HistoryRecorder.Pending pending =
        recorder.begin(number(client), change.key(), change.op(), change.in());
    RetryingClient.Way way =
        retryingClient.random().nextInt(5) == 0
            ? RetryingClient.Way.LOST
            : RetryingClient.Way.PLAIN;
    List<RecordedResponse> came = retryingClient.sent(change.asked(), way);
    if (came.isEmpty()) {
      numbers.put(client, pending.unknown());
      return null;
    }
    RecordedResponse told = came.get(0);
    if (told.status() == 504) {
      assertThat(told.isUnknown()).as("%s", told).isTrue();
      assertThat(told.retrySafe()).as("%s", told).isFalse();
      retryingClient.tally().count("unknown under a condition");
      numbers.put(client, pending.unknown());
      return null;
    }
    if (told.isRefused()) {
      numbers.put(client, pending.failed());
      return false;
    }
    assertThat(told.status()).as("%s", told).isIn(201, 204, 412);
    boolean made = told.status() != 412;
    numbers.put(client, pending.ok(made));
    retryingClient.tally().count(made ? "met" : "not met");
    return made;
  }

  @Override
  public Collection<?> records() {
    return List.of();
  }

  @Override
  public void judge(RetryingClient late) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(read(late, "the last", "entry-" + i)).isNotNull();
    }
    FailureArtifacts.requireLinearizable(
        recorder.history(),
        LinearizabilityChecker.Options.registers(),
        ConditionalWriteWorkload.class,
        cache);
  }
}
