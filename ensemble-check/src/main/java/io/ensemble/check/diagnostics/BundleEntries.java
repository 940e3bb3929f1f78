package io.ensemble.check.diagnostics;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The entries of a bundle, by name: cleaned of secrets, each bounded, all together bounded. An
 * entry that is too large keeps its end, which for a log is the latest. An entry for which no room
 * is left is dropped. Both are noted. Not thread-safe.
 */
public final class BundleEntries {

  /** The largest entry. */
  public static final int LARGEST_ENTRY_BYTES = 1 << 20;

  /** The largest sum of all entries. */
  public static final int LARGEST_BYTES = 32 << 20;

  private static final int LONGEST_NAME = 100;

  private final SecretFilter filter;
  private final int largestEntry;
  private final int largest;
  private final SortedMap<String, byte[]> entries = new TreeMap<>();
  private final List<String> notes = new ArrayList<>();
  private int size;

  public BundleEntries(SecretFilter filter) {
    this(filter, LARGEST_ENTRY_BYTES, LARGEST_BYTES);
  }

  BundleEntries(SecretFilter filter, int largestEntry, int largest) {
    this.filter = filter;
    this.largestEntry = largestEntry;
    this.largest = largest;
  }

  /** The name of an entry about a cache or a site, as part of a path in the archive. */
  public static String safeName(String name) {
    StringBuilder safe = new StringBuilder();
    for (byte each : name.getBytes(UTF_8)) {
      boolean plain =
          (each >= 'a' && each <= 'z')
              || (each >= 'A' && each <= 'Z')
              || (each >= '0' && each <= '9')
              || each == '-'
              || each == '_'
              || (each == '.' && safe.length() > 0);
      safe.append(plain ? String.valueOf((char) each) : "%%%02x".formatted(each & 0xFF));
    }
    return safe.length() > LONGEST_NAME ? safe.substring(0, LONGEST_NAME) : safe.toString();
  }

  /** Adds an entry; one of the same name is replaced. */
  public void add(String name, String text) {
    byte[] bytes = filter.clean(text).getBytes(UTF_8);
    if (bytes.length > largestEntry) {
      notes.add("%s: only the last %d of %d bytes".formatted(name, largestEntry, bytes.length));
      bytes = Arrays.copyOfRange(bytes, bytes.length - largestEntry, bytes.length);
    }
    byte[] former = entries.get(name);
    int next = size + bytes.length - (former == null ? 0 : former.length);
    if (next > largest) {
      notes.add("%s: left out, because the bundle is full".formatted(name));
      return;
    }
    size = next;
    entries.put(name, bytes);
  }

  /** Notes what could not be collected. */
  public void addNote(String note) {
    notes.add(filter.clean(note));
  }

  /** The entries, by name. */
  public SortedMap<String, byte[]> entries() {
    return Collections.unmodifiableSortedMap(entries);
  }

  /** What is missing in the bundle, and why. */
  public List<String> notes() {
    return List.copyOf(notes);
  }
}
