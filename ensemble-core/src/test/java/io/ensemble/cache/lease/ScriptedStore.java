package io.ensemble.cache.lease;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An in-memory store of one site that answers immediately, or when the test says so. */
class ScriptedStore implements SiteStore, StoreHandle {

  final Map<Bytes, StoredEntry> entries = new HashMap<>();
  final Deque<Runnable> answers = new ArrayDeque<>();
  boolean slow;
  int failures;
  boolean isBusyWithData;
  int looks;
  private long versions;

  private <T> CompletionStage<T> answer(T result) {
    CompletableFuture<T> stage = new CompletableFuture<>();
    if (failures > 0) {
      failures--;
      stage.completeExceptionally(new SiteException("a", Reason.BUSY, "told to fail"));
    } else if (slow) {
      answers.add(() -> stage.complete(result));
    } else {
      stage.complete(result);
    }
    return stage;
  }

  private StoredEntry entry(Bytes value) {
    return new StoredEntry(value, ++versions);
  }

  @Override
  public String site() {
    return "a";
  }

  @Override
  public Optional<SiteStore> current() {
    return Optional.of(this);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    return CompletableFuture.completedFuture(this);
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    if (isBusyWithData) {
      return CompletableFuture.failedFuture(
          new SiteException("a", Reason.BUSY, "data is in its way"));
    }
    return looked(key);
  }

  private CompletionStage<Optional<StoredEntry>> looked(Bytes key) {
    looks += key.equals(ReservedKey.END) ? 1 : 0;
    return answer(Optional.ofNullable(entries.get(key)));
  }

  @Override
  public SiteStore prioritized() {
    return new ScriptedStore() {
      @Override
      public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
        return ScriptedStore.this.looked(key);
      }
    };
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return answer(entries.putIfAbsent(key, entry(value)) == null);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    StoredEntry there = entries.get(key);
    boolean takes = there != null && there.version() == version;
    if (takes) {
      entries.put(key, entry(value));
    }
    return answer(takes);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    StoredEntry before = entries.put(key, entry(value));
    return answer(Optional.ofNullable(before).map(StoredEntry::value));
  }

  @Override
  public Scan scan(int batchSize) {
    Deque<List<Scan.Item>> batches = new ArrayDeque<>();
    entries.forEach((key, entry) -> batches.add(List.of(new Scan.Item(key, entry.value()))));
    return new Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return answer(batches.isEmpty() ? List.of() : batches.remove());
      }

      @Override
      public void close() {}
    };
  }
}
