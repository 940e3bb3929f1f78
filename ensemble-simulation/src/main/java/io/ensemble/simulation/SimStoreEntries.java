package io.ensemble.simulation;

import io.ensemble.site.Bytes;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The entries of one store at one site. Versions are random, so that code which orders versions or
 * guesses the next one fails soon.
 */
final class SimStoreEntries {

  private final StoreKind kind;
  private final SplittableRandom versions;
  private final Map<Bytes, StoredEntry> entries = new LinkedHashMap<>();

  private final List<SimObservation> observations = new ArrayList<>();

  SimStoreEntries(StoreKind kind, SplittableRandom versions) {
    this.kind = kind;
    this.versions = versions;
  }

  void observe(SimObservation observation) {
    observations.add(observation);
  }

  /** The site goes down: its clients' connections break, and half of the clients notice. */
  void endObservations() {
    observations.forEach(
        one -> {
          if (versions.nextBoolean()) {
            one.breakOff();
          }
        });
    observations.clear();
  }

  StoreKind kind() {
    return kind;
  }

  Map<Bytes, StoredEntry> entries() {
    return entries;
  }

  RequestResult<Optional<StoredEntry>> read(Bytes key) {
    StoredEntry entry = entries.get(key);
    String effect = entry == null ? "absent" : entry.value() + versionText(entry.version());
    return RequestResult.of(Optional.ofNullable(entry), effect);
  }

  RequestResult<Boolean> putIfAbsent(Bytes key, Bytes value) {
    return entries.containsKey(key) ? RequestResult.no() : RequestResult.yes(store(key, value));
  }

  RequestResult<Boolean> replace(Bytes key, long version, Bytes value) {
    return has(key, version) ? RequestResult.yes(store(key, value)) : RequestResult.no();
  }

  RequestResult<Boolean> remove(Bytes key, long version) {
    if (!has(key, version)) {
      return RequestResult.no();
    }
    entries.remove(key);
    return RequestResult.yes("removed");
  }

  RequestResult<Void> put(Bytes key, Bytes value) {
    return RequestResult.of(null, store(key, value));
  }

  RequestResult<Optional<Bytes>> getAndPut(Bytes key, Bytes value) {
    StoredEntry before = entries.get(key);
    String effect = store(key, value) + " after " + (before == null ? "absent" : before.value());
    return RequestResult.of(Optional.ofNullable(before).map(StoredEntry::value), effect);
  }

  private boolean has(Bytes key, long version) {
    StoredEntry entry = entries.get(key);
    return entry != null && entry.version() == version;
  }

  private String store(Bytes key, Bytes value) {
    StoredEntry before = entries.get(key);
    long version = versions.nextLong();
    while (before != null && before.version() == version) {
      version = versions.nextLong();
    }
    entries.put(key, new StoredEntry(value, version));
    observations.removeIf(SimObservation::hasEnded);
    observations.forEach(one -> one.stored(key, value));
    return "stored" + versionText(version);
  }

  static String versionText(long version) {
    return "@" + Long.toHexString(version);
  }
}
