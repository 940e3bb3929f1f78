package io.ensemble.versioning;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a key's numbered versions are, as simply as can be. */
final class HistoryModel {

  final TreeMap<Long, Optional<String>> versions = new TreeMap<>();
  long floor;
  long horizon;
  long top;

  /** Whether it has learnt of the cuts of the cache that there were before its first version. */
  boolean admitted;

  /** Before anything is added: {@code cut} is the cache's highest one. */
  void admit(long cut) {
    if (!admitted) {
      admitted = true;
      raise(cut);
    }
  }

  /** Null if it is added, else the error that is due. */
  Class<? extends RuntimeException> put(long version, Optional<String> value) {
    if (version <= 0) {
      return VersioningException.VersionNotAbove.class;
    }
    if (version <= floor) {
      return VersioningException.VersionBelowCut.class;
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
      versions.headMap(visible).clear();
    }
  }

  Class<? extends RuntimeException> missing(long version) {
    return version < horizon
        ? VersioningException.VersionCompacted.class
        : VersioningException.UnknownVersion.class;
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
