package io.ensemble.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/**
 * The path of a node, such as {@code /local/domain/3/name}; the root is {@code /}. Immutable.
 *
 * <p>Paths are ordered so that a node comes directly before everything below it.
 */
public final class TreePath implements Comparable<TreePath> {

  /** The maximum length of a path, in characters. */
  public static final int LONGEST = 3000;

  /** The maximum length of a name within a path, in characters. */
  public static final int LONGEST_NAME = 255;

  /** The maximum number of names in a path. */
  public static final int DEEPEST = 200;

  /** The root of every tree. */
  public static final TreePath ROOT = new TreePath("");

  /** Sorts after every name, in which it is not permitted. */
  private static final char LAST = '\uffff';

  /** Begins the paths of records that are not nodes. These sort after all nodes. */
  private static final char RESERVED = '\0';

  private static final char SEPARATOR = '/';

  /** In sort keys, in the place of the separator and of {@link #RESERVED}; not in names. */
  private static final char FIRST = '\0';

  private static final char AFTER_SEPARATOR = '\1';

  /** Empty for the root, otherwise a separator before each name. */
  private final String text;

  /** Made when it is needed; threads may make it twice. */
  private @Nullable String sortKey;

  private TreePath(String text) {
    this.text = text;
  }

  /**
   * Parses a path.
   *
   * @throws IllegalArgumentException if it does not begin with {@code /}, ends with one, is too
   *     long or too deep, or has a name that {@link #child} refuses
   */
  public static TreePath of(String path) {
    if (path.equals("/")) {
      return ROOT;
    }
    if (path.length() > LONGEST || path.isEmpty() || path.charAt(0) != SEPARATOR) {
      throw new IllegalArgumentException(
          "a path must begin with / and have at most %d characters; got %s"
              .formatted(LONGEST, shortened(path)));
    }
    int names = 0;
    for (int from = 1; from <= path.length(); names++) {
      int end = path.indexOf(SEPARATOR, from);
      end = end < 0 ? path.length() : end;
      checkName(path.substring(from, end));
      from = end + 1;
    }
    if (path.charAt(path.length() - 1) == SEPARATOR) {
      throw new IllegalArgumentException("a path must not end with /; got " + shortened(path));
    }
    if (names > DEEPEST) {
      throw new IllegalArgumentException(
          "a path must have at most %d names; got %d".formatted(DEEPEST, names));
    }
    return new TreePath(path);
  }

  private static void checkName(String name) {
    boolean isControl = name.chars().anyMatch(c -> Character.isISOControl(c) || c == LAST);
    if (name.isEmpty()
        || name.length() > LONGEST_NAME
        || name.equals(".")
        || name.equals("..")
        || isControl
        || !UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException(
          ("a name must have 1 to %d characters, none of them a control character, the"
                  + " noncharacter U+FFFF or half of a surrogate pair, and must not be . or ..;"
                  + " got %s")
              .formatted(LONGEST_NAME, isControl ? "one of these" : "\"" + shortened(name) + "\""));
    }
  }

  private static String shortened(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "…";
  }

  /** The path of a record of {@code kind} that is not a node, beside all nodes. */
  public static TreePath reserved(String kind, String name) {
    return new TreePath(RESERVED + kind + SEPARATOR + name);
  }

  /** Restores a path from {@link #encoded}, without a check. */
  public static TreePath decoded(String text) {
    return text.isEmpty() ? ROOT : new TreePath(text);
  }

  /** The text from which {@link #decoded} restores the path. */
  public String encoded() {
    return text;
  }

  /**
   * Returns the path of a child.
   *
   * @throws IllegalArgumentException if the name is empty, {@code .}, {@code ..} or too long, has a
   *     control character, U+FFFF or half of a surrogate pair, or if the path becomes too long
   */
  public TreePath child(String name) {
    if (name.indexOf(SEPARATOR) >= 0) {
      throw new IllegalArgumentException("a name must not contain /; got " + shortened(name));
    }
    return of(text + SEPARATOR + name);
  }

  /** Whether this is the root. */
  public boolean isRoot() {
    return text.isEmpty();
  }

  /** Whether this is the path of a node, and not that of another record. */
  public boolean isOfNode() {
    return text.isEmpty() || text.charAt(0) == SEPARATOR;
  }

  /** The parent; null for the root and for records that are not nodes. */
  public @Nullable TreePath parent() {
    return text.isEmpty() || !isOfNode()
        ? null
        : decoded(text.substring(0, text.lastIndexOf(SEPARATOR)));
  }

  /** The last name of the path; empty for the root. */
  public String name() {
    return text.substring(text.lastIndexOf(SEPARATOR) + 1);
  }

  /** Whether {@code other} is this path or below it. */
  public boolean contains(TreePath other) {
    return other.text.startsWith(text)
        && (other.text.length() == text.length() || other.text.charAt(text.length()) == SEPARATOR);
  }

  /** A bound that sorts directly after everything below this path; not the path of a node. */
  public TreePath afterSubtree() {
    return new TreePath(text + SEPARATOR + LAST);
  }

  /** The number of names; 0 for the root. */
  public int depth() {
    return (int) text.chars().filter(c -> c == SEPARATOR).count();
  }

  @Override
  public int compareTo(TreePath other) {
    return sortKey().compareTo(other.sortKey());
  }

  /** The text with characters that sort as paths do: a separator before all others. */
  private String sortKey() {
    String key = sortKey;
    if (key == null) {
      key = text.replace(RESERVED, AFTER_SEPARATOR).replace(SEPARATOR, FIRST);
      sortKey = key;
    }
    return key;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TreePath path && path.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text.isEmpty() ? "/" : text;
  }
}
