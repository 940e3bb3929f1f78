package io.ensemble.rest.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The path of a route: segments that are words, or parameters in braces. */
record PathTemplate(List<String> segments) {

  static PathTemplate parse(String text) {
    return new PathTemplate(split(text));
  }

  /** The raw segments between slashes, still encoded. */
  static List<String> split(String path) {
    List<String> segments = new ArrayList<>();
    int from = 1;
    while (from <= path.length()) {
      int slash = path.indexOf('/', from);
      int to = slash < 0 ? path.length() : slash;
      segments.add(path.substring(from, to));
      from = to + 1;
    }
    return List.copyOf(segments);
  }

  /** The parameters, if the decoded segments of a path match this template. */
  Optional<Map<String, String>> match(List<String> path) {
    if (path.size() != segments.size()) {
      return Optional.empty();
    }
    Map<String, String> parameters = new HashMap<>();
    for (int i = 0; i < path.size(); i++) {
      String segment = segments.get(i);
      if (segment.startsWith("{")) {
        parameters.put(segment.substring(1, segment.length() - 1), path.get(i));
      } else if (!segment.equals(path.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(parameters);
  }

  /**
   * The number of words among the segments: of two matching templates, the one with more words
   * wins.
   */
  long countWords() {
    return segments.stream().filter(segment -> !segment.startsWith("{")).count();
  }
}
