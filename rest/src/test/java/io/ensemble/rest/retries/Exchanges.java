package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Compare-and-set with a name, among few values that come again and again: so one that is done a
 * second time finds what it expects, and the counter is not what those that were told to have set
 * it have made of it.
 */
final class Exchanges implements Work {

  private static final int VALUES = 3;
  private static final int MOST_OF_CLIENT = 300; // A counter remembers 1,000.

  private record Done(Asked asked, long change, Told told) {}

  private final String path;
  private final Queue<Done> all = new ConcurrentLinkedQueue<>();
  private volatile long last;

  Exchanges(String cache) {
    this.path = "/caches/" + cache + "/counters/turns";
  }

  @Override
  public void step(Asker asker, String client, int number) {
    if (number >= MOST_OF_CLIENT) {
      return;
    }
    long expected = asker.random().nextInt(4) == 0 ? asker.random().nextInt(VALUES) : last;
    long next = (expected + 1 + asker.random().nextInt(VALUES - 1)) % VALUES;
    Asked asked =
        Asked.json(
                "POST",
                path + "/compare-and-set",
                "{\"expected\": %d, \"next\": %d}".formatted(expected, next))
            .named(client + "-" + number);
    asker
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
              asker.tally().count(set ? "set" : "not set");
              again(asker, asked, told);
            });
  }

  private static void again(Asker asker, Asked asked, Told first) {
    assertThat(asker.known(asked).gist()).as("%s again", asked).isEqualTo(first.gist());
    asker.tally().count("repeated");
  }

  @Override
  public Collection<?> records() {
    return all;
  }

  @Override
  public void judge(Asker late) {
    assertSum(late);
    all.stream()
        .filter(one -> one.told().isRemembered())
        .forEach(one -> again(late, one.asked(), one.told()));
    assertSum(late);
  }

  private void assertSum(Asker late) {
    long sum = all.stream().mapToLong(Done::change).sum();
    Told now = late.known(Asked.bare("GET", path));
    assertThat(now.json().path("value").asLong(-1)).as("%s", now).isEqualTo(sum);
  }
}
