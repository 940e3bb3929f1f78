package io.ensemble.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The simulated sites keep the contract of the interfaces for sites and stores. */
class SimStoreTest {

  private static final Bytes KEY = Bytes.of((byte) 1);
  private static final Bytes ONE = Bytes.of((byte) 11);
  private static final Bytes TWO = Bytes.of((byte) 22);

  private final SimFederation federation = SimFederation.builder().seed(3).build();
  private final SimClient client = federation.clients().get(0);
  private final Site site = client.sites().get("oslo");
  private final SiteStore plain = get(site.create("plain", StoreKind.PLAIN, soon()));
  private final SiteStore acceptor = get(site.create("acceptor", StoreKind.ACCEPTOR, soon()));

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(1), client.scheduler());
  }

  private <T> T get(CompletionStage<T> stage) {
    return federation.get(stage, Duration.ofSeconds(2));
  }

  private StoredEntry entry(SiteStore store) {
    return get(store.read(KEY, soon())).orElseThrow();
  }

  private static void assertFails(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SiteException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void anAbsentEntryReadsAsEmpty() {
    assertThat(get(acceptor.read(KEY, soon()))).isEmpty();
    assertThat(acceptor.site()).isEqualTo("oslo");
  }

  @Test
  void onlyTheFirstPutIfAbsentStores() {
    assertThat(get(acceptor.putIfAbsent(KEY, ONE, soon()))).isTrue();
    assertThat(get(acceptor.putIfAbsent(KEY, TWO, soon()))).isFalse();
    assertThat(entry(acceptor).value()).isEqualTo(ONE);
  }

  @Test
  void replaceNeedsTheVersionOfNow() {
    get(acceptor.putIfAbsent(KEY, ONE, soon()));
    long version = entry(acceptor).version();

    assertThat(get(acceptor.replace(KEY, version, TWO, soon()))).isTrue();
    assertThat(get(acceptor.replace(KEY, version, ONE, soon()))).isFalse();
    assertThat(entry(acceptor).value()).isEqualTo(TWO);
    assertThat(entry(acceptor).version()).isNotEqualTo(version);
  }

  @Test
  void replaceOfAnAbsentEntryIsRefused() {
    assertThat(get(acceptor.replace(KEY, 0, ONE, soon()))).isFalse();
    assertThat(get(acceptor.read(KEY, soon()))).isEmpty();
  }

  @Test
  void removeNeedsTheVersionOfNow() {
    get(acceptor.putIfAbsent(KEY, ONE, soon()));
    long version = entry(acceptor).version();

    assertThat(get(acceptor.remove(KEY, version + 1, soon()))).isFalse();
    assertThat(get(acceptor.remove(KEY, version, soon()))).isTrue();
    assertThat(get(acceptor.remove(KEY, version, soon()))).isFalse();
    assertThat(get(acceptor.read(KEY, soon()))).isEmpty();
  }

  @Test
  void versionsDoNotGrowAndTellNothing() {
    int rises = 0;
    long before = 0;
    for (int i = 0; i < 400; i++) {
      get(plain.put(KEY, ONE, soon()));
      long version = entry(plain).version();
      assertThat(version).isNotEqualTo(before);
      rises += version > before ? 1 : 0;
      before = version;
    }

    assertThat(rises).isBetween(120, 280);
  }

  @Test
  void aPlainStorePutsWhateverWasThere() {
    get(plain.put(KEY, ONE, soon()));
    get(plain.put(KEY, TWO, soon()));

    assertThat(entry(plain).value()).isEqualTo(TWO);
    assertThat(get(plain.getAndPut(KEY, ONE, soon()))).contains(TWO);
    assertThat(get(plain.getAndPut(Bytes.of((byte) 2), ONE, soon()))).isEmpty();
  }

  @Test
  void anAcceptorRefusesBlindWrites() {
    assertThatIllegalStateException().isThrownBy(() -> acceptor.put(KEY, ONE, soon()));
    assertThatIllegalStateException().isThrownBy(() -> acceptor.getAndPut(KEY, ONE, soon()));
  }

  @Test
  void aNameIsTakenOnceAndOpenedByItsKind() {
    assertFails(Reason.FAILED, () -> get(site.create("plain", StoreKind.PLAIN, soon())));
    assertFails(Reason.UNSUITABLE, () -> get(site.open("plain", StoreKind.ACCEPTOR, soon())));
    assertFails(Reason.STORE_LOST, () -> get(site.open("nowhere", StoreKind.PLAIN, soon())));
    get(plain.put(KEY, ONE, soon()));
    assertThat(entry(get(site.open("plain", StoreKind.PLAIN, soon()))).value()).isEqualTo(ONE);
  }

  @Test
  void aRemovedStoreIsLostToItsHandles() {
    get(site.remove("plain", soon()));
    get(site.remove("plain", soon()));

    assertFails(Reason.STORE_LOST, () -> get(plain.read(KEY, soon())));
    assertFails(Reason.STORE_LOST, () -> get(plain.put(KEY, ONE, soon())));
    assertFails(Reason.STORE_LOST, () -> get(plain.scan(5).next(soon())));
  }

  @Test
  void stagesFailAtTheirDeadlineAndTheWriteMayStillHappen() {
    federation.inject(new Fault.SiteDown("oslo", Fault.LostState.NOTHING));
    long start = client.scheduler().nanos();
    assertFails(
        Reason.TIMED_OUT,
        () -> get(plain.put(KEY, ONE, Deadline.after(Duration.ofMillis(70), client.scheduler()))));
    assertThat(client.scheduler().nanos() - start).isEqualTo(70_000_000);

    federation.inject(new Fault.SiteUp("oslo"));
    federation.run(Duration.ofMillis(1));

    assertThat(entry(plain).value()).isEqualTo(ONE);
    assertThat(federation.trace().count(SimFaultKind.PERFORMED_LATE)).isEqualTo(1);
  }

  @Test
  void aDeadlineThatHasPassedSendsNothing() {
    assertFails(
        Reason.TIMED_OUT, () -> get(plain.put(KEY, ONE, new Deadline(client.scheduler().nanos()))));
    federation.run(Duration.ofSeconds(1));

    assertThat(get(plain.read(KEY, soon()))).isEmpty();
  }

  @Test
  void aClosedSiteIsUnreachable() {
    site.close();

    assertFails(Reason.UNREACHABLE, () -> get(plain.read(KEY, soon())));
  }

  @Test
  void nobodyCanCompleteAStageForTheSite() {
    CompletionStage<Void> first = plain.put(KEY, ONE, soon());
    first.toCompletableFuture().cancel(false);
    federation.run(Duration.ofSeconds(1));

    assertThat(entry(plain).value()).isEqualTo(ONE);
  }

  @Test
  void aWalkMeetsAllThatIsThereThroughout() {
    for (int i = 0; i < 100; i++) {
      get(plain.put(Bytes.of((byte) i), ONE, soon()));
    }
    Scan scan = plain.scan(7);
    Map<Bytes, Integer> met = new HashMap<>();
    List<Item> batch = get(scan.next(soon()));
    for (int i = 0; !batch.isEmpty(); batch = get(scan.next(soon())), i++) {
      assertThat(batch).hasSizeLessThanOrEqualTo(7);
      batch.forEach(item -> met.merge(item.key(), 1, Integer::sum));
      get(plain.put(Bytes.of((byte) 99, (byte) i), ONE, soon()));
    }

    assertThat(met.keySet()).hasSizeGreaterThan(100);
    for (int i = 0; i < 100; i++) {
      assertThat(met).containsKey(Bytes.of((byte) i));
    }
    assertThat(met.values()).as("some entries are met twice").contains(2);
    scan.close();
    assertThatIllegalStateException().isThrownBy(() -> scan.next(soon()));
  }

  @Test
  void aWalkGoesOnAfterLostRepliesAndCrashes() {
    for (int i = 0; i < 60; i++) {
      get(plain.put(Bytes.of((byte) i), ONE, soon()));
    }
    Scan scan = plain.scan(5);
    List<Bytes> met = new ArrayList<>();
    federation.inject(new Fault.Change(MessageFaults.lossy(0.2).withNoticed(1)));
    for (int call = 0; call < 1_000; call++) {
      if (call == 6) {
        federation.inject(new Fault.SiteDown("oslo", Fault.LostState.REQUESTS));
        federation.inject(new Fault.SiteUp("oslo"));
      }
      List<Item> batch;
      try {
        batch = get(scan.next(soon()));
      } catch (SiteException e) {
        continue;
      }
      if (batch.isEmpty()) {
        break;
      }
      batch.forEach(item -> met.add(item.key()));
    }

    assertThat(federation.trace().count(SimFaultKind.REPLY_LOST)).isPositive();
    for (int i = 0; i < 60; i++) {
      assertThat(met).contains(Bytes.of((byte) i));
    }
  }

  @Test
  void aWalkHasOneCallerAtATime() {
    Scan scan = plain.scan(5);
    CompletionStage<List<Item>> first = scan.next(soon());

    assertThatIllegalStateException().isThrownBy(() -> scan.next(soon()));
    assertThat(get(first)).isEmpty();
  }
}
