package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.FailureEvidence;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.LinearizabilityChecker;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are written, created and removed under a condition. A try whose end is not known may
 * have been made, or be made later, once: so do all tries, as one history, have an order, those
 * that are sent again included, each of which is a try of its own. Every value is written by one
 * request only.
 */
final class Conditions implements Work {

  private static final int KEYS = 2;
  private static final int MOST_TRIES = 20_000;

  private final String cache;
  private final HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, MOST_TRIES);
  private final Map<String, Told> seen = new ConcurrentHashMap<>();
  private final Map<String, Long> numbers = new ConcurrentHashMap<>();

  Conditions(String cache) {
    this.cache = cache;
  }

  private String path(String key) {
    return "/caches/" + cache + "/entries/" + key;
  }

  /** A change of one entry, as it is asked for and as it stands in the history. */
  private record Change(Asked asked, String key, String op, @Nullable Object in, boolean removes) {}

  @Override
  public void step(Asker asker, String client, int number) {
    String key = "entry-" + asker.random().nextInt(KEYS);
    Told now = read(asker, client, key);
    Told there = now == null ? seen.get(key) : now;
    if (there == null) {
      return;
    }
    seen.put(key, there); // For when nothing can be read.
    Change change = change(asker, key, there, client + "-" + number);
    Boolean made = tried(asker, client, change);
    while (made == null && asker.random().nextBoolean()) { // Though one should read first.
      made = tried(asker, client, change);
      asker.tally().count("repeated");
    }
  }

  private Change change(Asker asker, String key, Told there, String value) {
    if (there.status() == 404) {
      Asked asked =
          asker.random().nextBoolean()
              ? Asked.text("PUT", path(key), value).with("If-None-Match", "*")
              : Asked.text("POST", path(key), value);
      return new Change(asked, key, "put_if_absent", value, false);
    }
    if (asker.random().nextInt(5) == 0) {
      Asked asked = Asked.bare("DELETE", path(key)).with("If-Match", there.etag());
      return new Change(asked, key, "remove_if", there.body(), true);
    }
    Asked asked = Asked.text("PUT", path(key), value).with("If-Match", there.etag());
    return new Change(asked, key, "cas", List.of(there.body(), value), false);
  }

  private long number(String client) {
    return numbers.computeIfAbsent(client, name -> recorder.newClient());
  }

  /** What is there; null if that was not to be had. */
  private @Nullable Told read(Asker asker, String client, String key) {
    HistoryRecorder.Pending read = recorder.begin(number(client), key, "read", null);
    List<Told> came = asker.sent(Asked.bare("GET", path(key)), Asker.Way.PLAIN);
    Told told = came.get(0);
    if (told.status() != 200 && told.status() != 404) {
      assertThat(told.isRefused()).as("%s", told).isTrue();
      numbers.put(client, read.failed());
      return null;
    }
    numbers.put(client, read.ok(told.status() == 200 ? told.body() : null));
    return told;
  }

  /** Whether it was made; null if nobody knows. */
  private @Nullable Boolean tried(Asker asker, String client, Change change) {
    HistoryRecorder.Pending pending =
        recorder.begin(number(client), change.key(), change.op(), change.in());
    Asker.Way way = asker.random().nextInt(5) == 0 ? Asker.Way.LOST : Asker.Way.PLAIN;
    List<Told> came = asker.sent(change.asked(), way);
    if (came.isEmpty()) {
      numbers.put(client, pending.unknown());
      return null;
    }
    Told told = came.get(0);
    if (told.status() == 504) {
      assertThat(told.isUnknown()).as("%s", told).isTrue();
      assertThat(told.retrySafe()).as("%s", told).isFalse();
      asker.tally().count("unknown under a condition");
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
    asker.tally().count(made ? "met" : "not met");
    return made;
  }

  @Override
  public Collection<?> records() {
    return List.of();
  }

  @Override
  public void judge(Asker late) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(read(late, "the last", "entry-" + i)).isNotNull();
    }
    FailureEvidence.requireLinearizable(
        recorder.history(), LinearizabilityChecker.Options.registers(), Conditions.class, cache);
  }
}
