package io.ensemble.zoofence.flattening;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A flattening that breaks property P2, or has an unreadable text. Nothing was changed. */
public final class FlatteningException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final List<String> paths;

  FlatteningException(Map<String, String> offending) {
    super(
        "the instances of a znode must be among those of its parent: "
            + offending.entrySet().stream()
                .map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
                .collect(Collectors.joining("; ")));
    this.paths = List.copyOf(offending.keySet());
  }

  FlatteningException(String message) {
    super(message);
    this.paths = List.of();
  }

  /** The paths that break the property, in order; empty if the text itself cannot be read. */
  public List<String> paths() {
    return paths;
  }
}
