package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.primary.VoterSet;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How many sites a walk needs to find every key, and when the stores of a term are replaced. */
class VoterSetsTest {

  private static final WriterId SELF = new WriterId(1, 2);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);

  private VoterSets voterSets(String... sites) {
    return new VoterSets(
        new EngineContext(
            CacheDefinition.of("c", Mode.SWMR).sites(sites).build(),
            List.of(sites).stream()
                .map(site -> FakeHandle.opening(site, CompletableFuture::new))
                .toList(),
            Optional.empty(),
            scheduler,
            new HybridClock(scheduler::epochMicros),
            SELF,
            CacheMetrics.NONE));
  }

  @Test
  void inTheFirstRollTheRestIsNoMajority() {
    Term term = Term.first("a", SELF).succeeded("b", SELF);

    assertThat(voterSets("a", "b").sitesToWalk(term)).isEqualTo(1);
    assertThat(voterSets("a", "b", "c").sitesToWalk(term)).isEqualTo(2);
    assertThat(voterSets("a", "b", "c", "d", "e").sitesToWalk(term)).isEqualTo(3);
  }

  /** Until the site that came back is filled, it holds only what was copied to it. */
  @Test
  void allAreWalkedOverUntilASiteThatIsBackIsFilled() {
    VoterSets rolls = voterSets("a", "b");
    VoterSet alone = new VoterSet(2, List.of("a"), 4, 1, 2);
    VoterSet both = new VoterSet(3, List.of("a", "b"), 7, 4, 3);
    assertThat(rolls.follow(alone)).isTrue();
    assertThat(rolls.follow(both)).isTrue();
    Term first = new Term(7, "b", SELF, 0, true, 4);

    assertThat(rolls.sitesToWalk(first)).isEqualTo(2);
    assertThat(rolls.sitesToWalk(first.succeeded("b", SELF))).isEqualTo(2);
    assertThat(rolls.sitesToWalk(first.recovered().succeeded("b", SELF))).isEqualTo(1);
    assertThat(rolls.sitesToWalk(new Term(5, "a", SELF, 0, true, 1)))
        .as("of one site")
        .isEqualTo(1);
  }

  /** A site that comes back has a new store, even for a process that missed its absence. */
  @Test
  void termsOfARollHaveNewStoresOnceASiteOfItsHasComeBack() {
    VoterSets rolls = voterSets("a", "b");
    Term first = new Term(2, "b", SELF, 0, true, 1);
    Term alone = new Term(5, "a", SELF, 0, true, 1);
    Term both = new Term(7, "b", SELF, 0, true, 4);
    rolls.follow(new VoterSet(2, List.of("a"), 4, 1, 2));
    assertThat(rolls.haveNewStores(first)).as("it has none").isFalse();

    rolls.follow(new VoterSet(3, List.of("a", "b"), 7, 4, 3));
    assertThat(rolls.haveNewStores(first)).isTrue();
    assertThat(rolls.haveNewStores(alone)).isFalse();
    assertThat(rolls.haveNewStores(both)).isFalse();

    rolls.follow(new VoterSet(4, List.of("b"), 9, 7, 4));
    assertThat(rolls.haveNewStores(first)).isTrue();
    assertThat(rolls.haveNewStores(alone)).isFalse();
    assertThat(rolls.haveNewStores(both)).isFalse();
  }

  /**
   * A process that reads the record of the next voter set must use the stores of that voter set.
   */
  @Test
  void aRollIsFollowedBeforeTheStoresAreRenewedAndItsRecordIsAskedAfter() {
    TermRegister former = new TermRegister(Term.first("a", SELF));
    VoterSet roll = new VoterSet(2, List.of("a"), 2, 1, 2);
    TermRegister next = new TermRegister(roll.firstTerm());
    TermRecord terms =
        new TermRecord(
            former,
            SwmrKeyLayout.RECORD,
            voterSets("a", "b").fullContext(),
            new TermLeaseRules(300_000_000, 10_000_000));
    terms.readLatest();
    List<Long> renewedIn = new ArrayList<>();
    Runnable renew =
        () -> {
          assertThat(Thread.holdsLock(terms)).as("nobody looks meanwhile").isTrue();
          assertThat(next.reads).isZero();
          renewedIn.add(terms.voterSets().latestVoterSet().number());
        };

    terms.follow(new TermRecord.TermLocation(roll, next, SwmrKeyLayout.record(2)), renew);
    terms.readLatest();
    assertThat(renewedIn).containsExactly(2L);
    assertThat(next.reads).isEqualTo(1);
    assertThat(former.reads).isEqualTo(1);
  }
}
