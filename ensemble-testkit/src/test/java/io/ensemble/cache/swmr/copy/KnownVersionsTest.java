package io.ensemble.cache.swmr.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.cache.swmr.FakeHandle;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.KnownCopies;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which entry versions a writer learns after a write, and when it discards them. */
class KnownVersionsTest {

  private static final WriterId SELF = new WriterId(1, 2);
  private static final CopyPosition WRITTEN = new CopyPosition(3, 40);
  private static final int PRIMARY = 0;

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final Deque<CompletableFuture<Optional<StoredEntry>>> asked = new ArrayDeque<>();
  private final List<StoreHandle> handles = List.of(handle("a"), handle("b"), handle("c"));
  private final KnownVersions versions = new KnownVersions(scheduler);

  @Test
  void whatTheOtherSitesShowOfTheWriteIsKnownInItsEpochAndForTheseIncarnations() {
    versions.learn(key(1), WRITTEN, replicas(), PRIMARY);
    assertThat(asked).hasSize(2);
    asked.poll().complete(entry(WRITTEN, 7));
    asked.poll().complete(entry(WRITTEN, 8));

    KnownCopies<Payload> known = versions.of(key(1), 3, replicas());
    assertThat(known.sites().get(PRIMARY)).isEmpty();
    assertThat(known.sites().get(1).orElseThrow().token()).isEqualTo(7);
    assertThat(known.sites().get(2).orElseThrow().token()).isEqualTo(8);
    assertThat(known.sites().get(2).orElseThrow().copy().value()).as("not kept").isNull();
    assertThat(versions.of(key(1), 4, replicas())).isEqualTo(KnownCopies.nothing());
    StoreSet others = StoreSet.of(List.of(handle("a"), handle("b"), handle("c")), soon());
    assertThat(versions.of(key(1), 3, others)).isEqualTo(KnownCopies.nothing());
    versions.forget(key(1));
    assertThat(versions.of(key(1), 3, replicas())).isEqualTo(KnownCopies.nothing());
  }

  /** Each entry version serves a compare-and-set at its own site only. */
  @Test
  void aSiteThatIsAwayOrHasAnotherStoreTakesNothingFromWhatIsKnownOfOthers() {
    versions.learn(key(1), WRITTEN, replicas(), PRIMARY);
    asked.poll().complete(entry(WRITTEN, 7));
    asked.poll().complete(entry(WRITTEN, 8));
    StoreHandle away = FakeHandle.opening("b", CompletableFuture::new);

    for (StoreHandle other : List.of(away, handle("b"))) {
      KnownCopies<Payload> known =
          versions.of(
              key(1), 3, StoreSet.of(List.of(handles.get(0), other, handles.get(2)), soon()));
      assertThat(known.sites().get(1)).isEmpty();
      assertThat(known.sites().get(2).orElseThrow().token()).isEqualTo(8);
    }
  }

  @Test
  void aSiteThatShowsAnotherCopyOrNothingOrFailsIsNotKnown() {
    versions.learn(key(1), WRITTEN, replicas(), PRIMARY);
    asked.poll().complete(entry(new CopyPosition(3, 39), 7));
    asked.poll().complete(Optional.empty());
    versions.learn(key(2), WRITTEN, replicas(), PRIMARY);
    asked.poll().completeExceptionally(new IllegalStateException("away"));
    asked.poll().complete(Optional.of(new StoredEntry(Bytes.of((byte) 99), 7)));

    assertThat(versions.of(key(1), 3, replicas()).sites()).allMatch(Optional::isEmpty);
    assertThat(versions.of(key(2), 3, replicas()).sites()).allMatch(Optional::isEmpty);
  }

  @Test
  void anAnswerAboutAnEarlierWriteIsNotOfTheLaterOne() {
    versions.learn(key(1), WRITTEN, replicas(), PRIMARY);
    var late = List.copyOf(asked);
    versions.learn(key(1), new CopyPosition(3, 41), replicas(), PRIMARY);
    late.forEach(answer -> answer.complete(entry(WRITTEN, 7)));

    assertThat(versions.of(key(1), 3, replicas()).sites()).allMatch(Optional::isEmpty);
  }

  @Test
  void onlySoManySitesAreAskedAtATime() {
    for (int i = 0; i < KnownVersions.MOST_QUESTIONS; i++) {
      versions.learn(key(i), WRITTEN, replicas(), PRIMARY);
    }
    int most = 2 * KnownVersions.MOST_QUESTIONS;
    assertThat(asked).hasSize(most);
    asked.poll().complete(entry(WRITTEN, 7));
    versions.learn(key(-1), WRITTEN, replicas(), PRIMARY);
    assertThat(asked).as("one site owes as many answers as it may").hasSize(most);
    asked.poll().completeExceptionally(new IllegalStateException("away"));
    asked.poll().complete(Optional.empty());
    versions.learn(key(-2), WRITTEN, replicas(), PRIMARY);
    assertThat(asked).hasSize(most);
    versions.learn(key(-3), WRITTEN, replicas(), PRIMARY);
    assertThat(asked).hasSize(most);
  }

  @Test
  void theKeyWhoseWriteIsLongestAgoIsForgottenFirst() {
    for (int i = 0; i <= KnownVersions.MOST_KEYS; i++) {
      versions.learn(key(i), WRITTEN, replicas(), PRIMARY);
      asked.forEach(answer -> answer.complete(entry(WRITTEN, 7)));
      asked.clear();
      if (i == 5) {
        versions.learn(key(0), WRITTEN, replicas(), PRIMARY);
      }
    }

    assertThat(versions.size()).isEqualTo(KnownVersions.MOST_KEYS);
    assertThat(versions.of(key(0), 3, replicas()))
        .as("written later")
        .isNotEqualTo(KnownCopies.nothing());
    assertThat(versions.of(key(1), 3, replicas())).isEqualTo(KnownCopies.nothing());
    assertThat(versions.of(key(2), 3, replicas())).isNotEqualTo(KnownCopies.nothing());
  }

  private static Bytes key(int number) {
    return Bytes.of((byte) (number >> 16), (byte) (number >> 8), (byte) number);
  }

  private static Optional<StoredEntry> entry(CopyPosition copyPosition, long version) {
    Payload value = new Payload(Bytes.of((byte) 5), 0);
    Copy<Payload> copy = new Copy<>(copyPosition, true, new Stamp(9, SELF), value);
    return Optional.of(new StoredEntry(CopyCodec.encode(copy), version));
  }

  private StoreSet replicas() {
    return StoreSet.of(handles, soon());
  }

  private Deadline soon() {
    return new Deadline(scheduler.nanos() + 1_000_000_000);
  }

  /** A site whose reads are answered by the test. */
  private StoreHandle handle(String site) {
    return FakeHandle.open(
        site,
        FakeHandle.store(
            (proxy, method, given) -> {
              CompletableFuture<Optional<StoredEntry>> answer = new CompletableFuture<>();
              asked.add(answer);
              return answer;
            }));
  }
}
