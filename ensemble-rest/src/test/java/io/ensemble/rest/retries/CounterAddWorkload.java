package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Additions to counters with idempotency keys, each performed once. The answers show the range of
 * each addition, so together they must cover the value of the counter; an addition that is
 * performed twice leaves a gap.
 */
final class CounterAddWorkload implements RetryWorkload {

  private static final int COUNTERS = 2;
  private static final int MOST_OF_CLIENT = 300; // A counter remembers 1,000 calls.
  private static final int LARGEST = 1_000;

  private record Done(String counter, RepeatableRequest asked, long delta, RecordedResponse told) {}

  private final String cache;
  private final Queue<Done> all = new ConcurrentLinkedQueue<>();

  CounterAddWorkload(String cache) {
    this.cache = cache;
  }

  private String path(String counter) {
    return "/caches/" + cache + "/counters/" + counter;
  }

  private RepeatableRequest addition(String counter, String key, long delta) {
    return RepeatableRequest.json(
            "POST", path(counter) + "/add", "{\"delta\": %d}".formatted(delta))
        .named(key);
  }

  @Override
  public void step(RetryingClient retryingClient, String client, int number) {
    if (number >= MOST_OF_CLIENT) {
      return;
    }
    String counter = "sum-" + retryingClient.random().nextInt(COUNTERS);
    String key = client + "-" + number;
    long delta = 1 + retryingClient.random().nextInt(LARGEST);
    RepeatableRequest asked = addition(counter, key, delta);
    retryingClient
        .knownUnlessRefused(asked)
        .ifPresent(
            told -> {
              assertThat(told.status()).as("%s %s", asked, told).isEqualTo(200);
              all.add(new Done(counter, asked, delta, told));
              if (retryingClient.random().nextInt(3) == 0) {
                again(retryingClient, asked, told);
              }
              if (retryingClient.random().nextInt(10) == 0) {
                RecordedResponse other = retryingClient.known(addition(counter, key, delta + 1));
                assertThat(other.problem()).isEqualTo("idempotency-key-reused");
              }
            });
  }

  private static void again(
      RetryingClient retryingClient, RepeatableRequest asked, RecordedResponse first) {
    assertThat(retryingClient.known(asked).gist()).as("%s again", asked).isEqualTo(first.gist());
    retryingClient.tally().count("repeated");
  }

  @Override
  public Collection<?> records() {
    return all;
  }

  @Override
  public void judge(RetryingClient late) {
    assertFilled(late);
    all.stream()
        .filter(one -> one.told().isRemembered())
        .forEach(one -> again(late, one.asked(), one.told()));
    assertFilled(late);
  }

  private void assertFilled(RetryingClient late) {
    for (int i = 0; i < COUNTERS; i++) {
      String counter = "sum-" + i;
      TreeMap<Long, Done> byEnd = new TreeMap<>();
      for (Done one : List.copyOf(all)) {
        if (one.counter().equals(counter)) {
          assertThat(byEnd.put(value(one.told()), one)).as("two have ended here: %s", one).isNull();
        }
      }
      long filled = 0;
      for (Done one : byEnd.values()) {
        assertThat(value(one.told()) - one.delta())
            .as("where it begins: %s", one)
            .isEqualTo(filled);
        filled = value(one.told());
      }
      if (!byEnd.isEmpty()) {
        RecordedResponse now = late.known(RepeatableRequest.bare("GET", path(counter)));
        assertThat(value(now)).as(counter).isEqualTo(filled);
      }
    }
  }

  private static long value(RecordedResponse told) {
    assertThat(told.status()).as("%s", told).isEqualTo(200);
    return told.json().get("value").asLong();
  }
}
