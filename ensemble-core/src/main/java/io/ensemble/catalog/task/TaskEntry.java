package io.ensemble.catalog.task;

import io.ensemble.NameRules;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A task that one process at a time performs for all, as the catalog holds it. Its owner changes
 * the record every few seconds: the revision is its heartbeat.
 *
 * @param name the task
 * @param owner the owner: 32 hexadecimal digits, never used twice
 * @param fence grows by one with every other owner
 * @param notes the owner's observations for other processes: names and values without line ends, no
 *     {@code =} in names
 * @param revision grows by one with every change of this record; 1 at first
 */
public record TaskEntry(
    String name, String owner, long fence, Map<String, String> notes, long revision) {

  private static final Pattern OWNER = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern NOTE = Pattern.compile("[a-z][a-z0-9-]{0,63}");
  private static final int LONGEST_NOTE = 1024;
  private static final String OF_SITE = "site ";

  /**
   * @throws IllegalArgumentException naming the invalid component
   */
  public TaskEntry {
    NameRules.check("task name", name);
    notes = Collections.unmodifiableMap(new TreeMap<>(notes));
    if (!OWNER.matcher(owner).matches() || fence < 1 || revision < 1) {
      throw new IllegalArgumentException(
          "a task must have an owner, a fence and a revision; task=%s owner=%s fence=%d revision=%d"
              .formatted(name, owner, fence, revision));
    }
    notes.forEach(
        (note, value) -> {
          if (!NOTE.matcher(note).matches()
              || value.length() > LONGEST_NOTE
              || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                "a note must have a short name and one line; task=%s note=%s"
                    .formatted(name, note));
          }
        });
  }

  /** The name of the maintenance task of a site. */
  public static String ofSite(String site) {
    return OF_SITE + site;
  }

  /** The first record of a task. */
  public static TaskEntry first(String name, String owner, Map<String, String> notes) {
    return new TaskEntry(name, owner, 1, notes, 1);
  }

  /** The next revision by the same owner. */
  public TaskEntry beating(Map<String, String> found) {
    return new TaskEntry(name, owner, fence, found, revision + 1);
  }

  /** The next revision, of another owner. */
  public TaskEntry takenBy(String other, Map<String, String> found) {
    return new TaskEntry(name, other, fence + 1, found, revision + 1);
  }
}
