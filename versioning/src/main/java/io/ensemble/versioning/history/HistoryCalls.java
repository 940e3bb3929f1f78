package io.ensemble.versioning.history;

import io.ensemble.objects.ReadOnly;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.index.EncodedShard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The history of a key, as a shared object. Versions are in the encoding of their space. */
public interface HistoryCalls {

  /**
   * Adds a version, and removes versions that need not be kept.
   *
   * @param ofCache the retention of the cache as the caller knows it, for a key without its own;
   *     null if all versions are kept
   */
  AdditionResult add(Addition addition, @Nullable Retention ofCache);

  /**
   * Adds versions in order, up to the first that is refused. The results do not contain the
   * versions before it.
   *
   * @param ofCache as for {@link #add}
   */
  List<AdditionResult> addAll(List<Addition> additions, @Nullable Retention ofCache);

  /** Answers a query as far as the entry can. */
  @ReadOnly
  LookupResult look(VersionQuery query);

  /** As {@link #look}; afterwards no version at or below {@code floor} can be added. */
  LookupResult raise(byte[] floor, VersionQuery query);

  /** Removes the versions below {@code version}; {@code version} itself remains. */
  void compact(byte[] version);

  /**
   * Sets the retention, and removes the other versions.
   *
   * @param retention null for the retention of the cache
   * @param ofCache as for {@link #add}
   * @param now the time by the caller's clock; 0 if versions have no time
   */
  void retain(@Nullable Retention retention, @Nullable Retention ofCache, long now);

  /**
   * Removes the versions that need not be kept.
   *
   * @param ofCache as for {@link #add}
   */
  void sweep(@Nullable Retention ofCache, long now);

  /** Removes all versions permanently: none can be added again. */
  void purge();

  /** The next offload task, with the data for it. */
  @ReadOnly
  OffloadTask work();

  /**
   * As {@link #work}, but as a step: the task then does not depend on a state that the store has
   * shown and may lose.
   */
  OffloadTask confirmed();

  /**
   * A plan has been carried out. Has no effect for a plan of another history, which this one has
   * replaced.
   *
   * @param id of the history of the plan
   * @param shards the entries of the items that a plan for shards has written
   * @param written the numbers of all entries that were written for it; perhaps too late, after the
   *     plan was abandoned, and they were removed
   * @return the next task
   */
  OffloadTask done(String id, long plan, List<EncodedShard> shards, List<Long> written);

  /** Garbage entries have been removed; no effect for a history of another id. */
  void swept(String id, List<Long> numbers);
}
