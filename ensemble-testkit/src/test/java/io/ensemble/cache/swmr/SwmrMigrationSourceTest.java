package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.RegisterEnd;
import io.ensemble.cache.mwmr.RegisterSeed;
import io.ensemble.cache.swmr.copy.CopyCodec;
import io.ensemble.cache.swmr.copy.CopySeed;
import io.ensemble.cache.swmr.copy.CopyStore;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.Term;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a mover reads from the stores of a cache after it has ended the record of terms. */
class SwmrMigrationSourceTest {

  private static final List<String> SITES = List.of("a", "b", "c");
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final WriterId WRITER = new WriterId(1, 2);
  private static final Bytes KEY = Bytes.of((byte) 7);

  private final SimFederation federation =
      SimFederation.builder().sites("a", "b", "c").clients(0).seed(3).build();
  private final SimClient client = federation.newClient();
  private final Set<String> down = new HashSet<>();
  private Map<String, SiteStore> stores = Map.of();

  @BeforeEach
  void create() {
    federation.createStore("s", StoreKind.ACCEPTOR);
    stores = federation.stores(client, "s", StoreKind.ACCEPTOR);
  }

  private StoreHandle handle(String site) {
    return FakeHandle.opening(
        site,
        () ->
            down.contains(site)
                ? CompletableFuture.failedFuture(
                    new SiteException(site, Reason.UNREACHABLE, "planted"))
                : CompletableFuture.completedFuture(stores.get(site)));
  }

  private SwmrMigrationSource copies(Acknowledgement acknowledgement) {
    return copies(acknowledgement, true);
  }

  private SwmrMigrationSource copies(Acknowledgement acknowledgement, boolean decides) {
    return new SwmrMigrationSource(
        CacheDefinition.of("c", Mode.SWMR).sites(SITES).acknowledgement(acknowledgement).build(),
        SITES.stream().map(this::handle).toList(),
        VoterSet.first(SITES),
        client.scheduler(),
        new HybridClock(client.scheduler()::epochMicros),
        decides);
  }

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(5), client.scheduler());
  }

  private <T> T got(CompletionStage<T> stage) {
    return federation.get(stage, LIMIT);
  }

  /** Stores {@code term} at a site as the acceptor of the record's register would. */
  private void accepts(String site, Term term) {
    Bytes cell = RegisterSeed.of(WRITER, Optional.of(TermCodec.encode(term)));
    got(stores.get(site).putIfAbsent(SwmrKeyLayout.RECORD, cell, soon()));
  }

  private void holds(String site, long epoch, long sequence, boolean settled, int value) {
    Payload payload = new Payload(Bytes.of((byte) value), 0);
    Copy<Payload> copy =
        new Copy<>(
            new CopyPosition(epoch, sequence), settled, new Stamp(sequence + 9, WRITER), payload);
    got(new CopyStore(stores.get(site)).putIfAbsent(KEY, CopyCodec.encode(copy), soon()));
  }

  private Optional<Integer> read(SwmrMigrationSource copies) {
    return got(copies.read(KEY, soon())).map(payload -> (int) payload.value().array()[0]);
  }

  private static Term term(long epoch, String primary, long floor) {
    return new Term(epoch, primary, WRITER, 3, true, floor);
  }

  @Test
  void theRecordIsEndedAndFoundEnded() {
    accepts("a", term(2, "b", 2));
    SwmrMigrationSource copies = copies(Acknowledgement.MAJORITY);

    got(copies.end(0, soon()));
    got(copies.end(0, soon()));
    got(copies.end(1, soon()));

    for (String site : List.of("a", "b")) {
      Optional<StoredEntry> record = got(stores.get(site).read(SwmrKeyLayout.RECORD, soon()));
      assertThat(RegisterEnd.isEnd(record.orElseThrow().value())).as(site).isTrue();
    }
    assertThat(got(stores.get("c").read(SwmrKeyLayout.RECORD, soon()))).isEmpty();
    assertThat(copies.copies()).extracting(StoreHandle::site).containsExactly("b", "a", "c");
  }

  @Test
  void aWriteOfAMajorityIsFoundWhicheverSiteIsAway() {
    holds("a", 1, 5, true, 1);
    holds("b", 1, 9, true, 2);
    holds("c", 1, 9, true, 2);
    for (String away : SITES) {
      down.clear();
      down.add(away);

      assertThat(read(copies(Acknowledgement.MAJORITY))).as("without " + away).contains(2);
    }
  }

  @Test
  void fewerThanAMajoritySayNothing() {
    holds("a", 1, 5, true, 1);
    down.addAll(List.of("b", "c"));

    CompletableFuture<Optional<Payload>> read =
        copies(Acknowledgement.MAJORITY).read(KEY, soon()).toCompletableFuture();

    federation.run(read::isDone, LIMIT);
    assertThat(read).isCompletedExceptionally();
  }

  @Test
  void whatALaterTermWasAnsweredWithoutIsVoid() {
    holds("a", 1, 50, true, 1); // Never acknowledged, and missing when epoch 3 recovered all keys.
    holds("b", 3, 0, false, 1); // Arrived too late.
    accepts("a", term(2, "a", 1));
    accepts("b", term(3, "b", 3));
    SwmrMigrationSource copies = copies(Acknowledgement.MAJORITY);
    down.add("c");
    assertThat(read(copies)).as("before the terms are known").contains(1);

    got(copies.end(0, soon()));
    got(copies.end(1, soon()));

    assertThat(read(copies)).isEmpty();
  }

  @Test
  void whatIsBeingRecoveredStillCounts() {
    holds("a", 2, 7, true, 1);
    holds("b", 3, 0, false, 1);
    accepts("a", term(3, "b", 2));
    accepts("b", term(3, "b", 2));
    SwmrMigrationSource copies = copies(Acknowledgement.MAJORITY);
    down.add("c");

    got(copies.end(0, soon()));
    got(copies.end(1, soon()));

    assertThat(read(copies)).contains(1);
  }

  @Test
  void whereThePrimaryAloneAcknowledgesItIsAskedForAWhile() {
    holds("b", 2, 90, true, 7);
    holds("a", 2, 50, true, 1);
    accepts("a", term(2, "b", 2));
    accepts("c", term(2, "b", 2));
    SwmrMigrationSource copies = copies(Acknowledgement.PRIMARY);
    got(copies.end(0, soon()));
    got(copies.end(2, soon()));

    assertThat(read(copies)).as("the primary's").contains(7);
    down.add("b");
    assertThat(copies.mayLose("b")).isFalse();
    CompletableFuture<?> without = copies.read(KEY, soon()).toCompletableFuture();
    federation.run(without::isDone, LIMIT);
    assertThat(without).isCompletedExceptionally();
    long later = SwmrMigrationSource.PATIENCE.plusSeconds(5).toNanos();
    client.scheduler().after(later, () -> {}); // The clock advances only from task to task.
    federation.run(LIMIT);
    assertThat(read(copies)).as("as after a fail-over").contains(1);
    assertThat(copies.mayLose("b")).isTrue();
  }

  /**
   * Only the mover decides to read without the primary: several clients could decide differently.
   */
  @Test
  void whoDoesNotDecideNeverGoesWithoutThePrimary() {
    holds("b", 2, 90, true, 7);
    holds("a", 2, 50, true, 1);
    accepts("a", term(2, "b", 2));
    accepts("c", term(2, "b", 2));
    SwmrMigrationSource copies = copies(Acknowledgement.PRIMARY, false);
    got(copies.end(0, soon()));
    got(copies.end(2, soon()));
    down.add("b");
    for (int i = 0; i < 3; i++) {
      CompletableFuture<?> without = copies.read(KEY, soon()).toCompletableFuture();
      federation.run(without::isDone, LIMIT);
      assertThat(without).isCompletedExceptionally();
      client.scheduler().after(SwmrMigrationSource.PATIENCE.plusSeconds(5).toNanos(), () -> {});
      federation.run(LIMIT);
    }
    down.clear();

    assertThat(read(copies)).contains(7);
  }

  @Test
  void aDraftIsACopyOfTheFirstTermBelowItsWrites() {
    Bytes stored = CopySeed.of(WRITER, Optional.of(new Payload(Bytes.of((byte) 4), 77)));
    Copy<Payload> draft = CopyCodec.decode(stored);

    assertThat(draft.settled()).isTrue();
    assertThat(draft.mark()).isEqualTo(new CopyPosition(1, 2));
    assertThat(draft.value()).isEqualTo(new Payload(Bytes.of((byte) 4), 77));
    assertThat(CopySeed.of(WRITER, Optional.of(new Payload(Bytes.of((byte) 4), 77))))
        .isEqualTo(stored);
    assertThat(CopyCodec.decode(CopySeed.of(WRITER, Optional.empty())).value()).isNull();
  }
}
