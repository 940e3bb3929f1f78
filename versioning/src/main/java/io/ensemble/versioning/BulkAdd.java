package io.ensemble.versioning;

import io.ensemble.versioning.history.Addition;
import io.ensemble.versioning.history.AdditionResult;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Adds many versions of a key, in steps of as many as fit into one call. */
final class BulkAdd<K, V, T> {

  /** The size of a step, below the limit of a call of an atomic object. */
  private static final int STEP_BYTES = 128 << 10;

  private static final int STEP_COUNT = 1_000;
  private static final int OVERHEAD = 100;

  private final AsyncVersionedCache<K, V, T> cache;
  private final VersionSpace<T> space;
  private final String name;

  BulkAdd(AsyncVersionedCache<K, V, T> cache, VersionSpace<T> space, String name) {
    this.cache = cache;
    this.space = space;
    this.name = name;
  }

  /** Adds the versions in the order of the list. Versions added before a refused one remain. */
  CompletionStage<Void> add(K key, List<Versioned<T, V>> all) {
    if (all.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<Addition> step = new ArrayList<>();
    long bytes = 0;
    for (Versioned<T, V> one : all) {
      if (space.isTooFarAhead(one.version())) {
        if (step.isEmpty()) {
          return CompletableFuture.failedFuture(cache.tooFarAhead(key, one.version()));
        }
        break; // The versions before it are added.
      }
      Addition addition = cache.addition(one.version(), one.value().orElse(null), null);
      bytes += bytes(addition);
      if (!step.isEmpty() && (bytes > STEP_BYTES || step.size() == STEP_COUNT)) {
        break;
      }
      step.add(addition);
    }
    return cache.stored(name, step).thenCompose(added -> next(key, all, step, added));
  }

  /** The size of the call, or of its result if that is longer. */
  private long bytes(Addition addition) {
    long version = addition.version() == null ? 0 : addition.version().length;
    long value = addition.value() == null ? 0 : addition.value().length;
    return OVERHEAD + version + addition.proposal().length + value;
  }

  private CompletionStage<Void> next(
      K key, List<Versioned<T, V>> all, List<Addition> step, List<AdditionResult> added) {
    for (int i = 0; i < added.size(); i++) {
      if (added.get(i).result() == AdditionResult.Result.ADDED) {
        space.observe(all.get(i).version());
      }
    }
    AdditionResult last = added.get(added.size() - 1);
    T version = all.get(added.size() - 1).version();
    CompletionStage<Void> done = CompletableFuture.completedFuture(null);
    if (last.result() == AdditionResult.Result.READ_SHARD_FIRST) {
      done =
          cache
              .stored(name, step.get(added.size() - 1))
              .thenAccept(
                  alone -> {
                    cache.checkAdded(key, version, alone);
                    space.observe(version);
                  });
    } else {
      cache.checkAdded(key, version, last);
    }
    return done.thenCompose(nothing -> add(key, all.subList(added.size(), all.size())));
  }
}
