package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.register.Ballot;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * What a client learns of entry versions from the reads behind its votes, and how long it waits.
 */
class VersionPrefetcherTest {

  private static final Bytes KEY = Bytes.of((byte) 1);
  private static final StoreSet STORES = StoreSet.of(List.of(), new Deadline(0));

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final KeyStateCache keys = new KeyStateCache();
  private final VersionPrefetcher prefetcher = new VersionPrefetcher(scheduler, keys);

  private static Ballot ballot(long round) {
    return new Ballot(round, Kind.FAST, new WriterId(1, 2));
  }

  private static Cell<Payload> cell(long round) {
    Payload value = new Payload(Bytes.of((byte) round), 0);
    return new Cell<>(
        ballot(round), ballot(round), ballot(round - 1), new Content<>(round, List.of(), value));
  }

  /** A write of this client, with one site. */
  private CompletableFuture<Optional<StoredEntry>> write(long round) {
    CompletableFuture<Optional<StoredEntry>> read = new CompletableFuture<>();
    VersionReads reads = new VersionReads(1);
    reads.sent(0, read);
    keys.recordChosen(KEY, ballot(round), true);
    prefetcher.recordWrite(
        KEY, cell(round), STORES, prefetcher.expectsNextWrite(KEY) ? reads : null);
    return read;
  }

  private static Optional<StoredEntry> shows(long round, long version) {
    return Optional.of(new StoredEntry(CellCodec.encode(cell(round)), version));
  }

  private boolean isWaiting() {
    CompletionStage<Void> wait = prefetcher.awaitVersions(KEY);
    return !wait.toCompletableFuture().isDone();
  }

  /** Two writes in a row, so that versions are read ahead. */
  private void becomeWriter() {
    write(1);
    prefetcher.recordUse(KEY, true);
  }

  @Test
  void aReadBehindAVoteGivesTheVersionsOfTheNextWrite() {
    becomeWriter();
    CompletableFuture<Optional<StoredEntry>> read = write(2);
    assertThat(isWaiting()).isTrue();

    read.complete(shows(2, 7));

    assertThat(isWaiting()).isFalse();
    assertThat(scheduler.timers()).isZero();
    assertThat(keys.takeCells(KEY).orElseThrow().cells().get(0).token()).isEqualTo(7);
  }

  @Test
  void aWriteWaitsAtMostSoLongForReadsThatAreNotAnswered() {
    becomeWriter();
    CompletableFuture<Optional<StoredEntry>> read = write(2);
    CompletableFuture<Void> wait = prefetcher.awaitVersions(KEY).toCompletableFuture();
    scheduler.advance(Duration.ofNanos(VersionPrefetcher.LONGEST_WAIT_NANOS - 1));
    assertThat(wait).isNotDone();

    scheduler.advance(Duration.ofNanos(1));

    assertThat(wait).isDone();
    assertThat(scheduler.timers()).isZero();
    read.complete(shows(2, 7));
    assertThat(isWaiting()).as("nothing is kept of the wait").isFalse();
  }

  @Test
  void aReadThatOvertookItsVoteGivesNothing() {
    becomeWriter();
    CompletableFuture<Optional<StoredEntry>> read = write(2);
    CompletionStage<Void> next = prefetcher.awaitVersions(KEY);

    read.complete(shows(1, 6));

    assertThat(next.toCompletableFuture()).isDone();
    assertThat(keys.takeCells(KEY)).isEmpty();
  }

  @Test
  void versionsAreNotReadAheadWhereThatWasOfNoUse() {
    becomeWriter();
    assertThat(prefetcher.expectsNextWrite(KEY)).isTrue();

    for (int i = 0; i < 3; i++) {
      prefetcher.recordUse(KEY, false);
    }

    assertThat(prefetcher.expectsNextWrite(KEY)).isFalse();
    prefetcher.recordUse(KEY, true);
    assertThat(prefetcher.expectsNextWrite(KEY)).isTrue();
  }

  @Test
  void cellsOfAnEarlierContentAreNotUsed() {
    becomeWriter();
    CompletableFuture<Optional<StoredEntry>> read = write(2);
    CompletionStage<Void> next = prefetcher.awaitVersions(KEY);
    keys.recordChosen(KEY, ballot(3), false); // Another client's write is known.

    read.complete(shows(2, 7));

    assertThat(next.toCompletableFuture()).isDone();
    assertThat(keys.takeCells(KEY)).isEmpty();
  }
}
