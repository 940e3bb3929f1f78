package io.ensemble.cache.adapter;

import io.ensemble.DistributedDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.InDoubtWrites;
import io.ensemble.ListenOptions;
import io.ensemble.cache.adapter.DecodedChangeStream.Opening;
import io.ensemble.cache.adapter.PartitionedEngine.Assignment;
import io.ensemble.cache.listen.PartedChangeStream;
import io.ensemble.cache.listen.PartedChangeStream.Part;
import io.ensemble.cache.listen.PartedPosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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

  /** Opens a stream for each part that has keys of the options. */
  @Override
  Opening<K, V> beginListening(ListenOptions<K> options) {
    face().calls().engine(); // Fails once the cache is closed.
    if (engine.distribution().frontier()) {
      throw new UnsupportedOperationException(
          "listening requires a cache that is not in frontier mode; cache=" + getName());
    }
    PartedPosition from = options.from().map(this::position).orElse(null);
    Assignment assignment = engine.assignment();
    Map<Integer, Set<K>> keys = new LinkedHashMap<>(); // By the index of the part.
    for (int part = 0; part < assignment.parts().size(); part++) {
      Set<K> ofPart = new HashSet<>();
      for (K key : options.keys()) {
        if (assignment.isOf(part, face().cells().key(key))) {
          ofPart.add(key);
        }
      }
      if (options.keys().isEmpty() || !ofPart.isEmpty()) {
        keys.put(part, ofPart);
      }
    }
    boolean isOfAllParts = from != null && from.parts().size() == assignment.parts().size();
    boolean isOutdated =
        from != null
            && (from.generation() != assignment.generation()
                || from.parts().size() != keys.size() && !isOfAllParts);
    List<Part<K, V>> opened = new ArrayList<>();
    List<CompletableFuture<Void>> ready = new ArrayList<>();
    try {
      keys.forEach(
          (part, ofPart) -> {
            Optional<String> position =
                from == null || isOutdated
                    ? Optional.empty()
                    : Optional.of(from.parts().get(isOfAllParts ? part : opened.size()));
            Opening<K, V> opening =
                ((CacheAdapter<K, V>)
                        assignment.parts().get(part).<K, V>cache().withDeadline(deadline()))
                    .beginListening(share(options, ofPart, position, keys.size()));
            opened.add(
                new Part<>(
                    opening.stream(), key -> assignment.isOf(part, face().cells().key(key))));
            ready.add(opening.ready().toCompletableFuture());
          });
    } catch (RuntimeException | Error failure) {
      opened.forEach(part -> part.stream().close());
      throw failure;
    }
    return new Opening<>(
        new PartedChangeStream<>(
            session().scheduler(),
            session().number(),
            engine::generation,
            assignment.generation(),
            opened,
            isOutdated ? from : null),
        CompletableFuture.allOf(ready.toArray(CompletableFuture[]::new)));
  }

  private PartedPosition position(String text) {
    PartedPosition position = PartedPosition.parse(text);
    if (position.cache() != session().number()) {
      throw new IllegalArgumentException(
          "the position is one of another cache, or of a deleted cache of that name; cache="
              + getName());
    }
    return position;
  }

  /** The options of the stream of one part: the buffers and positions of all have the bounds. */
  private static <K> ListenOptions<K> share(
      ListenOptions<K> options, Set<K> keys, Optional<String> position, int parts) {
    return new ListenOptions<>(
        keys,
        options.prefix(),
        options.hasValues(),
        position,
        options.maxKeys(),
        Math.max(1, options.maxEvents() / parts),
        Math.max(1, options.maxBytes() / parts),
        options.maxListed() / parts);
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
