package io.ensemble.cache.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.listen.ChangeMerger;
import io.ensemble.listen.ListenOutput;
import io.ensemble.listen.Vote;
import io.ensemble.partition.StableHash;
import io.ensemble.register.Ballot;
import io.ensemble.register.Content;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoreObserver;
import io.ensemble.stamp.WriterId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a stream waits for, and what it keeps, in the worst case. */
class ChangeFeedBoundsTest {

  private static final int EVENTS = 200;
  private static final long BYTES = 10_000;
  private static final int PENDING = 400;
  private static final Duration PATIENCE = Duration.ofMillis(200);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final List<ScannedStore> stores =
      List.of(new ScannedStore(), new ScannedStore(), new ScannedStore());
  private final List<ListenOutput<Bytes, Payload>> outputs = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private boolean isConfirmed = true;
  private int votesRequired = 2;
  private int valueBytes = 8;
  private int scansRequired = 2;
  private int scansCovering = 2;
  private int reads;
  private KeySelection selection = KeySelection.ALL;
  private final ChangeMerger<Bytes, Payload> merger =
      new ChangeMerger<>(
          0, ChangeFeed.values(), key -> StableHash.of(key.array()), 100_000, PENDING, BYTES, null);
  private @Nullable ChangeFeed feed;

  private Optional<ChangeSource> source() {
    return Optional.of(
        new ChangeSource(
            1,
            List.copyOf(stores),
            scansRequired,
            scansCovering,
            true,
            600_000_000,
            this::vote,
            (key, deadline) -> {
              reads++;
              return CompletableFuture.completedFuture(content(1));
            },
            deadline -> CompletableFuture.completedFuture(isConfirmed)));
  }

  private Vote<Payload> vote(Bytes stored) {
    Content<Payload> content = content(ByteBuffer.wrap(stored.array()).getInt());
    Ballot ballot = content.firstProposed();
    return new Vote<>(ballot, ballot, votesRequired, true, content);
  }

  private Content<Payload> content(int number) {
    long micros = scheduler.epochMicros() / 1_000_000_000 * 1_000_000_000 + number;
    Ballot ballot = new Ballot(micros, Ballot.Kind.CLASSIC, new WriterId(0, 1));
    return new Content<>(
        number, List.of(ballot), new Payload(Bytes.of(new byte[valueBytes]), 0, false));
  }

  private ChangeFeed start() {
    ChangeFeed started =
        new ChangeFeed(
            "cache",
            this::source,
            selection,
            scheduler,
            new ListenLimits(
                100_000,
                PENDING,
                EVENTS,
                BYTES,
                100,
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                PATIENCE),
            merger,
            outputs::addAll,
            failures::add);
    feed = started;
    started.start();
    return started;
  }

  private static Bytes key(int number) {
    return Bytes.of(ByteBuffer.allocate(5).put((byte) 1).putInt(number).array());
  }

  private static Bytes value(int number) {
    return Bytes.of(ByteBuffer.allocate(4).putInt(number).array());
  }

  private void put(int keys) {
    for (int i = 0; i < keys; i++) {
      for (ScannedStore store : stores) {
        store.entries.put(key(i), value(1));
      }
    }
  }

  private void eachReplicaHasWritesOfItsOwn() {
    scansRequired = 1;
    scansCovering = 3;
    votesRequired = 1;
  }

  private long covered() {
    return outputs.stream().filter(ListenOutput.Covered.class::isInstance).count();
  }

  private long shown() {
    return outputs.stream().filter(ListenOutput.Shown.class::isInstance).count();
  }

  @Test
  void aStreamOpensWhileOneReplicaHangs() {
    stores.get(1).isHanging = true;

    start();
    scheduler.advance(PATIENCE.minusMillis(1));
    assertThat(covered()).as("the others have a moment").isZero();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(covered()).isEqualTo(1);
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(covered())
        .as("a later round does not wait for the scan that hangs")
        .isGreaterThan(1);
  }

  /** Each replica may have writes that no other has. */
  @Test
  void aStreamOpensWithAPartOfTheReplicasWhereOneIsEnough() {
    scansRequired = 1;
    scansCovering = 3;
    stores.get(1).isHanging = true;
    stores.get(2).isHanging = true;

    start();
    scheduler.advance(PATIENCE);

    assertThat(covered()).isEqualTo(1);
  }

  @Test
  void aStreamDoesNotOpenWithFewerReplicasThanItNeeds() {
    stores.get(1).isHanging = true;
    stores.get(2).isHanging = true;

    start();
    scheduler.advance(Duration.ofMinutes(1));

    assertThat(covered()).isZero();
  }

  @Test
  void allReplicasThatAnswerAreScannedInTheFirstRound() {
    start();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(covered()).isEqualTo(1);
    assertThat(stores).allSatisfy(store -> assertThat(store.scans).isEqualTo(1));
  }

  /** Only one replica has the writes, so each is read. */
  @Test
  void aScanReadsUnprovenWritesUntilThereIsRoom() {
    put(5_000);
    stores.get(1).entries.clear();
    stores.get(2).entries.clear();

    start();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(covered()).as("the first round is complete").isEqualTo(1);
    assertThat(reads).isGreaterThanOrEqualTo(5_000);
  }

  /** A batch of a scan takes more than the bound. */
  @Test
  void aStreamOpensWhateverItsValuesTake() {
    valueBytes = (int) BYTES / 4;
    put(500);

    start();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(covered()).as("the first round is complete").isEqualTo(1);
    assertThat(merger.pendingWrites()).isZero();
  }

  /** A program that reads this site after the stream has opened must learn of the write. */
  @Test
  void aWriteThatSomeSiteLacksWhenTheStreamOpensIsShown() {
    eachReplicaHasWritesOfItsOwn();
    put(5);
    stores.get(1).entries.remove(key(0));
    stores.get(2).entries.put(key(1), value(0));

    start();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(covered()).as("the reads do not delay the opening").isEqualTo(1);
    assertThat(reads).isZero();
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(
            outputs.stream()
                .filter(ListenOutput.Shown.class::isInstance)
                .map(output -> ((ListenOutput.Shown<Bytes, Payload>) output).change().key()))
        .containsExactlyInAnyOrder(key(0), key(1));
    assertThat(reads).isEqualTo(2);
    scheduler.advance(Duration.ofMinutes(2));
    assertThat(shown()).isEqualTo(2);
  }

  /** A site that does not answer is not known to lack anything. */
  @Test
  void aSiteThatIsAwayMakesNoWriteNews() {
    eachReplicaHasWritesOfItsOwn();
    put(5);
    stores.get(1).isHanging = true;

    start();
    scheduler.advance(PATIENCE);

    assertThat(covered()).isEqualTo(1);
    assertThat(shown()).isZero();
  }

  @Test
  void reportsThatCannotBeConfirmedAreDroppedAtABound() {
    votesRequired = 1;
    start();
    scheduler.advance(Duration.ofMillis(1));
    isConfirmed = false;
    StoreObserver observer = Objects.requireNonNull(stores.get(0).observer);

    for (int i = 0; i < 3 * EVENTS; i++) {
      stores.get(0).entries.put(key(i), value(1));
      observer.stored(key(i), value(1));
    }
    assertThat(merger.knownKeys()).isEqualTo(EVENTS);
    assertThat(shown()).isZero();

    isConfirmed = true;
    scheduler.advance(Duration.ofSeconds(40));
    assertThat(shown()).as("a round finds the others").isEqualTo(3 * EVENTS);
  }

  @Test
  void theirBytesHaveABoundToo() {
    votesRequired = 1;
    valueBytes = 1_000;
    start();
    scheduler.advance(Duration.ofMillis(1));
    isConfirmed = false;
    StoreObserver observer = Objects.requireNonNull(stores.get(0).observer);

    for (int i = 0; i < 50; i++) {
      observer.stored(key(i), value(1));
    }

    assertThat(merger.knownKeys()).isEqualTo(10);
  }

  /** Only the first of 100,001 keys is selected. */
  @Test
  void keysThatAreNotSelectedTakeNoRoomAndNoReads() {
    selection = KeySelection.matching("first", key -> key.equals(key(0)));
    put(100_001);
    stores.get(1).entries.clear();
    stores.get(2).entries.clear();

    start();
    scheduler.advance(Duration.ofMillis(1));
    Objects.requireNonNull(stores.get(0).observer).stored(key(7), value(2));

    assertThat(failures).isEmpty();
    assertThat(covered()).isEqualTo(1);
    assertThat(merger.knownKeys()).isEqualTo(1);
    assertThat(reads).isEqualTo(1);
  }

  /** The rounds fail until the configuration is confirmed, and keep no more meanwhile. */
  @Test
  void aScanEndsWhileItsOutputsCannotBeConfirmed() {
    votesRequired = 1;
    start();
    scheduler.advance(Duration.ofMillis(1));
    isConfirmed = false;
    put(5_000);

    scheduler.advance(Duration.ofMinutes(2));

    assertThat(shown()).isZero();
    assertThat(merger.knownKeys()).as("a batch for each replica and round").isLessThan(2_000);
    isConfirmed = true;
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(shown()).isEqualTo(5_000);
    assertThat(failures).isEmpty();
    Objects.requireNonNull(feed).close();
  }
}
