package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.DistributedDefinition;
import io.ensemble.PartsChangingException;
import io.ensemble.catalog.Distributions;
import io.ensemble.catalog.InMemoryDefinitions;
import io.ensemble.catalog.ManualScheduler;
import io.ensemble.catalog.StoredDistribution;
import io.ensemble.growth.Growth;
import io.ensemble.growth.GrowthRules;
import io.ensemble.trust.TrustRules;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which change of parts is a mover's. */
final class PartMoverTest {

  private static final DistributedDefinition PQ = DistributedDefinition.of("d", "p", "q");

  private final ManualScheduler scheduler = new ManualScheduler();
  private final Distributions distributions = new InMemoryDefinitions().distributions();

  @BeforeEach
  void create() {
    distributions.create(new StoredDistribution(PQ, "00000000000000b1").withFence());
    replace(stored().with(Growth.begun(PQ.with("r"), "dead")));
  }

  private static <T> T got(CompletionStage<T> stage) {
    return stage.toCompletableFuture().getNow(null);
  }

  private StoredDistribution stored() {
    return got(distributions.get("d")).orElseThrow();
  }

  private void replace(StoredDistribution next) {
    assertThat(got(distributions.replace(next))).isTrue();
  }

  /** One that tells keys as the present record has them. */
  private PartMover mover() {
    return new PartMover(
        new PartMover.Means(
            distributions,
            scheduler,
            new GrowthRules(TrustRules.STANDARD),
            errand -> {},
            published -> {}),
        "heir",
        stored(),
        new PartErrands.Parts(Map.of(), key -> "p", key -> "q"));
  }

  /** The change is over, and another has begun. */
  private void nextChange() {
    replace(stored().grown());
    replace(stored().with(Growth.begun(PQ, "other")));
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
        .withCauseInstanceOf(PartsChangingException.class);
    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void theSameChangeOfALaterGenerationIsAnotherOne() {
    PartMover mover = mover();
    nextChange();
    replace(stored().grown());
    replace(stored().with(Growth.begun(PQ.with("r"), "other")));
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

    assertThat(mover.over().toCompletableFuture()).isCompletedWithValue(stored());
  }
}
