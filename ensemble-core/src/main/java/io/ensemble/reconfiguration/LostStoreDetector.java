package io.ensemble.reconfiguration;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.maintenance.SiteMaintenance;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes changes whose new stores are lost from those whose sites are only starting. A
 * starting site has no stores for a moment; a site that starts from its disk, for longer. Records
 * since when the stores of each change were missing in every check. Not thread-safe.
 */
public final class LostStoreDetector {

  /** In how many consecutive checks the stores of a change must be missing. */
  public static final int LOOKS = 3;

  /** The time between checks. */
  public static final Duration APART = Duration.ofSeconds(2);

  /** How long the stores must be missing if one of the sites keeps its stores on disk. */
  public static final Duration ON_DISK = SiteMaintenance.MISSING_ON_DISK;

  /** After a longer pause between checks, the state in between is unknown. */
  private static final Duration BLIND = ON_DISK;

  private static final Duration IN_MEMORY = APART.multipliedBy(LOOKS - 1);

  /**
   * The observation of a change.
   *
   * @param stores the new stores of the change
   * @param sites that had no store in any of the checks
   */
  private record MissingStores(
      Set<ObsoleteStore> stores, Set<String> sites, long sinceNanos, long lastNanos, int looks) {}

  private final Function<StoredDefinition, Set<String>> lostStoreCheck;
  private final Predicate<String> isOnDisk;
  private final LongSupplier nanos;
  private final Map<String, MissingStores> missingByCache = new HashMap<>();

  LostStoreDetector(
      Function<StoredDefinition, Set<String>> lostStoreCheck,
      Predicate<String> isOnDisk,
      LongSupplier nanos) {
    this.lostStoreCheck = lostStoreCheck;
    this.isOnDisk = isOnDisk;
    this.nanos = nanos;
  }

  /**
   * The result of a check.
   *
   * @param sites that have no new stores now, if no majority of the others is left; empty while the
   *     change can continue
   * @param isConfirmed whether the stores were missing for so long that they count as lost;
   *     otherwise a site may only be starting
   */
  public record LostStores(Set<String> sites, boolean isConfirmed) {

    /** The change can continue, or there is none. */
    public static final LostStores NOTHING = new LostStores(Set.of(), false);
  }

  /**
   * Checks once. Call this every {@link #APART}. Stores count as lost after {@link #LOOKS}
   * consecutive checks, which took at least four seconds, or {@link #ON_DISK} if one of their sites
   * is on disk according to the catalog. Three kinds of checks begin the count anew: one that finds
   * a store, one in which the store's site is silent, and one more than a minute after the previous
   * check. A failed check is ignored.
   *
   * <p>Costs as much as {@link CacheChanges#lostStores}. If stores are missing, it also costs a
   * read of the entry of each of their sites.
   *
   * @param stored a record that was read just now
   * @throws io.ensemble.catalog.record.CatalogException if the catalog cannot be read
   */
  public LostStores check(StoredDefinition stored) {
    String cache = stored.definition().name();
    Set<String> lostSites = lostStoreCheck.apply(stored);
    if (lostSites.isEmpty()) {
      missingByCache.remove(cache);
      return LostStores.NOTHING;
    }
    MissingStores missing = updateMissing(missingByCache.get(cache), stored.newStores(), lostSites);
    missingByCache.put(cache, missing);
    long missingNanos = missing.lastNanos() - missing.sinceNanos();
    if (missing.looks() < LOOKS || missingNanos < IN_MEMORY.toNanos()) {
      return new LostStores(lostSites, false);
    }
    boolean isForGood =
        missingNanos >= ON_DISK.toNanos() || missing.sites().stream().noneMatch(isOnDisk);
    return new LostStores(lostSites, isForGood);
  }

  private MissingStores updateMissing(
      @Nullable MissingStores previous, Set<ObsoleteStore> stores, Set<String> lostSites) {
    long now = nanos.getAsLong();
    return previous == null
            || !previous.stores().equals(stores)
            || !lostSites.containsAll(previous.sites())
            || now - previous.lastNanos() > BLIND.toNanos()
        ? new MissingStores(stores, lostSites, now, now, 1)
        : new MissingStores(
            stores, previous.sites(), previous.sinceNanos(), now, previous.looks() + 1);
  }

  /** Discards the observations of other caches. */
  public void retain(Set<String> caches) {
    missingByCache.keySet().retainAll(caches);
  }
}
