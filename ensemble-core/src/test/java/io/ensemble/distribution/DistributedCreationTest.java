package io.ensemble.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.CyclicCacheException;
import io.ensemble.DistributedDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.DistributedFixture;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.DistributionExistsException;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.partition.PartitionerSpec;
import io.ensemble.partition.UnknownPartitionerException;
import io.ensemble.repartition.Repartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which distributed caches can be created, opened and deleted. */
@Timeout(60)
class DistributedCreationTest extends DistributedFixture {

  @Test
  void frontierModeIsForManagersWithALocalSite() {
    distributed(PQR.inFrontierMode());
    EnsembleCacheManager nowhere = manager("");

    assertThatIllegalStateException()
        .isThrownBy(() -> nowhere.getCache("d"))
        .withMessageContaining("local site; cache=d");
    assertThatIllegalStateException()
        .isThrownBy(
            () -> nowhere.createDistributed(DistributedDefinition.of("e", "p").inFrontierMode()));
    assertThat(nowhere.distribution("e")).isEmpty();
  }

  @Test
  void aCycleIsRefusedNamingThePath() {
    part("p", "a");
    manager.createDistributed(DistributedDefinition.of("x", "p"));
    manager.createDistributed(DistributedDefinition.of("y", "p", "x"));
    manager.createDistributed(DistributedDefinition.of("z", "y"));
    distributions.delete(distributions.get("x").toCompletableFuture().join().orElseThrow());

    assertThatExceptionOfType(CyclicCacheException.class)
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("x", "p", "z")))
        .withMessageEndingWith("path=x -> z -> y -> x")
        .satisfies(e -> assertThat(e.path()).containsExactly("x", "z", "y", "x"));
    assertThat(manager.distribution("x")).isEmpty();
    assertThatExceptionOfType(CyclicCacheException.class)
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("w", "w")))
        .withMessageEndingWith("path=w -> w");
  }

  @Test
  void aCycleThatTwoMadeAtOnceIsFoundWhenItIsOpened() {
    store(DistributedDefinition.of("x", "y"));
    store(DistributedDefinition.of("y", "x"));

    assertThatExceptionOfType(CyclicCacheException.class)
        .isThrownBy(() -> manager.getCache("x"))
        .withMessageEndingWith("path=x -> y -> x");
    assertThatExceptionOfType(CyclicCacheException.class)
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("v", "x")))
        .withMessageEndingWith("path=x -> y -> x");
  }

  private void store(DistributedDefinition definition) {
    distributions.create(new StoredDistribution(definition, "0123456789abcdef"));
  }

  @Test
  void nestingHasABound() {
    part("p", "a");
    String below = "p";
    for (int i = 1; i <= DistributionRules.DEEPEST; i++) {
      manager.createDistributed(DistributedDefinition.of("n" + i, below));
      below = "n" + i;
    }

    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("n9", "n8")))
        .withMessageContaining("at most 8 deep");
  }

  @Test
  void aPartitionerThatIsNotInstalledIsRefused() {
    part("p", "a");
    PartitionerSpec other = PartitionerSpec.of("zodiac");

    assertThatExceptionOfType(UnknownPartitionerException.class)
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("d", "p").by(other)))
        .withMessageContaining("expected=zodiac installed=[label, modulo, rendezvous, uniform]");
    assertThat(manager.distribution("d")).isEmpty();
    store(DistributedDefinition.of("d", "p").by(other)); // As a process that has it.
    assertThatExceptionOfType(UnknownPartitionerException.class)
        .isThrownBy(() -> manager.getCache("d"));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                manager.createDistributed(
                    DistributedDefinition.of("e", "p").by(PartitionerSpec.of("uniform"))));
  }

  @Test
  void partsAreThereAndNamesAreFree() {
    part("p", "a");
    part("q", "b");
    manager.createDistributed(DistributedDefinition.of("d", "p"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("e", "p", "none")))
        .withMessageContaining("cache=e part=none");
    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("q", "p")))
        .withMessageContaining("cache=q");
    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(() -> part("d", "a"))
        .withMessageContaining("a distributed cache has this name; cache=d");
    assertThatExceptionOfType(DistributionExistsException.class)
        .isThrownBy(() -> manager.createDistributed(DistributedDefinition.of("d", "p", "q")))
        .withMessageContaining("parts: [p], [p, q]");
    assertThat(manager.createDistributed(DistributedDefinition.of("d", "p")).distribution())
        .isEqualTo(DistributedDefinition.of("d", "p"));
    assertThatIllegalArgumentException().isThrownBy(() -> DistributedDefinition.of("d"));
    assertThatIllegalArgumentException().isThrownBy(() -> DistributedDefinition.of("d", "p", "p"));
    assertThatIllegalArgumentException().isThrownBy(() -> DistributedDefinition.of("", "p"));
  }

  @Test
  void aSiteIsAPartByACacheOfItsOwn() {
    CacheDefinition part = DistributedDefinition.partAt("d", "b", Mode.MWMR);
    manager.createCache(part);

    DistributedEnsembleCache<String, Integer> cache =
        manager.createDistributed(DistributedDefinition.of("d", part.name()));
    cache.put("k", 1);

    assertThat(manager.<String, Integer>getCache("d.b").get("k")).isEqualTo(1);
    assertThat(cache.definition().sites()).containsExactly("b");
  }

  @Test
  void aPartIsDeletedAfterWhatItIsAPartOf() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR);
    cache.put("k", 1);

    assertThatIllegalStateException()
        .isThrownBy(() -> manager.deleteCache("q"))
        .withMessageContaining("cache=q distributed=[d]");
    assertThat(manager.deleteCache("d")).isTrue();
    assertThat(manager.deleteCache("d")).isFalse();
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> cache.get("k"));
    assertThat(manager.<String, Integer>getCache("d")).isNull();
    assertThat(manager.deleteCache("q")).isTrue();
  }

  @Test
  void aPartThatKeysAreMovedIntoIsNotDeleted() {
    distributed(PQR);
    part("s", "c");
    StoredDistribution stored = distributions.get("d").toCompletableFuture().join().orElseThrow();
    distributions.replace(stored.with(Repartition.begun(PQR.with("s"), "mover")));

    assertThatIllegalStateException()
        .isThrownBy(() -> manager.deleteCache("s"))
        .withMessageContaining("cache=s distributed=[d]");
    assertThat(manager.stored("s")).isPresent();
  }

  @Test
  void aManagerThatIsStoppedOpensNothingAndClosesAll() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR);

    manager.stop();

    assertThatIllegalStateException()
        .isThrownBy(() -> cache.async().get("k"))
        .withMessageContaining("cache=d");
    assertThatIllegalStateException()
        .isThrownBy(() -> manager.getCache("d"))
        .withMessageContaining("the manager is stopped");
    manager.stop();
  }
}
