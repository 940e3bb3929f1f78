package io.ensemble;

import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.Remains;
import io.ensemble.migrate.Means;
import io.ensemble.migrate.Mover;
import io.ensemble.stamp.WriterId;
import io.ensemble.trust.TrustRules;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a manager does when a cache is to become another one. Thread-safe. */
record Alterations(Federation federation, Catalog catalog, OpenCaches caches) {

  private static final int MOST_TRIES = 8;

  ChangeRun alter(StoredDefinition stored, CacheDefinition to) {
    check(stored, to);
    caches.waitFor(() -> federation.sites().mayHold(to.sites()), OpenCaches.LONGEST_LOOKUP);
    StoredDefinition now = stored;
    for (int i = 0; i < MOST_TRIES; i++) {
      Optional<Change> under = now.change().filter(change -> !change.isEnding());
      WriterId writer = federation.newWriter();
      if (under.isPresent()) {
        if (!under.get().to().equals(to)) {
          throw new ChangeUnderWayException(now.definition(), under.get().to());
        }
        return started(new Mover(means(), writer, now));
      }
      if (now.definition().equals(to)) {
        return now.change().isPresent() // What is left of one that ended.
            ? resume(now)
            : started(new Mover(means(), writer, now));
      }
      SortedSet<Remains> left = new TreeSet<>();
      now.change().ifPresent(former -> left.addAll(former.remains()));
      Change begun = Change.begun(to, lives(to), Mover.owner(writer), left);
      StoredDefinition next = now.with(Optional.of(begun));
      if (caches.waitFor(() -> federation.definitions().replace(next), OpenCaches.LONGEST_LOOKUP)) {
        return started(new Mover(means(), writer, next));
      }
      now = present(to.name());
    }
    throw new CatalogException(
        CatalogException.Reason.CHANGED,
        "others change the definition all the while; cache=" + to.name());
  }

  ChangeRun resume(StoredDefinition stored) {
    if (stored.change().isEmpty()) {
      throw new NoSuchElementException(
          "no change of the cache is under way; cache=" + stored.definition().name());
    }
    Mover mover = new Mover(means(), federation.newWriter(), stored);
    caches.waitFor(mover::takeOver, OpenCaches.LONGEST_LOOKUP);
    return started(mover);
  }

  private ChangeRun started(Mover mover) {
    mover.start();
    return new ChangeRun(mover, caches);
  }

  static void check(StoredDefinition stored, CacheDefinition to) {
    if (!stored.fenced() || to.mode() == Mode.SWMR) {
      throw new UnsupportedOperationException(
          "a cache cannot be changed from or to SWMR, nor when its record is of an earlier format;"
              + " cache=%s change=%s".formatted(to.name(), stored.definition().differences(to)));
    }
  }

  private StoredDefinition present(String cache) {
    return caches
        .waitFor(() -> federation.definitions().get(cache), OpenCaches.LONGEST_LOOKUP)
        .orElseThrow(() -> new NoSuchElementException("no such cache: " + cache));
  }

  private Map<String, String> lives(CacheDefinition to) {
    Map<String, String> lives = new TreeMap<>();
    to.sites().forEach(site -> lives.put(site, federation.newToken()));
    return lives;
  }

  private Means means() {
    return new Means(
        federation.sites(),
        federation.definitions(),
        federation.scheduler(),
        federation.clock(),
        federation::newToken,
        new ChangeRules(TrustRules.STANDARD),
        errand -> {});
  }
}
