package io.ensemble.cache.mwmr;

import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads of a key that were sent directly behind the votes for a write of it. A compare-and-set does
 * not return the new entry version; such a read usually does, in the same round trip. A server may
 * overtake the vote with the read: then the read shows the entry before, and is of no use. One
 * thread at a time.
 */
final class VersionReads {

  private final List<@Nullable CompletionStage<Optional<StoredEntry>>> reads;

  VersionReads(int sites) {
    reads = new ArrayList<>(sites);
    for (int site = 0; site < sites; site++) {
      reads.add(null);
    }
  }

  /** The last read of a site counts, since it follows the last vote. */
  void sent(int site, CompletionStage<Optional<StoredEntry>> read) {
    reads.set(site, read);
  }

  /** The entries of all sites; null if a site was not read. */
  @Nullable CompletionStage<List<Optional<StoredEntry>>> all() {
    CompletionStage<List<Optional<StoredEntry>>> all =
        CompletableFuture.completedFuture(new ArrayList<>(reads.size()));
    for (CompletionStage<Optional<StoredEntry>> read : reads) {
      if (read == null) {
        return null;
      }
      all =
          all.thenCombine(
              read,
              (entries, entry) -> {
                entries.add(entry);
                return entries;
              });
    }
    return all;
  }
}
