package io.ensemble.catalog.task;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.RevisedRecords;
import io.ensemble.catalog.record.StageList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The tasks of a federation, as its catalog holds them. Every call is atomic; stages may complete
 * on any thread and fail with {@link CatalogException}. Thread-safe.
 */
public final class TaskEntries {

  private final RevisedRecords<TaskEntry> records;

  public TaskEntries(CatalogRecords records) {
    this.records = new RevisedRecords<>(records, Kind.TASK, new TaskText());
  }

  /** The task; empty if it has no owner. */
  public CompletionStage<Optional<TaskEntry>> get(String task) {
    return records.get(task);
  }

  /** All tasks, by name. */
  public CompletionStage<List<TaskEntry>> all() {
    return records.all();
  }

  /**
   * The maintenance tasks of {@code sites}, by site. Tasks that have no owner, or cannot be read
   * now, are left out: in a catalog of several ZooKeepers, one may be away with its site.
   */
  public CompletionStage<Map<String, TaskEntry>> ofSites(Collection<String> sites) {
    List<String> names = List.copyOf(sites);
    return StageList.all(names.stream().map(site -> ifHad(get(TaskEntry.ofSite(site)))).toList())
        .thenApply(
            read -> {
              Map<String, TaskEntry> found = new TreeMap<>();
              for (int i = 0; i < names.size(); i++) {
                String site = names.get(i);
                read.get(i).ifPresent(task -> found.put(site, task));
              }
              return found;
            });
  }

  private static CompletionStage<Optional<TaskEntry>> ifHad(
      CompletionStage<Optional<TaskEntry>> read) {
    return read.exceptionally(
        failure -> {
          if (CompletionCause.of(failure) instanceof CatalogException) {
            return Optional.empty();
          }
          throw new CompletionException(failure);
        });
  }

  /**
   * Acquires a task without an owner.
   *
   * @return false if the task has an owner; nothing was changed
   */
  public CompletionStage<Boolean> create(TaskEntry task) {
    return records.create(task);
  }

  /**
   * Replaces the record of revision {@code changed.revision() - 1}.
   *
   * @return false if that is not the present record; nothing was changed
   */
  public CompletionStage<Boolean> replace(TaskEntry changed) {
    return records.replace(changed);
  }

  /**
   * Releases a task.
   *
   * @return false if {@code known} is not the present record; nothing was changed
   */
  public CompletionStage<Boolean> delete(TaskEntry known) {
    return records.delete(known);
  }
}
