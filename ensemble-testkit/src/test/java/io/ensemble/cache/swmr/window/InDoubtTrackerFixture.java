package io.ensemble.cache.swmr.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.InDoubtWrites;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.swmr.window.WindowSlot.Write;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Writes of one key in doubt, the stamp that the test stores for the key, and the reports. */
abstract class InDoubtTrackerFixture {

  static final WriterId SELF = new WriterId(1, 2);
  static final Bytes KEY = Bytes.of((byte) 1);
  static final Stamp BEFORE = new Stamp(1, SELF);
  static final Stamp ONE = new Stamp(11, SELF);
  static final Stamp TWO = new Stamp(12, SELF);
  static final Stamp THREE = new Stamp(13, SELF);
  static final Stamp FOUR = new Stamp(14, SELF);
  static final Stamp FIVE = new Stamp(15, SELF);
  static final Stamp OTHER = new Stamp(99, new WriterId(3, 4));

  final SimScheduler scheduler = SimScheduler.ofSeed(5);
  final List<String> reports = new ArrayList<>();
  final Map<Bytes, Optional<Stamp>> found = new HashMap<>();
  final InDoubtReporter telling = new InDoubtReporter("c", scheduler, CacheMetrics.NONE);
  Term present = Term.first("a", SELF);
  int doubtful;
  int looks;

  final InDoubtTracker doubts =
      new InDoubtTracker(
          scheduler,
          new TermLeaseRules(300_000_000, 10_000_000),
          (key, trust) ->
              CompletableFuture.completedFuture(found.getOrDefault(key, Optional.empty())),
          () -> {
            looks++;
            return CompletableFuture.completedFuture(seen());
          },
          more -> doubtful += more,
          telling::report);

  InDoubtTrackerFixture() {
    telling.listen(this::told);
  }

  private void told(InDoubtWrites<Bytes> report) {
    report.writes().forEach(write -> reports.add(write.stamp().micros() + " " + report.fate()));
  }

  LeasedTerm seen() {
    LeasedTerm trust = new LeasedTerm(present, scheduler.nanos());
    doubts.seen(trust);
    return trust;
  }

  /** Lets the reports arrive: listeners run in separate tasks. */
  void listen() {
    scheduler.run(() -> false, Duration.ofMillis(1), 1_000);
  }

  static Write write(Stamp stamp, Stamp replaced, boolean acknowledged) {
    return write(1, stamp, replaced, acknowledged);
  }

  static Write write(long epoch, Stamp stamp, Stamp replaced, boolean acknowledged) {
    return new Write(
        KEY, epoch, new CopyPosition(epoch, stamp.micros()), stamp, replaced, acknowledged);
  }

  void threeInDoubt() {
    doubts.add(List.of(write(ONE, BEFORE, true), write(TWO, ONE, true), write(THREE, TWO, true)));
    assertThat(reports).as("nobody waits for listeners").isEmpty();
    listen();
    assertThat(reports).containsExactly("11 UNKNOWN", "12 UNKNOWN", "13 UNKNOWN");
    assertThat(doubtful).isEqualTo(3);
    reports.clear();
  }

  void settleBy(Stamp stamp) {
    found.put(KEY, Optional.of(stamp));
    present = present.succeeded("b", SELF).activated().recovered();
    seen();
    scheduler.run(() -> false, Duration.ofMillis(10), 1_000);
  }
}
