package io.ensemble.reconfiguration;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeInProgressException;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;

/**
 * The changes of a federation's caches, whichever process carries them out, and the operations on
 * them. Methods wait for the definitions, as those of {@link EnsembleCacheManager} do, and fail in
 * the same way. Thread-safe.
 */
public final class CacheChanges {

  private final Alterations alterations;

  public CacheChanges(Alterations alterations) {
    this.alterations = alterations;
  }

  /**
   * Every cache with a change, in the order of names. Includes caches of which only obsolete stores
   * are left to be removed. A round trip to the definitions for each existing cache.
   */
  public List<StoredDefinition> underWay() {
    List<StoredDefinition> definitions = new ArrayList<>();
    for (String name : alterations.names()) {
      alterations
          .find(name)
          .filter(stored -> stored.change().isPresent())
          .ifPresent(definitions::add);
    }
    return definitions;
  }

  /**
   * As {@link EnsembleCacheManager#alter}, with a limit on the keys that are copied in a second
   * while the former configuration serves; 0 for no limit. The limit does not apply to the last
   * copy, during which the cache serves no calls.
   *
   * @throws IllegalArgumentException if a site is unknown, or the limit is negative
   */
  public ChangeRun alter(CacheDefinition to, long keysPerSecond) {
    if (keysPerSecond < 0) {
      throw new IllegalArgumentException(
          "keysPerSecond must be 0 or more; keysPerSecond=" + keysPerSecond);
    }
    return alterations.alter(alterations.requireStored(to.name()), to, keysPerSecond);
  }

  /**
   * As {@link #alter}, if {@code stored} is still the record of the cache: the comparison and the
   * beginning of the change are one atomic step in the catalog. After an unknown outcome, read the
   * record before a retry: the change of the first call makes a retry fail.
   *
   * @param stored the record of the cache that {@code to} alters
   * @return the change; empty if the record is another one, and nothing was done
   * @throws IllegalArgumentException if a site is unknown, or the limit is negative
   */
  public Optional<ChangeRun> alterIfUnchanged(
      StoredDefinition stored, CacheDefinition to, long keysPerSecond) {
    if (keysPerSecond < 0) {
      throw new IllegalArgumentException(
          "keysPerSecond must be 0 or more; keysPerSecond=" + keysPerSecond);
    }
    return alterations.alterIfUnchanged(stored, to, keysPerSecond);
  }

  /**
   * Gives a cache new stores at all its sites, on nodes that answer, while it is read and written:
   * a change to the present definition. The change replaces the replicas on nodes that stay away,
   * whether their stores are lost or only unreachable. The change is safe because the former
   * configuration is sealed at a majority. A store that has not received the seal cannot answer for
   * the new configuration. Copies all entries to each replica. If an equal change is in progress,
   * this call joins it.
   *
   * @param keysPerSecond as in {@link #alter}
   * @throws IllegalArgumentException if the limit is negative
   * @throws NoSuchElementException if there is no such cache
   * @throws ChangeInProgressException if another change is in progress
   */
  public ChangeRun rebuild(String cache, long keysPerSecond) {
    if (keysPerSecond < 0) {
      throw new IllegalArgumentException(
          "keysPerSecond must be 0 or more; keysPerSecond=" + keysPerSecond);
    }
    return alterations.rebuild(alterations.requireStored(cache), keysPerSecond);
  }

  /**
   * Sets the limit on the keys that are copied in a second, for whichever process is the mover;
   * effective within a lease, two seconds.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   * @throws io.ensemble.catalog.record.CatalogException if other processes change the record
   *     repeatedly
   */
  public void pace(String cache, long keysPerSecond) {
    alterations.pace(cache, keysPerSecond);
  }

  /**
   * Joins the change of a cache. This process waits for the end of the change, and takes it over if
   * its mover is silent for three leases, six seconds.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   */
  public ChangeRun join(String cache) {
    return alterations.join(alterations.requireStored(cache));
  }

  /** As {@link EnsembleCacheManager#resumeChange}: takes the change over immediately. */
  public ChangeRun resume(String cache) {
    return alterations.resume(alterations.requireStored(cache));
  }

  /**
   * Restarts a change that has lost so many of its new stores that no majority of them is left.
   * Applies only to the phase in which keys are taken over into the new stores ({@code cutover}).
   * Such a change cannot end in any other way, and cannot be cancelled.
   *
   * <p><b>Loses acknowledged writes</b>, removals among them: writes since the change reached
   * {@code cutover} are in the new stores alone. The restart keeps the content of the cache at the
   * time of the seal. For each key it also keeps the last accepted state of the new stores that are
   * left. A key may therefore return to an earlier value, even one from before the change, and a
   * removed key may reappear.
   *
   * <p>The new stores that are left are ended, and the lost ones never count again. The change
   * receives other stores, and leads to a configuration of the next number. Calls are not answered
   * until these stores serve: 24.2 seconds, plus the time to read the stores that are left. Every
   * new site must answer. If the process dies during the restart, another one takes over as for any
   * change.
   *
   * @param detector has observed for long enough that the stores are missing; observes once more
   * @throws NoSuchElementException if there is no such cache, or no change of it
   * @throws IllegalStateException if the change is in another phase, or if a majority of its new
   *     stores exists or may exist; the message names the remedy. Nothing was done
   */
  public ChangeRun restart(String cache, LostStoreDetector detector) {
    return alterations.restart(alterations.requireStored(cache), detector);
  }

  /**
   * Takes over the change in {@code stored}, a record that was read just now, if its mover has been
   * silent for three leases, six seconds. If only stores are left to be removed, the time is a
   * minute. The time is measured by this process's clock from the first call that found the mover
   * silent.
   *
   * <p>Call this at least every two seconds, for every record with a change. The first call for
   * each only begins the observation. A call more than four seconds after the previous one begins
   * it anew. Concurrent calls in several processes are safe: one of them takes over.
   *
   * @return the change, which this process carries out from now on; empty if the mover is not
   *     silent, or another process was faster
   */
  public Optional<ChangeRun> takeOverIfSilent(StoredDefinition stored) {
    return alterations.takeOverIfSilent(stored);
  }

  /**
   * The sites that have lost their stores of the configuration into which {@code stored} takes keys
   * over. Empty if the sites that are left are a majority. Otherwise the change cannot end, and the
   * cache cannot perform a read or write that needs those sites. A site counts if it answers that
   * it has no such store. A site that is starting may still have the store: confirm the loss with
   * {@link #lostStoreDetector} before any remedy. Empty in any other phase, and while a majority
   * may exist.
   *
   * <p>One request to each new site, all concurrently, for at most five seconds, and a read of the
   * record.
   *
   * @param stored a record that was read just now
   */
  public Set<String> lostStores(StoredDefinition stored) {
    return alterations.lostStores(stored);
  }

  /**
   * Returns a new detector, which distinguishes lost stores from those of starting sites by
   * repeated {@link #lostStores}.
   */
  public LostStoreDetector lostStoreDetector() {
    return alterations.lostStoreDetector();
  }
}
