package io.ensemble.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.codec.Codec;
import io.ensemble.repartition.Repartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class OpenDistributionTest {

  private static final StoredDistribution FIRST =
      new StoredDistribution(DistributedDefinition.of("d", "p"), "00000000000000b1");
  private static final StoredDistribution SECOND =
      new StoredDistribution(FIRST.definition(), "00000000000000b2");

  /** A catalog whose reads fail while {@link #away} is set. */
  private static final class Away implements DistributedDefinitions {

    private final DistributedDefinitions catalog = new InMemoryDefinitions().distributions();
    boolean away;

    @Override
    public CompletionStage<StoredDistribution> create(StoredDistribution wanted) {
      return catalog.create(wanted);
    }

    @Override
    public CompletionStage<Optional<StoredDistribution>> get(String cache) {
      return away
          ? CompletableFuture.failedFuture(
              new CatalogException(CatalogException.Reason.UNAVAILABLE, "away"))
          : catalog.get(cache);
    }

    @Override
    public CompletionStage<SortedSet<String>> list() {
      return catalog.list();
    }

    @Override
    public CompletionStage<Boolean> replace(StoredDistribution changed) {
      return catalog.replace(changed);
    }

    @Override
    public CompletionStage<Boolean> delete(StoredDistribution known) {
      return catalog.delete(known);
    }
  }

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final Codec codec = new Codec(List.of());
  private final Away catalog = new Away();
  private final CacheDefinition definition = CacheDefinition.of("p", Mode.WEAK).sites("a").build();
  private final DistributedEngine engine =
      new DistributedEngine(
          PartitionTable.settled(
              new PartitionTable.Side(
                  FIRST.definition(),
                  List.of(faces(new InMemoryEngine(scheduler, () -> 0))),
                  key -> 0)),
          null,
          codec,
          null);
  private int deletions;
  private final List<StoredDistribution> changes = new ArrayList<>();
  private final OpenDistribution open =
      new OpenDistribution(
          FIRST, engine, faces(engine), new DistributionWatch(FIRST, catalog, scheduler));

  private void watch() {
    open.watch()
        .start(
            () -> {
              deletions++;
              open.delete();
            },
            changes::add);
  }

  private CacheInstance faces(io.ensemble.cache.CacheEngine over) {
    return new CacheInstance(
        definition, over, codec, scheduler, CacheMetrics.NONE, () -> 0, () -> {});
  }

  private void aLookLater() {
    scheduler.advance(DefinitionWatch.INTERVAL);
  }

  @Test
  void aDeletionElsewhereIsNoticed() {
    catalog.create(FIRST);
    watch();
    aLookLater();
    aLookLater();
    assertThat(deletions).isZero();

    catalog.delete(FIRST);
    aLookLater();

    assertThat(deletions).isOne();
    assertThatExceptionOfType(CacheDeletedException.class)
        .isThrownBy(() -> open.faces().cache().async().get("k"));
    aLookLater();
    assertThat(deletions).isOne();
  }

  @Test
  void oneThatWasCreatedAgainIsAnother() {
    catalog.create(SECOND);
    watch();

    aLookLater();

    assertThat(deletions).isOne();
  }

  @Test
  void aCatalogThatIsAwaySaysNothing() {
    watch();
    catalog.away = true;
    aLookLater();
    aLookLater();
    assertThat(deletions).isZero();

    catalog.away = false;
    aLookLater();

    assertThat(deletions).isOne();
  }

  @Test
  void whatIsClosedLooksNoMore() {
    watch();
    open.close();

    aLookLater();

    assertThat(deletions).isZero();
  }

  @Test
  void aLaterRecordIsToldUntilItIsFollowed() {
    StoredDistribution fenced = FIRST.withFence();
    catalog.create(fenced);
    watch();
    aLookLater();
    assertThat(changes).isEmpty();
    StoredDistribution next = fenced.with(Repartition.begun(FIRST.definition().with("q"), "me"));
    assertThat(catalog.replace(next).toCompletableFuture().join()).isTrue();

    open.watch().look();
    scheduler.advance(Duration.ZERO);
    assertThat(changes).containsExactly(next);
    open.watch().look();
    open.watch().look();
    scheduler.advance(Duration.ofMillis(250));
    assertThat(changes).containsExactly(next, next);
    aLookLater();
    assertThat(changes).containsExactly(next, next, next);

    open.watch().followed(next.revision());
    aLookLater();
    assertThat(changes).hasSize(3);
    assertThat(deletions).isZero();
  }
}
