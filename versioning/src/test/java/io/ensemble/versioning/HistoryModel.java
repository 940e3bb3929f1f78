package io.ensemble.versioning;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A naive model of the numbered versions of one key. */
final class HistoryModel {

  final TreeMap<Long, Optional<String>> versions = new TreeMap<>();
  long floor;
  long horizon;
  boolean hasCompacted;
  long top;

  /** Whether the model has the snapshots of the cache from before the key's first version. */
  boolean admitted;

  /** Called before an addition; {@code cut} is the highest snapshot of the cache. */
  void admit(long cut) {
    if (!admitted) {
      admitted = true;
      raise(cut);
    }
  }

  /** Returns null if the version is added, else the expected exception. */
  Class<? extends RuntimeException> put(long version, Optional<String> value) {
    if (version <= 0) {
      return VersioningException.VersionNotAbove.class;
    }
    if (version <= floor) {
      return VersioningException.VersionBelowSnapshot.class;
    }
    if (version < horizon) {
      return VersioningException.VersionCompacted.class;
    }
    if (versions.containsKey(version)) {
      return VersioningException.VersionExists.class;
    }
    added(version, value);
    return null;
  }

  void added(long version, Optional<String> value) {
    versions.put(version, value);
    top = Math.max(top, version);
  }

  void raise(long version) {
    floor = Math.max(floor, version);
    top = Math.max(top, version);
  }

  void compact(long version) {
    Long visible = versions.floorKey(version);
    if (visible != null) {
      horizon = Math.max(horizon, visible);
      hasCompacted |= !versions.headMap(visible).isEmpty();
      versions.headMap(visible).clear();
    }
  }

  Class<? extends RuntimeException> missing(long version) {
    return version < horizon && hasCompacted
        ? VersioningException.VersionCompacted.class
        : VersioningException.UnknownVersion.class;
  }

  AsOfResult<Long, String> atOrBelow(long version) {
    Map.Entry<Long, Optional<String>> found = versions.floorEntry(version);
    return found == null && version < horizon && hasCompacted
        ? new AsOfResult.Compacted<>(of(versions.firstEntry()).orElseThrow())
        : AsOfResult.of(of(found));
  }

  static Optional<Versioned<Long, String>> of(Map.Entry<Long, Optional<String>> entry) {
    return Optional.ofNullable(entry).map(e -> new Versioned<>(e.getKey(), e.getValue()));
  }

  List<Versioned<Long, String>> range(long from, long to) {
    List<Versioned<Long, String>> all = new ArrayList<>();
    versions
        .subMap(from, true, to, true)
        .forEach((version, value) -> all.add(new Versioned<>(version, value)));
    return all;
  }
}
