package io.ensemble.versioning.listen;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that cannot be read at present. A failure is logged once, until all keys can be read
 * again. Thread-safe.
 */
final class UnreadableKeys {

  private static final Logger LOG = LoggerFactory.getLogger(UnreadableKeys.class);

  private final String cache;
  private final Map<String, Throwable> present = new LinkedHashMap<>();

  UnreadableKeys(String cache) {
    this.cache = cache;
  }

  synchronized void begin(String name, Throwable failure) {
    if (present.isEmpty()) {
      LOG.warn("New versions cannot be read, retrying; cache={}", cache, failure);
    }
    present.put(name, failure);
  }

  synchronized void end(String name) {
    if (present.remove(name) != null && present.isEmpty()) {
      LOG.info("New versions can be read again; cache={}", cache);
    }
  }

  /** The failure that has lasted longest. */
  synchronized Optional<Throwable> now() {
    return present.values().stream().findFirst();
  }
}
