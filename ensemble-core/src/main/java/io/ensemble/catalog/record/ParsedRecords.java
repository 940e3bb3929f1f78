package io.ensemble.catalog.record;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.record.CatalogException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The records of one kind, readable and unreadable ones.
 *
 * @param entries the readable ones, by name
 * @param unreadable the names of the others, which are damaged or of a later format, with the
 *     reasons
 */
public record ParsedRecords<T>(List<T> entries, SortedMap<String, String> unreadable) {

  public ParsedRecords {
    entries = List.copyOf(entries);
    unreadable = Collections.unmodifiableSortedMap(new TreeMap<>(unreadable));
  }

  /** Either the content of a record, or why it cannot be read; neither if it is gone. */
  private record ParseResult<T>(String name, Optional<T> entry, Optional<String> why) {}

  /** Reads all {@code names}; fails if a read fails for another reason than damage. */
  public static <T> CompletionStage<ParsedRecords<T>> of(
      List<String> names, RecordReader<T> reader) {
    return StageList.all(names.stream().map(name -> tried(name, reader.read(name))).toList())
        .thenApply(
            all -> {
              List<T> entries = new ArrayList<>();
              SortedMap<String, String> unreadable = new TreeMap<>();
              for (ParseResult<T> one : all) {
                one.entry().ifPresent(entries::add);
                one.why().ifPresent(why -> unreadable.put(one.name(), why));
              }
              return new ParsedRecords<>(entries, unreadable);
            });
  }

  /** Reads one record; empty if it is gone. */
  public interface RecordReader<T> {
    public CompletionStage<Optional<T>> read(String name);
  }

  private static <T> CompletionStage<ParseResult<T>> tried(
      String name, CompletionStage<Optional<T>> read) {
    return read.handle(
            (entry, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(
                    new ParseResult<T>(name, entry, Optional.empty()));
              }
              Throwable why = CompletionCause.of(failure);
              return why instanceof CatalogException damaged && damaged.reason() == Reason.CORRUPT
                  ? CompletableFuture.completedFuture(
                      new ParseResult<T>(
                          name, Optional.empty(), Optional.of(String.valueOf(why.getMessage()))))
                  : CompletableFuture.<ParseResult<T>>failedFuture(why);
            })
        .thenCompose(stage -> stage);
  }
}
