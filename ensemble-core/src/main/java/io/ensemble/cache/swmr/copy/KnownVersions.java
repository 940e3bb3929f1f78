package io.ensemble.cache.swmr.copy;

import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.KnownCopies;
import io.ensemble.primary.VersionedCopy;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The entry versions that a writer's last writes have left at the other sites. A compare-and-set
 * does not return the version that it creates. So the writer reads the version afterwards, in the
 * background, and the key's next write saves the round trip for this read. A version is valid in
 * the same epoch only, and only while the site's store is the same incarnation. A site without an
 * open store does not invalidate the versions of the others, because each serves its own
 * compare-and-set. Thread-safe.
 */
public final class KnownVersions {

  /** The number of keys; the key whose last write is the oldest is evicted first. */
  static final int MOST_KEYS = 10_000;

  /** The number of reads under way at a site; beyond that no versions are recorded. */
  static final int MOST_QUESTIONS = 64;

  /**
   * The versions that the write at position {@code mark} has left, as far as they were read.
   * Guarded by the lock.
   */
  private record Written(
      CopyPosition mark, StoreSet replicas, List<Optional<VersionedCopy<Payload>>> shown) {}

  private final Scheduler scheduler;
  private final ConcurrentMap<Integer, AtomicInteger> questions = new ConcurrentHashMap<>();
  private final Map<Bytes, Written> entries =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Bytes, Written> eldest) {
          return size() > MOST_KEYS;
        }
      };

  public KnownVersions(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** The known versions of {@code key} in that epoch, for the sites with the same stores. */
  public KnownCopies<Payload> of(Bytes key, long epoch, StoreSet replicas) {
    synchronized (entries) {
      Written entry = entries.get(key);
      if (entry == null || entry.mark().epoch() != epoch) {
        return KnownCopies.nothing();
      }
      List<Optional<VersionedCopy<Payload>>> shown = new ArrayList<>(entry.shown());
      for (int site = 0; site < shown.size(); site++) {
        if (!replicas.isSameAs(entry.replicas(), site)) {
          shown.set(site, Optional.empty());
        }
      }
      return shown.stream().allMatch(Optional::isEmpty)
          ? KnownCopies.nothing()
          : new KnownCopies<>(shown);
    }
  }

  public void forget(Bytes key) {
    synchronized (entries) {
      entries.remove(key);
    }
  }

  /** After a write at position {@code mark}, reads the entries at all sites but the primary. */
  public void learn(Bytes key, CopyPosition mark, StoreSet replicas, int primary) {
    Written entry =
        new Written(
            mark,
            replicas,
            new ArrayList<>(Collections.nCopies(replicas.size(), Optional.empty())));
    synchronized (entries) {
      entries.remove(key);
      entries.put(key, entry);
    }
    Deadline limit = new Deadline(scheduler.nanos() + KeyCall.REQUEST_NANOS);
    for (int site = 0; site < replicas.size(); site++) {
      AtomicInteger open = questions.computeIfAbsent(site, index -> new AtomicInteger());
      if (site != primary && open.incrementAndGet() <= MOST_QUESTIONS) {
        ask(key, entry, site, open, limit);
      } else if (site != primary) {
        open.decrementAndGet();
      }
    }
  }

  private void ask(Bytes key, Written entry, int site, AtomicInteger open, Deadline limit) {
    entry
        .replicas()
        .ask(site, store -> store.read(key, limit))
        .whenComplete(
            (found, failure) -> {
              open.decrementAndGet();
              if (failure == null) {
                learnt(entry, site, found);
              }
            });
  }

  /** A site that shows another copy may be about to accept the write; no version is recorded. */
  private void learnt(Written entry, int site, Optional<StoredEntry> found) {
    VersionedCopy<Payload> shown;
    try {
      shown = CopyCodec.shown(found);
    } catch (MalformedEnvelopeException strange) {
      return; // The next read reports the malformed entry.
    }
    Copy<Payload> copy = shown.copy();
    if (copy.mark().equals(entry.mark())) {
      Copy<Payload> withoutValue = new Copy<>(copy.mark(), copy.settled(), copy.origin(), null);
      synchronized (entries) {
        entry.shown().set(site, Optional.of(new VersionedCopy<>(withoutValue, shown.token())));
      }
    }
  }

  int size() {
    synchronized (entries) {
      return entries.size();
    }
  }
}
