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
 * The changes of a federation's caches, whoever carries them out: what is under way, and what an
 * operator does about it. Methods wait for the definitions, as those of {@link
 * EnsembleCacheManager} do, and fail as they do. Thread-safe.
 */
public final class CacheChanges {

  private final Alterations alterations;

  public CacheChanges(Alterations alterations) {
    this.alterations = alterations;
  }

  /**
   * Every cache with a change, in the order of names; also one of which only stores are left to be
   * removed. A round trip to the definitions for each cache that there is.
   */
  public List<StoredDefinition> underWay() {
    List<StoredDefinition> found = new ArrayList<>();
    for (String name : alterations.names()) {
      alterations.find(name).filter(stored -> stored.change().isPresent()).ifPresent(found::add);
    }
    return found;
  }

  /**
   * As {@link EnsembleCacheManager#alter}, with so many keys a second copied at most while the
   * cache serves as it was; 0 for as many as can be. The last copy, while nobody is served, knows
   * no bound.
   *
   * @throws IllegalArgumentException if a site is unknown, or the bound negative
   */
  public ChangeRun alter(CacheDefinition to, long keysPerSecond) {
    if (keysPerSecond < 0) {
      throw new IllegalArgumentException("a bound is 0 or more; keysPerSecond=" + keysPerSecond);
    }
    return alterations.alter(alterations.present(to.name()), to, keysPerSecond);
  }

  /**
   * Gives a cache new stores at all its sites, on nodes that answer, while it is read and written:
   * a change to what the cache is already. It replaces the replicas on nodes that stay away,
   * whether their stores are lost or only out of reach: the former configuration is ended at a
   * majority, and an end that a store has not heard of does not let it answer for the new one.
   * Copies all entries to each replica. Joins a change to the same that is under way.
   *
   * @param keysPerSecond as in {@link #alter}
   * @throws IllegalArgumentException if the bound is negative
   * @throws NoSuchElementException if there is no such cache
   * @throws ChangeInProgressException if another change is under way
   */
  public ChangeRun rebuild(String cache, long keysPerSecond) {
    if (keysPerSecond < 0) {
      throw new IllegalArgumentException("a bound is 0 or more; keysPerSecond=" + keysPerSecond);
    }
    return alterations.rebuild(alterations.present(cache), keysPerSecond);
  }

  /**
   * Sets how many keys a second are copied at most, for whoever carries the change out: within a
   * lease, two seconds.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   * @throws io.ensemble.catalog.record.CatalogException if others change the record all the while
   */
  public void pace(String cache, long keysPerSecond) {
    alterations.pace(cache, keysPerSecond);
  }

  /**
   * Joins the change of a cache: this process waits for its end, and takes it over when whoever
   * carries it out falls silent for three leases, six seconds.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   */
  public ChangeRun join(String cache) {
    return alterations.join(alterations.present(cache));
  }

  /** As {@link EnsembleCacheManager#resumeChange}: takes the change over at once. */
  public ChangeRun resume(String cache) {
    return alterations.resume(alterations.present(cache));
  }

  /**
   * Begins a change anew whose new stores are lost while keys are taken over into them ({@code
   * joint}), so that no majority of them is left. Such a change cannot end otherwise, nor be given
   * up.
   *
   * <p><b>Loses acknowledged writes</b>, removals among them: what was written since the change
   * came to {@code joint} is in the new stores alone. Kept is what the cache held when it was
   * sealed, and, key by key, what the new stores that are left had accepted last. So a key may come
   * back to a value of before, also to that of before the change, and a removed one may come back.
   *
   * <p>The new stores that are left are ended, and those that are lost never count again: the
   * change gets other ones, and leads to a configuration of the next number. Nobody is answered
   * until they serve: 24.2 seconds, and as long as it takes to read what is left. Needs every new
   * site to answer. A process that dies on the way is taken over from as ever.
   *
   * @param vigil has seen for long enough that the stores are missing; is asked once more
   * @throws NoSuchElementException if there is no such cache, or no change of it
   * @throws IllegalStateException if the change is in another step, or a majority of its new stores
   *     is there, or may be; says what to do instead. Nothing was done
   */
  public ChangeRun restart(String cache, LostStoreDetector vigil) {
    return alterations.restart(alterations.present(cache), vigil);
  }

  /**
   * Takes over the change in {@code seen}, a record that was read just now, if its mover has been
   * silent for three leases, six seconds, by this process's clock since it was first seen so; a
   * minute where only stores are left to be removed. To be called every two seconds or more often,
   * of every record with a change: the first call of each only begins to watch, and one more than
   * four seconds after the call before begins anew. Safe whoever else calls it: one of them takes
   * over.
   *
   * @return the change, carried out by this process from now on; empty if it is not silent, or
   *     somebody was quicker
   */
  public Optional<ChangeRun> takeOverIfSilent(StoredDefinition seen) {
    return alterations.takeOverIfSilent(seen);
  }

  /**
   * The sites that have lost the stores of the configuration that {@code seen} leads to, while keys
   * are taken over into it, if no majority of the others is left: then the change cannot end, and
   * the cache reads and writes nothing that needs those sites. A site counts that answers that it
   * has no such store; one that is starting may have it yet, so have {@link #lostVigil} look before
   * anything is done about it. Empty in any other step, and while a majority may be had.
   *
   * <p>One request to each new site, all at once, for at most five seconds, and a look at the
   * record.
   *
   * @param seen a record that was read just now
   */
  public Set<String> lostStores(StoredDefinition seen) {
    return alterations.lostStores(seen);
  }

  /**
   * Who tells lost stores from those of sites that are starting, by {@link #lostStores} asked again
   * and again. Has seen nothing yet.
   */
  public LostStoreDetector lostVigil() {
    return alterations.lostVigil();
  }
}
