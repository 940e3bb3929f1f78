package io.ensemble.cli.demo.versions;

import io.ensemble.versioning.AsyncVersionedCache;
import io.ensemble.versioning.Versioned;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Loads a history into a cache, some keys at a time. */
final class TraceLoader {

  private static final int AT_ONCE = 32;

  private TraceLoader() {}

  static void load(
      TraceHistory history,
      AsyncVersionedCache<String, byte[], Long> cache,
      Consumer<String> progress) {
    Deque<CompletableFuture<Void>> pending = new ArrayDeque<>();
    int done = 0;
    int step = Math.max(1, history.keys.size() / 10);
    for (Map.Entry<String, TreeMap<Long, Optional<byte[]>>> key : history.keys.entrySet()) {
      if (pending.size() == AT_ONCE) {
        pending.remove().join();
      }
      List<Versioned<Long, byte[]>> versions =
          key.getValue().entrySet().stream()
              .map(v -> new Versioned<>(v.getKey(), v.getValue()))
              .toList();
      pending.add(cache.addAll(key.getKey(), versions).toCompletableFuture());
      if (++done % step == 0) {
        progress.accept("%,d of %,d files".formatted(done, history.keys.size()));
      }
    }
    pending.forEach(CompletableFuture::join);
  }
}
