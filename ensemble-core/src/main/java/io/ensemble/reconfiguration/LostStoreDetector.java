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
   * @param of the new stores of the change
   * @param sites that had no store in any of the checks
   */
  private record Missing(
      Set<ObsoleteStore> of, Set<String> sites, long sinceNanos, long lastNanos, int looks) {}

  private final Function<StoredDefinition, Set<String>> look;
  private final Predicate<String> onDisk;
  private final LongSupplier nanos;
  private final Map<String, Missing> missing = new HashMap<>();

  LostStoreDetector(
      Function<StoredDefinition, Set<String>> look, Predicate<String> onDisk, LongSupplier nanos) {
    this.look = look;
    this.onDisk = onDisk;
    this.nanos = nanos;
  }

  /**
   * The result of a check.
   *
   * @param sites that have no new stores now, if no majority of the others is left; empty while the
   *     change can continue
   * @param isForGood whether the stores were missing for so long that they count as lost; otherwise
   *     a site may only be starting
   */
  public record Lost(Set<String> sites, boolean isForGood) {

    /** The change can continue, or there is none. */
    public static final Lost NOTHING = new Lost(Set.of(), false);
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
   * @param seen a record that was read just now
   * @throws io.ensemble.catalog.record.CatalogException if the catalog cannot be read
   */
  public Lost look(StoredDefinition seen) {
    String cache = seen.definition().name();
    Set<String> gone = look.apply(seen);
    if (gone.isEmpty()) {
      missing.remove(cache);
      return Lost.NOTHING;
    }
    Missing found = found(missing.get(cache), seen.newStores(), gone);
    missing.put(cache, found);
    long lasts = found.lastNanos() - found.sinceNanos();
    if (found.looks() < LOOKS || lasts < IN_MEMORY.toNanos()) {
      return new Lost(gone, false);
    }
    boolean enough = lasts >= ON_DISK.toNanos() || found.sites().stream().noneMatch(onDisk);
    return new Lost(gone, enough);
  }

  private Missing found(@Nullable Missing before, Set<ObsoleteStore> of, Set<String> gone) {
    long now = nanos.getAsLong();
    return before == null
            || !before.of().equals(of)
            || !gone.containsAll(before.sites())
            || now - before.lastNanos() > BLIND.toNanos()
        ? new Missing(of, gone, now, now, 1)
        : new Missing(of, before.sites(), before.sinceNanos(), now, before.looks() + 1);
  }

  /** Discards the observations of other caches. */
  public void retain(Set<String> caches) {
    missing.keySet().retainAll(caches);
  }
}
