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
   * The versions that the write at position {@code position} has left, as far as they were read.
   * Guarded by the lock.
   */
  private record WrittenVersions(
      CopyPosition position, StoreSet storeSet, List<Optional<VersionedCopy<Payload>>> copies) {}

  private final Scheduler scheduler;
  private final ConcurrentMap<Integer, AtomicInteger> readsBySite = new ConcurrentHashMap<>();
  private final Map<Bytes, WrittenVersions> entries =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Bytes, WrittenVersions> eldest) {
          return size() > MOST_KEYS;
        }
      };

  public KnownVersions(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** The known versions of {@code key} in that epoch, for the sites with the same stores. */
  public KnownCopies<Payload> of(Bytes key, long epoch, StoreSet storeSet) {
    synchronized (entries) {
      WrittenVersions writtenEntry = entries.get(key);
      if (writtenEntry == null || writtenEntry.position().epoch() != epoch) {
        return KnownCopies.nothing();
      }
      List<Optional<VersionedCopy<Payload>>> copies = new ArrayList<>(writtenEntry.copies());
      for (int site = 0; site < copies.size(); site++) {
        if (!storeSet.isSameAs(writtenEntry.storeSet(), site)) {
          copies.set(site, Optional.empty());
        }
      }
      return copies.stream().allMatch(Optional::isEmpty)
          ? KnownCopies.nothing()
          : new KnownCopies<>(copies);
    }
  }

  public void forget(Bytes key) {
    synchronized (entries) {
      entries.remove(key);
    }
  }

  /** After a write at position {@code position}, reads the entries at all sites but the primary. */
  public void learn(Bytes key, CopyPosition position, StoreSet storeSet, int primary) {
    WrittenVersions writtenEntry =
        new WrittenVersions(
            position,
            storeSet,
            new ArrayList<>(Collections.nCopies(storeSet.size(), Optional.empty())));
    synchronized (entries) {
      entries.remove(key);
      entries.put(key, writtenEntry);
    }
    Deadline limit = new Deadline(scheduler.nanos() + KeyCall.REQUEST_NANOS);
    for (int site = 0; site < storeSet.size(); site++) {
      AtomicInteger openReads = readsBySite.computeIfAbsent(site, index -> new AtomicInteger());
      if (site != primary && openReads.incrementAndGet() <= MOST_QUESTIONS) {
        readCopy(key, writtenEntry, site, openReads, limit);
      } else if (site != primary) {
        openReads.decrementAndGet();
      }
    }
  }

  private void readCopy(
      Bytes key, WrittenVersions writtenEntry, int site, AtomicInteger openReads, Deadline limit) {
    writtenEntry
        .storeSet()
        .ask(site, store -> store.read(key, limit))
        .whenComplete(
            (storedEntry, failure) -> {
              openReads.decrementAndGet();
              if (failure == null) {
                recordCopy(writtenEntry, site, storedEntry);
              }
            });
  }

  /** A site that shows another copy may be about to accept the write; no version is recorded. */
  private void recordCopy(
      WrittenVersions writtenEntry, int site, Optional<StoredEntry> storedEntry) {
    VersionedCopy<Payload> versionedCopy;
    try {
      versionedCopy = CopyCodec.toVersionedCopy(storedEntry);
    } catch (MalformedEnvelopeException malformed) {
      return; // The next read reports the malformed entry.
    }
    Copy<Payload> copy = versionedCopy.copy();
    if (copy.mark().equals(writtenEntry.position())) {
      Copy<Payload> withoutValue = new Copy<>(copy.mark(), copy.settled(), copy.origin(), null);
      synchronized (entries) {
        writtenEntry
            .copies()
            .set(site, Optional.of(new VersionedCopy<>(withoutValue, versionedCopy.token())));
      }
    }
  }

  int size() {
    synchronized (entries) {
      return entries.size();
    }
  }
}
