package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.KeyStateCache.CachedCells;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.register.Ballot;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.register.VersionedCell;
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
  private final VersionPrefetcher prefetcher =
      new VersionPrefetcher(scheduler, keys, new WaitPolicy(1));

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
    boolean isReadAhead = prefetcher.expectsWriteAfterNext(KEY);
    keys.recordChosen(KEY, ballot(round), true);
    prefetcher.recordWrite(KEY, cell(round), STORES, isReadAhead ? reads : null);
    return read;
  }

  private static Optional<StoredEntry> shows(long round, long version) {
    return Optional.of(new StoredEntry(CellCodec.encode(cell(round)), version));
  }

  private boolean isWaiting() {
    CompletionStage<Void> wait = prefetcher.awaitVersions(KEY);
    return !wait.toCompletableFuture().isDone();
  }

  /** Three writes in a row, so that versions are read ahead. */
  private void becomeWriter() {
    write(-1);
    write(0);
    write(1);
  }

  /** A write of this client directly after one of another client. */
  private void writeAfterOther(long round) {
    Cell<Payload> written = cell(round);
    keys.recordChosen(KEY, ballot(round - 1), false);
    Cell<Payload> onOther =
        new Cell<>(
            written.promised(),
            written.accepted(),
            new Ballot(round - 1, Kind.FAST, new WriterId(3, 4)),
            written.content());
    keys.recordChosen(KEY, ballot(round), true);
    prefetcher.recordWrite(KEY, onOther, STORES, null);
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
  void versionsAreNotReadAheadWhereOtherClientsWriteInBetween() {
    becomeWriter();
    assertThat(prefetcher.expectsWriteAfterNext(KEY)).isTrue();

    writeAfterOther(5);

    assertThat(prefetcher.expectsWriteAfterNext(KEY)).isFalse();
    write(6);
    write(7);
    assertThat(prefetcher.expectsWriteAfterNext(KEY)).as("one failure counts twice").isFalse();
    write(8);
    write(9);
    assertThat(prefetcher.expectsWriteAfterNext(KEY)).isTrue();
  }

  /** As a client that locks and unlocks, in turn with others. */
  @Test
  void aClientThatWritesTwiceInTurnIsExpectedToWriteOnceMoreAfterTheFirst() {
    for (long round = 10; round < 40; round += 10) {
      writeAfterOther(round);
      write(round + 1);
    }
    keys.recordChosen(KEY, ballot(49), false);

    assertThat(prefetcher.expectsWriteAfterNext(KEY)).as("after the first").isTrue();
    writeAfterOther(50);
    assertThat(prefetcher.expectsWriteAfterNext(KEY)).as("after the second").isFalse();
  }

  @Test
  void whatAReadShowedServesAWriteThatFollowsAtOnce() {
    writeAfterOther(10);
    keys.recordChosen(KEY, ballot(20), false);
    prefetcher.recordRead(KEY, List.of(new VersionedCell<>(cell(20), 5)), STORES);

    assertThat(keys.takeCells(KEY).orElseThrow().cells().get(0).token()).isEqualTo(5);
    prefetcher.recordRead(KEY, List.of(new VersionedCell<>(cell(20), 5)), STORES);
    CachedCells cells = keys.takeCells(KEY).orElseThrow();
    long freshNanos = new WaitPolicy(1).freshNanos();
    assertThat(cells.isFresh(scheduler.nanos() + freshNanos - 1)).isTrue();
    assertThat(cells.isFresh(scheduler.nanos() + freshNanos)).isFalse();
  }

  /** A read by this client shows them again, with an age that is limited. */
  @Test
  void cellsThatServeForAnyTimeAreNotReplacedByTheSameForAWhile() {
    becomeWriter();
    write(2).complete(shows(2, 7));
    writeAfterOther(9);
    keys.remember(KEY, unlimited(20, 5));

    prefetcher.recordRead(KEY, List.of(new VersionedCell<>(cell(20), 5)), STORES);

    assertThat(keys.takeCells(KEY).orElseThrow().isFresh(Long.MAX_VALUE / 2)).isTrue();
  }

  @Test
  void cellsAreNotUsedAfterALaterBallotIsKnownAsChosen() {
    keys.remember(KEY, unlimited(20, 5));
    keys.recordChosen(KEY, ballot(21), false);

    assertThat(keys.takeCells(KEY)).isEmpty();
  }

  private static CachedCells unlimited(long round, long version) {
    return new CachedCells(
        STORES, List.of(new VersionedCell<>(cell(round), version)), CachedCells.NO_LIMIT);
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
