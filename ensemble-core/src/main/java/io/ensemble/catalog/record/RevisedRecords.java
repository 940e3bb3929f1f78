package io.ensemble.catalog.record;

import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Records of one kind that have a name, and a revision that grows by one with every change. Every
 * call is atomic; stages may complete on any thread and fail with {@link CatalogException}.
 * Thread-safe.
 */
public final class RevisedRecords<T> {

  /** The format of a record. */
  public interface RecordFormat<T> {

    byte[] write(T entry);

    /**
     * @throws IllegalArgumentException saying what is wrong
     */
    T read(byte[] text);

    String name(T entry);

    long revision(T entry);
  }

  private final CatalogRecords records;
  private final Kind kind;
  private final RecordFormat<T> format;

  public RevisedRecords(CatalogRecords records, Kind kind, RecordFormat<T> format) {
    this.records = records;
    this.kind = kind;
    this.format = format;
  }

  public CompletionStage<Optional<T>> get(String name) {
    return records.get(kind, name).thenApply(held -> held.map(record -> parsed(name, record)));
  }

  /** All records, by name. A record that is deleted meanwhile is left out. */
  public CompletionStage<List<T>> all() {
    return records
        .list(kind)
        .thenCompose(names -> StageList.all(names.stream().map(this::get).toList()))
        .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
  }

  /** As {@link #all}, with the names of unreadable records instead of a failure. */
  public CompletionStage<ParsedRecords<T>> legible() {
    return records.list(kind).thenCompose(names -> ParsedRecords.of(List.copyOf(names), this::get));
  }

  /** Returns false if a record of that name exists; nothing was changed. */
  public CompletionStage<Boolean> create(T entry) {
    return records.create(kind, format.name(entry), text(entry));
  }

  /** Returns false unless the present record has the previous revision; nothing was changed. */
  public CompletionStage<Boolean> replace(T changed) {
    String name = format.name(changed);
    return records
        .get(kind, name)
        .thenCompose(
            held ->
                held.isPresent()
                        && format.revision(parsed(name, held.get())) == format.revision(changed) - 1
                    ? records.replace(kind, name, held.get(), text(changed))
                    : CompletableFuture.completedFuture(false));
  }

  /** Returns false if {@code known} is not the present record; nothing was changed. */
  public CompletionStage<Boolean> delete(T known) {
    String name = format.name(known);
    return records
        .get(kind, name)
        .thenCompose(
            held ->
                held.isPresent() && parsed(name, held.get()).equals(known)
                    ? records.delete(kind, name, held.get())
                    : CompletableFuture.completedFuture(false));
  }

  private Bytes text(T entry) {
    return Bytes.of(format.write(entry));
  }

  private T parsed(String name, VersionedRecord held) {
    String where = records.where(kind, name);
    T entry;
    try {
      entry = format.read(held.text().array());
    } catch (IllegalArgumentException e) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a record cannot be read: %s; where=%s".formatted(e.getMessage(), where),
          e);
    }
    if (!format.name(entry).equals(name)) {
      throw new CatalogException(
          Reason.CORRUPT,
          "record belongs to another %s; expected=%s found=%s where=%s"
              .formatted(kind.word(), name, format.name(entry), where));
    }
    return entry;
  }
}
