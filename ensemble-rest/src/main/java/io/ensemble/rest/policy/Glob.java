package io.ensemble.rest.policy;

/**
 * A name of a cache, or a pattern for names, in which {@code *} matches any number of characters.
 */
record Glob(String pattern) {

  Glob {
    if (pattern.isEmpty()) {
      throw new IllegalArgumentException("a pattern of cache names must not be empty");
    }
  }

  /** Matches in a number of steps bounded by the product of the lengths. */
  boolean matches(String name) {
    int star = -1;
    int resume = 0;
    int at = 0;
    for (int i = 0; i < name.length(); ) {
      if (at < pattern.length() && pattern.charAt(at) == '*') {
        star = at++;
        resume = i;
      } else if (at < pattern.length() && pattern.charAt(at) == name.charAt(i)) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++resume;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == '*') {
      at++;
    }
    return at == pattern.length();
  }
}
