package io.ensemble.versioning.history;

import io.ensemble.objects.ReadOnly;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.index.EncodedShard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A key's history, as it is shared. Versions are as their space writes them. */
public interface HistoryCalls {

  /** Adds a version. */
  AdditionResult add(Addition addition);

  /**
   * Adds them one after the other, as far as the first that is not added. What is returned does not
   * tell the versions before them.
   */
  List<AdditionResult> addAll(List<Addition> additions);

  /** Answers a query as far as the entry knows. */
  @ReadOnly
  LookupResult look(VersionQuery query);

  /** The same, and no version at {@code floor} or below is added any more. */
  LookupResult raise(byte[] floor, VersionQuery query);

  /** Removes what is below {@code version}, which stays if it is there. */
  void compact(byte[] version);

  /**
   * Chooses what stays, and removes the rest.
   *
   * @param retention null for the cache's own
   * @param now the time by the caller's clock; 0 if versions do not say theirs
   */
  void retain(@Nullable Retention retention, long now);

  /** Removes what does not stay. */
  void sweep(long now);

  /** Removes all, for good: no version is used again. */
  void wipe();

  /** What is to be done, with what is needed for it. */
  @ReadOnly
  OffloadTask work();

  /**
   * The same, as a step of its own: what is done for it stands on nothing that the store has shown
   * and may lose.
   */
  OffloadTask confirmed();

  /**
   * A plan has been carried out. Does nothing if it was another history's, which this one has come
   * after.
   *
   * @param id of the history whose plan it was
   * @param shards what a plan for shards has written: their items' entries
   * @param written the numbers of all entries that were written for it; perhaps too late, after the
   *     plan was given up, and they were removed
   * @return what is to be done next
   */
  OffloadTask done(String id, long plan, List<EncodedShard> shards, List<Long> written);

  /** Entries that were garbage have been removed; nothing to a history of another id. */
  void swept(String id, List<Long> numbers);
}
