package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.DistributedDefinition;
import io.ensemble.RepartitionInProgressException;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.Heartbeat;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.repartition.Repartition;
import io.ensemble.repartition.RepartitionRules;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which change of parts belongs to a mover. */
final class PartMoverTest {

  private static final DistributedDefinition PQ = DistributedDefinition.of("d", "p", "q");

  private static final RepartitionRules RULES =
      new RepartitionRules(ConfigurationLeaseRules.STANDARD);

  private final OwnerFailureDetectors ownerFailureDetectors =
      new OwnerFailureDetectors(new ChangeRules(ConfigurationLeaseRules.STANDARD), RULES);
  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final DistributedDefinitions distributedDefinitions =
      new InMemoryDefinitions().distributions();

  @BeforeEach
  void create() {
    distributedDefinitions.create(new StoredDistribution(PQ, "00000000000000b1").withFence());
    replace(stored().with(Repartition.begun(PQ.with("r"), "dead")));
  }

  private static <T> T got(CompletionStage<T> stage) {
    return stage.toCompletableFuture().getNow(null);
  }

  private StoredDistribution stored() {
    return got(distributedDefinitions.get("d")).orElseThrow();
  }

  private void replace(StoredDistribution next) {
    assertThat(got(distributedDefinitions.replace(next))).isTrue();
  }

  /** A mover that has no part caches, so that it cannot write a generation mark to any part. */
  private PartMover mover() {
    return mover("heir");
  }

  private PartMover mover(String owner) {
    return new PartMover(
        new PartMover.PartMoverContext(
            distributedDefinitions, scheduler, RULES, errand -> {}, published -> {}),
        owner,
        stored(),
        new RepartitionExecutor.Parts(Map.of(), key -> "p", key -> "q"));
  }

  /** Ends the change, and begins another one. */
  private void nextChange() {
    replace(stored().grown());
    replace(stored().with(Repartition.begun(PQ, "other")));
  }

  @Test
  void aMoverTakesOverTheChangeThatItWasMadeFor() {
    PartMover mover = mover();
    replace(stored().with(stored().growth().orElseThrow().moving()));

    mover.takeOver();

    assertThat(stored().growth().orElseThrow().owner()).isEqualTo("heir");
  }

  @Test
  void aLaterChangeIsNotTakenOver() {
    PartMover mover = mover();
    nextChange();
    StoredDistribution before = stored();

    CompletionStage<StoredDistribution> taken = mover.takeOver();

    assertThat(taken.toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(RepartitionInProgressException.class);
    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void theSameChangeOfALaterGenerationIsAnotherOne() {
    PartMover mover = mover();
    nextChange();
    replace(stored().grown());
    replace(stored().with(Repartition.begun(PQ.with("r"), "other")));
    StoredDistribution before = stored();

    CompletionStage<StoredDistribution> taken = mover.takeOver();

    assertThat(taken.toCompletableFuture()).isCompletedExceptionally();
    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void aChangeIsOverWhenALaterOneIsUnderWay() {
    PartMover mover = mover();
    nextChange();

    mover.start();

    assertThat(mover.completion().toCompletableFuture()).isCompletedWithValue(stored());
  }

  private Repartition growth() {
    return stored().growth().orElseThrow();
  }

  private boolean isSilentAfter(int seconds) {
    boolean silent = ownerFailureDetectors.isSilent(stored(), scheduler.nanos());
    for (int second = 0; second < seconds; second++) {
      scheduler.advance(Duration.ofSeconds(1));
      silent = ownerFailureDetectors.isSilent(stored(), scheduler.nanos());
    }
    return silent;
  }

  @Test
  void aMoverThatBeatsIsLeftAlone() {
    PartMover mover = mover("dead"); // This owner is alive.
    mover.start();

    assertThat(isSilentAfter(30)).isFalse();
    assertThat(growth().beat().number()).isEqualTo(15);
    assertThat(growth().owner()).isEqualTo("dead");
  }

  @Test
  void whoHasJoinedTakesOverFromOneThatIsSilent() {
    PartMover joined = mover();
    joined.start();
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(growth().owner()).isEqualTo("dead");

    scheduler.advance(Duration.ofSeconds(3));

    assertThat(growth().owner()).isEqualTo("heir");
    assertThat(growth().turn()).isEqualTo(2);
  }

  @Test
  void ofTwoWhoFindAMoverSilentOneTakesOver() {
    assertThat(isSilentAfter(6)).isTrue();
    StoredDistribution seen = stored();

    mover("second").takeOver(seen);
    CompletionStage<StoredDistribution> third = mover("third").takeOver(seen);

    assertThat(third.toCompletableFuture()).isCompletedExceptionally();
    assertThat(growth().owner()).isEqualTo("second");
    assertThat(growth().turn()).isEqualTo(2);
  }

  @Test
  void aMoverThatIsStoppedGivesItsTurnUp() {
    PartMover mover = mover("dead");
    mover.start();
    scheduler.advance(Duration.ofSeconds(13));

    assertThat(mover.stop().toCompletableFuture()).isCompleted();

    StoredDistribution after = stored();
    assertThat(growth().sign().isNobodys()).isTrue();
    assertThat(isSilentAfter(0)).isTrue();
    assertThat(mover.completion().toCompletableFuture()).isCompletedExceptionally();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(stored()).isEqualTo(after);
    assertThat(scheduler.timers()).isZero();
  }

  @Test
  void theTurnOfAnotherOwnerIsNotReleased() {
    PartMover mover = mover();

    mover.stop();

    assertThat(growth().owner()).isEqualTo("dead");
  }

  @Test
  void whoseTurnIsOverBeatsNoMore() {
    mover("dead").start();
    mover().takeOver();
    StoredDistribution after = stored();

    scheduler.advance(Duration.ofSeconds(5));

    assertThat(stored()).isEqualTo(after);
  }

  @Test
  void beatsAreKept() {
    replace(stored().with(growth().beaten(7).beaten(9)));

    assertThat(growth().beat()).isEqualTo(new Heartbeat(2, 9, 0));
  }
}
