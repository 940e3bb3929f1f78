package io.ensemble.maintenance;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs which records of a catalog cannot be read, once while the state lasts. Not thread-safe. */
public final class UnreadableRecords {

  private static final Logger LOG = LoggerFactory.getLogger(UnreadableRecords.class);

  private final String kind;
  private SortedMap<String, String> loggedRecords = new TreeMap<>();

  /**
   * @param kind the kind of record, for the log
   */
  public UnreadableRecords(String kind) {
    this.kind = kind;
  }

  /**
   * Sets the records that cannot be read now; all others of the kind can.
   *
   * @param unreadable their names, with the reasons
   * @return those that were not reported before, or were reported with another reason
   */
  public SortedMap<String, String> now(Map<String, String> unreadable) {
    SortedMap<String, String> newRecords = new TreeMap<>(unreadable);
    newRecords.entrySet().removeAll(loggedRecords.entrySet());
    loggedRecords.keySet().stream()
        .filter(name -> !unreadable.containsKey(name))
        .forEach(name -> LOG.info("a record can be read again; {}={}", kind, name));
    newRecords.forEach(
        (name, cause) ->
            LOG.warn("a record cannot be read, and is skipped; {}={} why={}", kind, name, cause));
    loggedRecords = new TreeMap<>(unreadable);
    return newRecords;
  }
}
