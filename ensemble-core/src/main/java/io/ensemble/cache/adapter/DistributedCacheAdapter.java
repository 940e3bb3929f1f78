package io.ensemble.cache.adapter;

import io.ensemble.DistributedDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.InDoubtWrites;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** A view of an open distributed cache; see {@link DistributedEnsembleCache}. */
final class DistributedCacheAdapter<K, V> extends CacheAdapter<K, V>
    implements DistributedEnsembleCache<K, V> {

  private final PartitionedEngine engine;
  private final boolean returnValues;

  DistributedCacheAdapter(
      CacheContext cacheContext,
      PartitionedEngine engine,
      Duration deadline,
      boolean returnValues) {
    super(cacheContext, deadline, returnValues);
    this.engine = engine;
    this.returnValues = returnValues;
  }

  @Override
  public DistributedDefinition distribution() {
    return engine.distribution();
  }

  @Override
  public EnsembleCache<K, V> locate(K key) {
    face().calls().engine(); // Fails once the cache is closed.
    EnsembleCache<K, V> part =
        engine.partOf(face().cells().key(key)).<K, V>cache().withDeadline(deadline());
    return returnValues ? part.withReturnValues() : part;
  }

  @Override
  public DistributedEnsembleCache<K, V> withDeadline(Duration deadline) {
    checkDeadline(deadline);
    return new DistributedCacheAdapter<>(session(), engine, deadline, returnValues);
  }

  @Override
  public DistributedEnsembleCache<K, V> withReturnValues() {
    return new DistributedCacheAdapter<>(session(), engine, deadline(), true);
  }

  @Override
  public Runnable onInDoubtWrites(Consumer<InDoubtWrites<K>> listener) {
    Objects.requireNonNull(listener, "listener");
    List<Runnable> ends =
        engine.parts().stream().map(part -> part.<K, V>cache().onInDoubtWrites(listener)).toList();
    return () -> ends.forEach(Runnable::run);
  }

  @Override
  public String toString() {
    return "DistributedEnsembleCache[" + getName() + ", " + distribution().parts() + "]";
  }
}
