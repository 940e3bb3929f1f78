package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Compare-and-set with idempotency keys, among few values that recur. So a call that is performed
 * twice finds its expected value, and the counter then differs from the sum of the answers.
 */
final class CompareAndSetWorkload implements RetryWorkload {

  private static final int VALUES = 3;
  private static final int MOST_OF_CLIENT = 300; // A counter remembers 1,000 calls.

  private record Done(RepeatableRequest asked, long change, RecordedResponse told) {}

  private final String path;
  private final Queue<Done> all = new ConcurrentLinkedQueue<>();
  private volatile long last;

  CompareAndSetWorkload(String cache) {
    this.path = "/caches/" + cache + "/counters/turns";
  }

  @Override
  public void step(RetryingClient retryingClient, String client, int number) {
    if (number >= MOST_OF_CLIENT) {
      return;
    }
    long expected =
        retryingClient.random().nextInt(4) == 0 ? retryingClient.random().nextInt(VALUES) : last;
    long next = (expected + 1 + retryingClient.random().nextInt(VALUES - 1)) % VALUES;
    RepeatableRequest asked =
        RepeatableRequest.json(
                "POST",
                path + "/compare-and-set",
                "{\"expected\": %d, \"next\": %d}".formatted(expected, next))
            .named(client + "-" + number);
    retryingClient
        .knownUnlessRefused(asked)
        .ifPresent(
            told -> {
              assertThat(told.status()).as("%s %s", asked, told).isEqualTo(200);
              boolean set = told.json().get("set").asBoolean();
              long value = told.json().get("value").asLong();
              assertThat(value == expected).as("%s", told).isFalse();
              assertThat(!set || value == next).as("%s", told).isTrue();
              last = value;
              all.add(new Done(asked, set ? next - expected : 0, told));
              retryingClient.tally().count(set ? "set" : "not set");
              again(retryingClient, asked, told);
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
    assertSum(late);
    all.stream()
        .filter(one -> one.told().isRemembered())
        .forEach(one -> again(late, one.asked(), one.told()));
    assertSum(late);
  }

  private void assertSum(RetryingClient late) {
    long sum = all.stream().mapToLong(Done::change).sum();
    RecordedResponse now = late.known(RepeatableRequest.bare("GET", path));
    assertThat(now.json().path("value").asLong(-1)).as("%s", now).isEqualTo(sum);
  }
}
