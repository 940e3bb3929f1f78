package io.ensemble.partition;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The kind of a partitioner and its settings, as in definitions.
 *
 * @param name the kind: a lower-case letter, then at most 31 of these, digits and hyphens
 * @param settings at most {@value #MOST_SETTINGS}; names and values have 1 to {@value #LONGEST}
 *     characters, no control characters, and names no '='
 */
public record PartitionerSpec(String name, Map<String, String> settings) {

  /** The accepted names of a kind. */
  public static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  static final int MOST_SETTINGS = 512;
  static final int LONGEST = 256;

  public PartitionerSpec {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a partitioner name must be a lower-case letter, then at most 31 lower-case letters, "
              + "digits and hyphens; name="
              + (name.length() > 40 ? name.substring(0, 40) + "…" : name));
    }
    SortedMap<String, String> sorted = new TreeMap<>(settings);
    if (sorted.size() > MOST_SETTINGS) {
      throw new IllegalArgumentException(
          "a partitioner must have at most %d settings; got %d"
              .formatted(MOST_SETTINGS, sorted.size()));
    }
    sorted.forEach(PartitionerSpec::check);
    settings = Collections.unmodifiableSortedMap(sorted);
  }

  /** A spec without settings. */
  public static PartitionerSpec of(String name) {
    return new PartitionerSpec(name, Map.of());
  }

  /** This spec with one more setting. */
  public PartitionerSpec with(String setting, String value) {
    Map<String, String> more = new TreeMap<>(settings);
    more.put(setting, value);
    return new PartitionerSpec(name, more);
  }

  private static void check(String setting, String value) {
    boolean fits =
        !setting.isEmpty()
            && setting.length() <= LONGEST
            && setting.indexOf('=') < 0
            && !value.isEmpty()
            && value.length() <= LONGEST
            && (setting + value).codePoints().noneMatch(PartitionerSpec::endsOrControls);
    if (!fits) {
      throw new IllegalArgumentException(
          ("partitioner settings and their values must have 1 to %d characters, no control "
                      + "characters")
                  .formatted(LONGEST)
              + " and no '=' in their names");
    }
  }

  private static boolean endsOrControls(int codePoint) {
    int type = Character.getType(codePoint);
    return type == Character.CONTROL
        || type == Character.SURROGATE
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }
}
