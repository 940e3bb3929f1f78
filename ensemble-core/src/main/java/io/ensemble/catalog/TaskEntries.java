package io.ensemble.catalog;

import io.ensemble.catalog.Records.Kind;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The tasks of a federation, as its catalog holds them. Every call is atomic; stages may complete
 * on any thread and fail with {@link CatalogException}. Thread-safe.
 */
public final class TaskEntries {

  private final RevisedRecords<TaskEntry> records;

  TaskEntries(Records records) {
    this.records = new RevisedRecords<>(records, Kind.TASK, new TaskText());
  }

  /** The task; empty when nobody has it. */
  public CompletionStage<Optional<TaskEntry>> get(String task) {
    return records.get(task);
  }

  /** All tasks, by name. */
  public CompletionStage<List<TaskEntry>> all() {
    return records.all();
  }

  /**
   * Takes a task that nobody has.
   *
   * @return false when somebody has it; nothing was changed
   */
  public CompletionStage<Boolean> create(TaskEntry task) {
    return records.create(task);
  }

  /**
   * Replaces the record of revision {@code changed.revision() - 1}.
   *
   * @return false when that is not the present one; nothing was changed
   */
  public CompletionStage<Boolean> replace(TaskEntry changed) {
    return records.replace(changed);
  }

  /**
   * Gives a task up.
   *
   * @return false when {@code known} is not the present record; nothing was changed
   */
  public CompletionStage<Boolean> delete(TaskEntry known) {
    return records.delete(known);
  }
}
