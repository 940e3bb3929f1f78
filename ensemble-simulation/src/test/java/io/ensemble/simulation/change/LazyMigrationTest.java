package io.ensemble.simulation.change;

import static io.ensemble.simulation.change.ChangeFixture.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.migrate.Mover;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A lazy migration of one key a second, while the cache serves. */
@Execution(ExecutionMode.CONCURRENT)
final class LazyMigrationTest {

  private static final int KEYS = 200;

  private final ChangeFixture scene =
      new ChangeFixture(
          11,
          MessageFaults.lossy(0),
          ConfigurationLeaseRules.STANDARD,
          new ChangeRules(ConfigurationLeaseRules.STANDARD));
  private final SimFederation federation = scene.federation();
  private final SimClient client = federation.newClient();
  private final SimClient moving = federation.newClient();
  private CacheEngine cache;
  private Mover mover;

  /** Whether the mover is cut off from all sites when it begins to remove the former stores. */
  private boolean leavesStores;

  /** Begins a change of the sites and waits until the mover copies. */
  private void begin() {
    begin(KEYS, 1);
  }

  private void begin(int keys, long rate) {
    scene.create(at("s0", "s1", "s2"));
    cache = scene.open(client).engine();
    for (int i = 0; i < keys; i++) {
      write(cache, client, "k" + i, (long) i);
    }
    mover =
        scene.alter(
            moving, at("s1", "s2", "s3"), rate, changeAction -> removes(moving, changeAction));
    federation.run(() -> isAt(ChangePhase.COPYING), LIMIT);
  }

  private static CacheDefinition at(String... sites) {
    return CacheDefinition.of("c", Mode.MWMR).sites(sites).tombstoneGrace(Duration.ZERO).build();
  }

  private void removes(SimClient who, ChangeAction changeAction) {
    if (leavesStores && changeAction instanceof ChangeAction.Remove) {
      cutOff(who);
    }
  }

  private void cutOff(SimClient who) {
    for (String site : federation.siteNames()) {
      federation.inject(new Fault.Cut(who.name(), site, true, true));
    }
  }

  private void join() {
    federation.run(() -> isAt(ChangePhase.CUTOVER), LIMIT);
    assertThat(read(cache, client, "nobody")).isNull(); // The client has followed the change.
  }

  private boolean isAt(ChangePhase changePhase) {
    return scene
        .stored()
        .change()
        .map(ConfigurationChange::step)
        .filter(changePhase::equals)
        .isPresent();
  }

  private static Deadline in(SimClient who, int seconds) {
    return Deadline.after(Duration.ofSeconds(seconds), who.scheduler());
  }

  private void write(CacheEngine into, SimClient who, String key, Long value) {
    WriteOutcome<Void> outcome =
        get(
            into.write(
                HistoryPayloads.key(key),
                value == null ? null : HistoryPayloads.payload(value),
                in(who, 10)));
    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
  }

  private Long read(CacheEngine from, SimClient who, String key) {
    return HistoryPayloads.number(get(from.read(HistoryPayloads.key(key), in(who, 10))));
  }

  private <T> T get(CompletionStage<T> stage) {
    return federation.get(stage, LIMIT);
  }

  @Test
  void aRemovedKeyIsNotForgottenBeforeAllAreTakenOver() {
    begin();
    join();
    List<String> keys = List.of("k0", "k50", "k100", "k150", "k199");
    keys.forEach(key -> write(cache, client, key, null));
    federation.run(Duration.ofSeconds(150)); // Tombstones are removed after a minute.
    SimClient late = federation.newClient();
    CacheEngine there = scene.open(late).engine();

    assertThat(isAt(ChangePhase.CUTOVER)).isTrue();
    keys.forEach(key -> assertThat(read(there, late, key)).isNull());
    assertThat(get(mover.completion()).configuration()).isEqualTo(2);
    keys.forEach(key -> assertThat(read(cache, client, key)).isNull());
    assertThat(read(there, late, "k1")).isEqualTo(1);
  }

  @Test
  void aKeyThatTheFormerStoresHaveForgottenDoesNotComeBackFromItsDraft() {
    begin(150, 1);
    federation.run(Duration.ofSeconds(20));
    for (int i = 0; i < 150; i++) {
      write(cache, client, "k" + i, null); // The mover has copied some of them already.
    }
    join();

    assertThat(get(mover.completion()).configuration()).isEqualTo(2);
    for (int i = 0; i < 150; i++) {
      assertThat(read(cache, client, "k" + i)).isNull();
    }
  }

  @Test
  void whoOpensTheCacheMeanwhileIsAnswered() {
    begin(20, 1);
    join();
    SimClient late = federation.newClient();
    ConfigurationFollower there = scene.open(late);

    assertThat(there.engine().number()).isEqualTo(2);
    for (int i = 0; i < 20; i++) {
      assertThat(read(there.engine(), late, "k" + i)).isEqualTo(i);
    }
    assertThat(isAt(ChangePhase.CUTOVER)).isTrue();
    assertThat(get(mover.completion()).change()).isEmpty();
    assertThat(read(there.engine(), late, "k3")).isEqualTo(3);
  }

  @Test
  void aWalkWaitsUntilAllKeysAreTakenOver() {
    begin(20, 2);
    join();
    EntryScan scan = cache.scan(100);

    assertThatThrownBy(() -> get(scan.next(in(client, 1))))
        .isInstanceOf(QuorumUnavailableException.class);
    Set<String> met = new HashSet<>();
    List<EntryScan.Entry> batch = get(scan.next(in(client, 60)));
    while (!batch.isEmpty()) {
      batch.forEach(entry -> met.add(entry.key().toString()));
      batch = get(scan.next(in(client, 60)));
    }
    assertThat(met).hasSize(20);
  }

  /**
   * What the process read of the record becomes too old: keys could have been removed meanwhile.
   */
  @Test
  void whoCannotReadTheRecordTakesNothingOverAfterAWhile() {
    begin();
    join();
    SimClient other = federation.newClient();
    AtomicBoolean away = new AtomicBoolean();
    CacheEngine there = scene.open(other, away::get).engine();
    assertThat(read(there, other, "k7")).isEqualTo(7);
    away.set(true);

    for (int second = 0; second < 30; second++) { // A pause would end its configuration lease.
      assertThat(read(there, other, "k7")).isEqualTo(7);
      federation.run(Duration.ofSeconds(1));
    }
    write(there, other, "k7", 70L);
    assertThat(read(there, other, "k7")).isEqualTo(70);
    assertThatThrownBy(() -> get(there.read(HistoryPayloads.key("never"), in(other, 5))))
        .isInstanceOf(QuorumUnavailableException.class);
    away.set(false);
    assertThat(read(there, other, "never")).isNull();
  }

  @Test
  void noMoreThanSomeThousandCallsWaitAndNoneIsAnsweredFromADraftAtTheEnd() {
    begin();
    join();
    SimClient other = federation.newClient();
    AtomicBoolean away = new AtomicBoolean();
    CacheEngine there = scene.open(other, away::get).engine();
    away.set(true);
    federation.run(Duration.ofSeconds(30));
    List<CompletableFuture<?>> waiting = new ArrayList<>();
    for (int i = 0; i < 4_096; i++) {
      waiting.add(there.read(HistoryPayloads.key("k199"), in(other, 600)).toCompletableFuture());
    }

    assertThatThrownBy(() -> get(there.read(HistoryPayloads.key("k199"), in(other, 600))))
        .isInstanceOf(QuorumUnavailableException.class)
        .hasMessageContaining("being migrated");
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    there.close();
    federation.run(Duration.ofSeconds(1));
    assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
  }

  /** A site's nodes stop a store one after the other; meanwhile a key may seem to be absent. */
  @Test
  void stopsOfFormerStoresThatLookLikeAbsenceRemoveNothing() {
    leavesStores = true;
    begin(20, 5);
    join();
    StoredDefinition former = scene.stored();
    SimClient other = federation.newClient();
    AtomicBoolean away = new AtomicBoolean();
    CacheEngine there = scene.open(other, away::get).engine();
    assertThat(read(there, other, "k7")).isEqualTo(7);
    away.set(true); // The process still assumes for a while that the migration continues.
    federation.run(() -> isAt(ChangePhase.CLOSING), LIMIT);
    federation.run(Duration.ofSeconds(3));
    for (String site : List.of("s0", "s1")) {
      emptied(former.store(site).orElseThrow(), site, "k3");
    }

    assertThat(read(there, other, "k3")).isEqualTo(3);
    assertThat(read(cache, client, "k3")).isEqualTo(3);
  }

  private void emptied(String store, String site, String key) {
    SiteStore there = federation.stores(client, store, StoreKind.ACCEPTOR).get(site);
    Optional<StoredEntry> entry = get(there.read(HistoryPayloads.key(key), in(client, 5)));
    assertThat(
            get(
                there.remove(
                    HistoryPayloads.key(key), entry.orElseThrow().version(), in(client, 5))))
        .isTrue();
  }

  /** It would read from the configuration before the former one. */
  @Test
  void aMoverThatSleepsIntoTheNextChangeTakesNothingOver() {
    leavesStores = true;
    begin(30, 2);
    join();
    federation.run(Duration.ofSeconds(5));
    moving.scheduler().suspend();
    SimClient second = federation.newClient();
    Mover next = scene.resume(second);
    federation.run(() -> isAt(ChangePhase.CLOSING), LIMIT);
    cutOff(second); // The stores of the first configuration remain.
    get(next.completion());
    for (int i = 0; i < 30; i++) {
      write(cache, client, "k" + i, null);
    }
    federation.run(Duration.ofMinutes(4)); // The tombstones are removed.
    write(cache, client, "other", 1L);
    SimClient third = federation.newClient();
    scene.alter(
        third, at("s0", "s1", "s3"), 0, changeAction -> sleepsInCutover(third, changeAction));
    federation.run(() -> isAt(ChangePhase.CUTOVER), LIMIT);
    federation.run(Duration.ofSeconds(1));

    moving.scheduler().wake();
    federation.run(Duration.ofSeconds(40));

    for (int i = 0; i < 30; i++) {
      assertThat(read(cache, client, "k" + i)).isNull();
    }
  }

  private static void sleepsInCutover(SimClient who, ChangeAction changeAction) {
    if (changeAction instanceof ChangeAction.TakeOver) {
      who.scheduler().suspend();
    }
  }
}
