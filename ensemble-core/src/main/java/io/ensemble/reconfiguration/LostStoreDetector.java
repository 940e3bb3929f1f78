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
 * Tells changes whose new stores are lost from those whose sites are only starting: a site that
 * starts has no store for a moment, one that starts from its disk for longer. Remembers since when
 * the stores of each change were missing in every look. Not thread-safe.
 */
public final class LostStoreDetector {

  /** In how many looks in a row a change must be found without its stores. */
  public static final int LOOKS = 3;

  /** How far apart looks are to be. */
  public static final Duration APART = Duration.ofSeconds(2);

  /** For how long, where one of the sites keeps its stores on disk. */
  public static final Duration ON_DISK = SiteMaintenance.MISSING_ON_DISK;

  /** Looks farther apart say nothing about the time between. */
  private static final Duration BLIND = ON_DISK;

  private static final Duration IN_MEMORY = APART.multipliedBy(LOOKS - 1);

  /**
   * What was found of a change.
   *
   * @param of the new stores of the change
   * @param sites that had no store in any of the looks
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
   * What a look has come to.
   *
   * @param sites that have no new stores now, where no majority of the others is left; empty while
   *     the change can go on
   * @param isForGood whether that is so for so long that they are held for lost; else a site may
   *     only be starting
   */
  public record Lost(Set<String> sites, boolean isForGood) {

    /** The change can go on, or there is none. */
    public static final Lost NOTHING = new Lost(Set.of(), false);
  }

  /**
   * Looks once. To be called again and again, every {@link #APART}. Stores are held for lost after
   * {@link #LOOKS} looks in a row, which took four seconds, or {@link #ON_DISK} if the catalog says
   * of one of their sites that it keeps them on disk. A look that finds one of them, or in which
   * its site is silent, or that comes more than a minute after the one before, begins anew. One
   * that fails counts for nothing.
   *
   * <p>Costs what {@link CacheChanges#lostStores} does, and where stores are missing a read of the
   * entry of each of their sites.
   *
   * @param seen a record that was read just now
   * @throws io.ensemble.catalog.record.CatalogException if the catalog cannot be asked
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

  /** Forgets what was found of caches other than these. */
  public void retain(Set<String> caches) {
    missing.keySet().retainAll(caches);
  }
}
