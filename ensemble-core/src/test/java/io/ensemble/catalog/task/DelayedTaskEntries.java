package io.ensemble.catalog.task;

import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.InMemoryRecords;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Tasks in a catalog that answers reads after {@link #letGo} only, as of the time of the read. */
public final class DelayedTaskEntries {

  private final InMemoryRecords records = new InMemoryRecords();
  private final CompletableFuture<Boolean> goes = new CompletableFuture<>();
  private final AtomicInteger created = new AtomicInteger();

  /** The entries with delayed reads. */
  public TaskEntries held() {
    return new TaskEntries(new Waiting());
  }

  /** The entries without a delay. */
  public TaskEntries now() {
    return new TaskEntries(records);
  }

  /** How many entries were created through {@link #held}. */
  public int created() {
    return created.get();
  }

  public void letGo() {
    goes.complete(true);
  }

  private final class Waiting implements CatalogRecords {

    @Override
    public CompletionStage<String> id() {
      return records.id();
    }

    @Override
    public CompletionStage<Optional<VersionedRecord>> get(Kind kind, String name) {
      CompletionStage<Optional<VersionedRecord>> found = records.get(kind, name);
      return goes.thenCompose(gone -> found);
    }

    @Override
    public CompletionStage<SortedSet<String>> list(Kind kind) {
      return records.list(kind);
    }

    @Override
    public CompletionStage<Boolean> create(Kind kind, String name, Bytes text) {
      created.incrementAndGet();
      return records.create(kind, name, text);
    }

    @Override
    public CompletionStage<Boolean> replace(
        Kind kind, String name, VersionedRecord seen, Bytes text) {
      return records.replace(kind, name, seen, text);
    }

    @Override
    public CompletionStage<Boolean> delete(Kind kind, String name, VersionedRecord seen) {
      return records.delete(kind, name, seen);
    }

    @Override
    public String where(Kind kind, String name) {
      return records.where(kind, name);
    }
  }
}
