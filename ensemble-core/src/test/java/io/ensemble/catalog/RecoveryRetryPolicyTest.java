package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.FormerStorePolicy;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.catalog.Catalog.RecoveryResult;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.ForwardingSite;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteLimits;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Recovery of a site right after its nodes were started; final failures have a type. */
class RecoveryRetryPolicyTest {

  private static final Duration LONG = Duration.ofMinutes(10);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final StubSite a = new StubSite("a");
  private final StubSite b = new StubSite("b");
  private final StubSite c = new StubSite("c");
  private final Queue<SiteException> refills = new ArrayDeque<>();
  private final RecoverableEngine engine =
      (site, fresh, deadline) ->
          refills.isEmpty()
              ? CompletableFuture.completedFuture(7L)
              : CompletableFuture.failedFuture(refills.remove());
  private int tokens = 9;
  private final Catalog catalog =
      new Catalog(
          SiteDirectory.of(Map.of("a", a, "b", b, "c", c)),
          definitions,
          scheduler,
          () -> "%08x".formatted(tokens++));
  private final StoredDefinition stored =
      StoredDefinition.first(
          CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build(),
          "0000000000ca0000000000b1",
          Map.of("a", "00000001", "b", "00000002", "c", "00000003"));

  RecoveryRetryPolicyTest() {
    definitions.create(stored);
  }

  private CompletableFuture<RecoveryResult> recovered() {
    return catalog
        .recover(stored, "a", engine, Deadline.after(LONG, scheduler))
        .toCompletableFuture();
  }

  private static SiteException by(String site, Reason reason) {
    return new SiteException(site, reason, "told to fail");
  }

  private static SiteException notSent() {
    return SiteException.notSent("a", Reason.UNREACHABLE, "nobody listens");
  }

  @Test
  void nodesThatStartAreWaitedForAtEveryStep() {
    a.nextFailures.add(notSent()); // opening the former store
    a.nextFailures.add(by("a", Reason.UNREACHABLE));
    a.nextFailures.add(by("a", Reason.TIMED_OUT));
    CompletableFuture<RecoveryResult> recovered = recovered();
    scheduler.advance(Duration.ofMillis(650));
    assertThat(recovered).isCompleted();

    a.stores.clear();
    tokens = 40;
    StoredDefinition now = recovered.join().stored();
    refills.add(by("a", Reason.TIMED_OUT));
    refills.add(by("a", Reason.UNREACHABLE));
    CompletableFuture<RecoveryResult> again =
        catalog.recover(now, "a", engine, Deadline.after(LONG, scheduler)).toCompletableFuture();
    assertThat(again).isNotDone();
    assertThat(a.stores).as("what was filled in part").isEmpty();
    scheduler.advance(Duration.ofSeconds(1));

    assertThat(again.join().keys()).isEqualTo(7);
    assertThat(a.stores).containsOnlyKeys(again.join().stored().store("a").orElseThrow());
    assertThat(scheduler.timers()).isZero();
  }

  /** A client may lose a request together with its connection. */
  @Test
  void aCreationThatIsNeverAnsweredIsNotWaitedForUntilTheDeadline() {
    Site bounded = new BoundedSite(a, new SiteLimits(8, 8, Duration.ofSeconds(5)), scheduler);
    Catalog bounds =
        new Catalog(
            SiteDirectory.of(Map.of("a", bounded, "b", b, "c", c)),
            definitions,
            scheduler,
            () -> "%08x".formatted(tokens++));
    a.lostCreations.set(2);
    CompletableFuture<RecoveryResult> recovered =
        bounds.recover(stored, "a", engine, Deadline.after(LONG, scheduler)).toCompletableFuture();

    scheduler.advance(Duration.ofMinutes(2));

    assertThat(recovered).isCompleted();
    assertThat(a.creations).hasValue(3);
  }

  private static final String ONE = "000000aa";
  private static final String TWO = "000000bb";

  /** Recovers the site {@code a}, which has two nodes. */
  private CompletableFuture<RecoveryResult> recoveredAtTwoNodes(
      Site at, FormerStorePolicy former, RecoverableEngine refilling) {
    a.nodeKeys = List.of(ONE, TWO);
    Catalog here =
        new Catalog(
            SiteDirectory.of(Map.of("a", at, "b", b, "c", c)),
            definitions,
            scheduler,
            () -> "%08x".formatted(tokens++));
    return here.recover(stored, "a", former, refilling, Deadline.after(LONG, scheduler))
        .toCompletableFuture();
  }

  @Test
  void aSilentNodeIsReplacedAfterTenSecondsWhereAnotherIsFree() {
    a.silentNodes.add(ONE);
    CompletableFuture<RecoveryResult> recovered =
        recoveredAtTwoNodes(firstNodeFirst(), FormerStorePolicy.MUST_BE_LOST, engine);

    scheduler.advance(RecoveryRetryPolicy.DOUBTFUL.minusSeconds(1));
    assertThat(recovered).isNotDone();
    scheduler.advance(Duration.ofSeconds(2));

    assertThat(recovered).isCompleted();
    assertThat(recovered.join().stored().store("a").orElseThrow()).endsWith(TWO);
  }

  /** The timeouts are a minute apart, with answers between them. */
  @ParameterizedTest
  @EnumSource(FormerStorePolicy.class)
  void aNodeThatTimesOutNowAndThenIsNotReplaced(FormerStorePolicy former) {
    b.stores.put(stored.store("b").orElseThrow(), StoreKind.REPLICA);
    c.stores.put(stored.store("c").orElseThrow(), StoreKind.REPLICA);
    Queue<Long> failAfterSeconds = new ArrayDeque<>(List.of(60L, 60L, 60L));
    RecoverableEngine slow =
        (site, fresh, deadline) -> {
          Long seconds = failAfterSeconds.poll();
          CompletableFuture<Long> filled = new CompletableFuture<>();
          if (seconds == null) {
            filled.complete(7L);
          } else {
            scheduler.after(
                seconds * 1_000_000_000L,
                () -> filled.completeExceptionally(by("a", Reason.TIMED_OUT)));
          }
          return filled;
        };
    CompletableFuture<RecoveryResult> recovered =
        recoveredAtTwoNodes(firstNodeFirst(), former, slow);

    scheduler.advance(Duration.ofMinutes(4));

    assertThat(recovered).isCompleted();
    assertThat(recovered.join().stored().store("a").orElseThrow()).endsWith(ONE);
  }

  /** No other node can tell whether the former store still exists. */
  @Test
  void theNodeOfTheFormerStoreIsWaitedForThoughOthersAreFree() {
    String old = stored.store("a").orElseThrow();
    Site bounded = new BoundedSite(a, new SiteLimits(8, 8, Duration.ofSeconds(5)), scheduler);
    Site falling =
        new ForwardingSite() {
          @Override
          public Site site() {
            return bounded;
          }

          @Override
          public CompletionStage<SiteStore> create(
              String store, StoreKind kind, Deadline deadline) {
            a.hanging.add(old); // The node reported its store as lost before it fell silent.
            return bounded.create(store, kind, deadline);
          }
        };
    CompletableFuture<RecoveryResult> recovered =
        recoveredAtTwoNodes(falling, FormerStorePolicy.MUST_BE_LOST, engine);

    scheduler.advance(Duration.ofMinutes(1));
    assertThat(recovered).isNotDone();
    assertThat(a.creations).hasValue(1);
    a.hanging.clear();
    scheduler.advance(Duration.ofSeconds(15));

    assertThat(recovered).isCompleted();
    assertThat(a.creations).hasValue(1);
  }

  /** Picks the first node for the first store, and then the second one. */
  private Site firstNodeFirst() {
    AtomicInteger stores = new AtomicInteger();
    return new ForwardingSite() {
      @Override
      public Site site() {
        return a;
      }

      @Override
      public String incarnation(String token, StoreKind kind, Set<String> taken) {
        return token + (stores.getAndIncrement() == 0 ? ONE : TWO);
      }
    };
  }

  /** A starting site reports a store as lost until it has read the store from its disk. */
  @Test
  void aSiteThatStartsFromItsDiskKeepsWhatItSeemedToHaveLost() {
    String old = stored.store("a").orElseThrow();
    a.stores.put(old, StoreKind.REPLICA);
    a.nextFailures.add(by("a", Reason.STORE_LOST)); // opening it for the first time
    a.nextFailures.add(by("a", Reason.UNREACHABLE)); // creating another store
    CompletableFuture<RecoveryResult> recovered = recovered();
    scheduler.advance(Duration.ofSeconds(1));

    assertThatThrownBy(recovered::join).hasCauseInstanceOf(StoreIntactException.class);
    assertThat(a.stores).containsOnlyKeys(old);
    assertThat(definitions.get("s").toCompletableFuture().join()).contains(stored);
    assertThat(refills).isEmpty();
  }

  /** A starting site may create a plain store before it has read the others or has a topology. */
  @Test
  void aPlainStoreIsNotTakenForLostBeforeTheSiteTellsItsTopologyOrNotForLong() {
    StoredDefinition weak =
        StoredDefinition.first(
            CacheDefinition.of("w", Mode.WEAK).sites("a", "b").build(),
            "0000000000ca0000000000b2",
            Map.of("a", "00000001", "b", "00000002"));
    definitions.create(weak);
    a.topologyKnown = false;
    CompletableFuture<RecoveryResult> recovered =
        catalog.recover(weak, "a", engine, Deadline.after(LONG, scheduler)).toCompletableFuture();
    scheduler.advance(RecoveryRetryPolicy.DOUBTFUL.minusSeconds(1));
    assertThat(recovered).isNotDone();
    a.stores.put(weak.store("a").orElseThrow(), StoreKind.PLAIN); // Read from disk.
    a.topologyKnown = true;
    scheduler.advance(Duration.ofSeconds(1));
    assertThatThrownBy(recovered::join).hasCauseInstanceOf(StoreIntactException.class);

    a.stores.clear();
    a.topologyKnown = false;
    CompletableFuture<RecoveryResult> never =
        catalog.recover(weak, "a", engine, Deadline.after(LONG, scheduler)).toCompletableFuture();
    scheduler.advance(RecoveryRetryPolicy.DOUBTFUL.plusSeconds(1));
    assertThat(never.join().keys()).isEqualTo(7);
  }

  @Test
  void nodesThatAnswerLateAreWaitedForUntilTheDeadline() {
    a.fails = Reason.TIMED_OUT;
    CompletableFuture<RecoveryResult> recovered = recovered();

    scheduler.advance(LONG.minusSeconds(1));
    assertThat(recovered).isNotDone();
    scheduler.advance(Duration.ofSeconds(2));

    assertThatThrownBy(recovered::join)
        .hasCauseInstanceOf(SiteException.class)
        .hasMessageContaining("site=a reason=TIMED_OUT");
  }

  @Test
  void aSiteAtWhichNobodyListensIsNotWaitedForAsLong() {
    for (int i = 0; i < 1_000; i++) {
      a.nextFailures.add(notSent());
    }
    CompletableFuture<RecoveryResult> recovered = recovered();

    scheduler.advance(RecoveryRetryPolicy.DOUBTFUL.minusSeconds(1));
    assertThat(recovered).isNotDone();
    scheduler.advance(Duration.ofSeconds(2));

    assertThatThrownBy(recovered::join).hasMessageContaining("nobody listens");
  }

  @Test
  void nodesThatFindEachOtherAreWaitedForButTooFewNodesNotForLong() {
    a.nextFailures.add(by("a", Reason.STORE_LOST)); // opening
    a.nextFailures.add(by("a", Reason.UNSUITABLE)); // removing, instead of creating
    CompletableFuture<RecoveryResult> recovered = recovered();
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(recovered).isCompleted();

    a.stores.clear();
    a.fails = Reason.UNSUITABLE;
    CompletableFuture<RecoveryResult> unsuitable =
        catalog
            .recover(recovered.join().stored(), "a", engine, Deadline.after(LONG, scheduler))
            .toCompletableFuture();
    scheduler.advance(RecoveryRetryPolicy.DOUBTFUL.plusSeconds(1));

    assertThatThrownBy(unsuitable::join).hasMessageContaining("site=a reason=UNSUITABLE");
  }

  @Test
  void whatWillNotPassIsToldAtOnce() {
    for (Reason reason : new Reason[] {Reason.DEGRADED, Reason.NOT_ALLOWED}) {
      a.nextFailures.add(by("a", reason));
      assertThatThrownBy(recovered()::join).hasMessageContaining("site=a reason=" + reason);
    }
    a.stores.put(stored.store("a").orElseThrow(), StoreKind.REPLICA);
    assertThatThrownBy(recovered()::join).hasCauseInstanceOf(StoreIntactException.class);
  }

  @Test
  void whatFailsAtAnotherSiteIsNoFailureOfTheSiteThatIsRecovered() {
    refills.add(by("b", Reason.TIMED_OUT));

    assertThatThrownBy(recovered()::join)
        .hasCauseInstanceOf(QuorumUnavailableException.class)
        .hasMessageContainingAll("needs 2 of 3", "b=", "TIMED_OUT");
    assertThat(a.stores).isEmpty();
    assertThat(definitions.get("s").toCompletableFuture().join()).contains(stored);
  }
}
