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
 * A lock that is held by one holder after the other, each with a name of its own. A hold lasts from
 * the answer that granted it until its release or the end of its lease, which counts from before
 * the last answered request. No two holds overlap, and the tokens grow.
 *
 * <p>An attempt whose connection has ended may still wait when its holder has released the lock,
 * and acquire it again. No client uses that grant, which ends with its lease.
 */
final class LockWorkload implements RetryWorkload {

  private static final int LEASE_MILLIS = 1_500;
  private static final long LEASE = TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS);
  private static final int LONGEST_WAIT_MILLIS = 600;
  private static final int LAST_WAIT_MILLIS = 25_000;

  private record Hold(String holder, long token, long from, long to) {}

  private final String path;
  private final Queue<Hold> all = new ConcurrentLinkedQueue<>();

  LockWorkload(String cache) {
    this.path = "/caches/" + cache + "/locks/only";
  }

  private RepeatableRequest acquisition(String holder, int waitMillis) {
    return RepeatableRequest.json(
        "POST",
        path + "/acquire",
        "{\"holder\": \"%s\", \"leaseMillis\": %d, \"waitMillis\": %d}"
            .formatted(holder, LEASE_MILLIS, waitMillis));
  }

  private RepeatableRequest by(String holder, String what) {
    return RepeatableRequest.json("POST", path + what, "{\"holder\": \"%s\"}".formatted(holder));
  }

  @Override
  public void step(RetryingClient retryingClient, String client, int number) {
    String holder = client + "-" + number;
    int wait =
        retryingClient.random().nextInt(2) * retryingClient.random().nextInt(LONGEST_WAIT_MILLIS);
    RepeatableRequest asked = acquisition(holder, wait);
    List<RecordedResponse> granted = granted(retryingClient.answers(asked));
    if (granted.isEmpty()) {
      retryingClient.tally().count("not had");
    } else {
      hold(retryingClient, holder, asked, granted);
    }
    retryingClient.answers(by(holder, "/release"));
  }

  /** The lease of the last answer decides; all answers within a lease have one token. */
  private void hold(
      RetryingClient retryingClient,
      String holder,
      RepeatableRequest asked,
      List<RecordedResponse> granted) {
    long token = token(granted.get(0));
    long from = granted.get(0).cameNanos();
    long until = granted.get(0).sentNanos() + LEASE;
    List<RecordedResponse> more = new ArrayList<>(granted.subList(1, granted.size()));
    for (int i = retryingClient.random().nextInt(3); i > 0; i--) {
      more.addAll(
          retryingClient.answers(
              retryingClient.random().nextBoolean() ? asked : by(holder, "/renew")));
    }
    for (RecordedResponse recordedResponse : more) {
      if (recordedResponse.cameNanos() - until >= 0) {
        break; // The lease may have ended, and the lock may have been granted anew.
      }
      assertThat(recordedResponse.status())
          .as("%s, held with %d: %s", holder, token, recordedResponse)
          .isEqualTo(200);
      assertThat(token(recordedResponse)).as("%s: %s", holder, recordedResponse).isEqualTo(token);
      until = Math.max(until, recordedResponse.sentNanos() + LEASE);
      retryingClient.tally().count("repeated");
    }
    RetryingClient.pause(retryingClient.random().nextInt(10));
    long to = Math.min(until, System.nanoTime()); // The release begins now.
    all.add(new Hold(holder, token, from, to));
    retryingClient.tally().count("held");
  }

  private static List<RecordedResponse> granted(List<RecordedResponse> answers) {
    for (RecordedResponse one : answers) {
      assertThat(one.status()).as("%s", one).isIn(200, 409);
    }
    return answers.stream().filter(one -> one.status() == 200).toList();
  }

  private static long token(RecordedResponse recordedResponse) {
    return recordedResponse.json().get("token").asLong();
  }

  @Override
  public Collection<?> records() {
    return all;
  }

  @Override
  public void judge(RetryingClient late) {
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
    List<RecordedResponse> last = granted(late.answers(acquisition("the last", LAST_WAIT_MILLIS)));
    assertThat(last).as("it is had again").isNotEmpty();
    assertThat(token(last.get(0))).isGreaterThan(tokens.stream().max(Long::compare).orElse(0L));
  }
}
