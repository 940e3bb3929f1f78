package io.ensemble.zoofence.flattening;

/** Paths of znodes in ZooKeeper's notation: absolute, without a slash at the end. */
public final class ZnodePaths {
  private static final int NUMBER_LENGTH = 10;

  private ZnodePaths() {}

  /** The parent; the parent of the root is the root. */
  public static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }

  /** The last component. */
  public static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  public static String child(String parent, String name) {
    return parent.equals("/") ? "/" + name : parent + "/" + name;
  }

  /** Whether a path is {@code ancestor} or lies below it. */
  public static boolean under(String path, String ancestor) {
    return ancestor.equals("/")
        || (path.startsWith(ancestor)
            && (path.length() == ancestor.length() || path.charAt(ancestor.length()) == '/'));
  }

  /** A path with a number appended, as ZooKeeper names sequential znodes. */
  public static String numbered(String path, long number) {
    String sign = number < 0 ? "-" : "";
    String digits = Long.toString(Math.abs(number));
    int zeros = Math.max(0, NUMBER_LENGTH - sign.length() - digits.length());
    return path + sign + "0".repeat(zeros) + digits;
  }

  /** The end of the component that follows {@code from}, or -1 if no component follows. */
  static int end(String path, int from) {
    if (path.length() <= 1 || from >= path.length()) {
      return -1;
    }
    int slash = path.indexOf('/', from + 1);
    return slash < 0 ? path.length() : slash;
  }
}
