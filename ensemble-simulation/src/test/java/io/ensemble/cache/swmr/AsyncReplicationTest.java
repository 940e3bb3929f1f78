package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CopyWindow;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.SequenceGenerator;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which of a writer's later writes decide the fate of its writes in doubt. */
class AsyncReplicationTest extends WriterLeaseFixture {

  private static final Bytes KEY = Bytes.of((byte) 1);
  private static final Stamp BEFORE = new Stamp(1, OTHER);

  private final AsyncReplication first =
      new AsyncReplication(
          cache,
          tenancy,
          LEASES,
          new PerKeyQueue(scheduler),
          new SequenceGenerator(SELF, seen -> seen + 1),
          new KeysToFence(),
          new CopyWindow(10, Duration.ofSeconds(2)));
  private final List<String> reports = new ArrayList<>();

  AsyncReplicationTest() {
    first
        .inDoubtReporter()
        .listen(
            report ->
                report
                    .writes()
                    .forEach(write -> reports.add(write.stamp().micros() + " " + report.fate())));
  }

  private void write(Term term, long micros, Stamp replaced, boolean acknowledged) {
    Stamp stamp = new Stamp(micros, SELF);
    Copy<Payload> copy =
        new Copy<>(
            new CopyPosition(term.epoch(), micros),
            true,
            stamp,
            new Payload(Bytes.of((byte) 5), 0));
    got(
        first.runInWindow(
            new Deadline(scheduler.nanos() + 1_000_000),
            place -> {
              first.recordWrite(place, KEY, term, copy, replaced, acknowledged);
              return CompletableFuture.completedFuture(true);
            },
            () -> false));
  }

  private List<String> told() {
    pass(1_000_000);
    return reports;
  }

  /**
   * After its lease has expired, another process may have begun a term with another value of the
   * key.
   */
  @Test
  void aWriteThatIsNotAcknowledgedTellsNothingAndTheNextOneThatIsDoes() {
    Term own = register.term().handedOver(SELF);
    register.put(own);
    got(terms.readLatest());
    write(own, 10, BEFORE, true);
    Term next = own.succeeded("b", SELF).activated();
    register.put(next);
    got(terms.readLatest());
    assertThat(told()).containsExactly("10 UNKNOWN");

    write(next, 20, BEFORE, false);
    assertThat(told()).containsExactly("10 UNKNOWN");

    write(next, 30, new Stamp(20, SELF), true);
    assertThat(told()).containsExactly("10 UNKNOWN", "10 LOST");
    assertThat(first.state().doubtful()).isZero();
  }

  @Test
  void whatItWritesInATermThatItSeesFirstFindsTheFormerTermsInDoubt() {
    Term own = register.term().handedOver(SELF);
    write(own, 10, BEFORE, true);

    write(own.succeeded("b", SELF), 20, new Stamp(10, SELF), true);

    assertThat(told()).containsExactly("10 UNKNOWN", "10 KEPT");
    assertThat(first.state().doubtful()).isZero();
  }
}
