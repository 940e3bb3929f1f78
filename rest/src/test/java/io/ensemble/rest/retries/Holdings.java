package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * A lock, held by one holder after the other, each with a name of its own. A hold counts from the
 * answer that granted it until it is given back, or its lease ends, which counts from before the
 * last request that was answered; no two overlap, and the tokens grow.
 *
 * <p>A try whose connection has ended may still stand in line when its holder has given the lock
 * back, and get it again; nobody knows of that grant, and it goes by its lease.
 */
final class Holdings implements Work {

  private static final int LEASE_MILLIS = 1_500;
  private static final long LEASE = TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS);
  private static final int LONGEST_WAIT_MILLIS = 600;
  private static final int LAST_WAIT_MILLIS = 25_000;

  private record Hold(String holder, long token, long from, long to) {}

  private final String path;
  private final Queue<Hold> all = new ConcurrentLinkedQueue<>();

  Holdings(String cache) {
    this.path = "/caches/" + cache + "/locks/only";
  }

  private Asked acquisition(String holder, int waitMillis) {
    return Asked.json(
        "POST",
        path + "/acquire",
        "{\"holder\": \"%s\", \"leaseMillis\": %d, \"waitMillis\": %d}"
            .formatted(holder, LEASE_MILLIS, waitMillis));
  }

  private Asked by(String holder, String what) {
    return Asked.json("POST", path + what, "{\"holder\": \"%s\"}".formatted(holder));
  }

  @Override
  public void step(Asker asker, String client, int number) {
    String holder = client + "-" + number;
    int wait = asker.random().nextInt(2) * asker.random().nextInt(LONGEST_WAIT_MILLIS);
    Asked asked = acquisition(holder, wait);
    List<Told> granted = granted(asker.answers(asked));
    if (granted.isEmpty()) {
      asker.tally().count("not had");
    } else {
      hold(asker, holder, asked, granted);
    }
    asker.answers(by(holder, "/release"));
  }

  /** The lease of the last answer decides; all that came within a lease have one token. */
  private void hold(Asker asker, String holder, Asked asked, List<Told> granted) {
    long token = token(granted.get(0));
    long from = granted.get(0).cameNanos();
    long until = granted.get(0).sentNanos() + LEASE;
    List<Told> more = new ArrayList<>(granted.subList(1, granted.size()));
    for (int i = asker.random().nextInt(3); i > 0; i--) {
      more.addAll(asker.answers(asker.random().nextBoolean() ? asked : by(holder, "/renew")));
    }
    for (Told told : more) {
      if (told.cameNanos() - until >= 0) {
        break; // Its lease may have ended, and it may have been granted anew.
      }
      assertThat(told.status()).as("%s, held with %d: %s", holder, token, told).isEqualTo(200);
      assertThat(token(told)).as("%s: %s", holder, told).isEqualTo(token);
      until = Math.max(until, told.sentNanos() + LEASE);
      asker.tally().count("repeated");
    }
    Asker.pause(asker.random().nextInt(10));
    long to = Math.min(until, System.nanoTime()); // It is given back from now on.
    all.add(new Hold(holder, token, from, to));
    asker.tally().count("held");
  }

  private static List<Told> granted(List<Told> answers) {
    for (Told one : answers) {
      assertThat(one.status()).as("%s", one).isIn(200, 409);
    }
    return answers.stream().filter(one -> one.status() == 200).toList();
  }

  private static long token(Told told) {
    return told.json().get("token").asLong();
  }

  @Override
  public Collection<?> records() {
    return all;
  }

  @Override
  public void judge(Asker late) {
    List<Hold> holds = new ArrayList<>(all);
    Set<Long> tokens = new HashSet<>();
    for (Hold one : holds) {
      assertThat(tokens.add(one.token())).as("a token of two holders: %s", one).isTrue();
    }
    holds.removeIf(one -> one.to() - one.from() <= 0);
    holds.sort(Comparator.comparingLong(Hold::from));
    for (int i = 1; i < holds.size(); i++) {
      Hold before = holds.get(i - 1);
      Hold one = holds.get(i);
      assertThat(one.from() - before.to()).as("%s, then %s", before, one).isPositive();
      assertThat(one.token()).as("%s, then %s", before, one).isGreaterThan(before.token());
    }
    List<Told> last = granted(late.answers(acquisition("the last", LAST_WAIT_MILLIS)));
    assertThat(last).as("it is had again").isNotEmpty();
    assertThat(token(last.get(0))).isGreaterThan(tokens.stream().max(Long::compare).orElse(0L));
  }
}
