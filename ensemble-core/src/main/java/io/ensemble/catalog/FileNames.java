package io.ensemble.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.util.Locale;

/**
 * Cache names as file names: at most 215 characters, different for different names also where the
 * file system ignores case, and readable where that can be.
 */
final class FileNames {

  private static final int LONGEST_READABLE = 200;

  private FileNames() {}

  /** Lower-case letters, digits, '-' and '_' as they are, every other byte as %xx. */
  static String of(String cache) {
    StringBuilder name = new StringBuilder();
    for (byte b : cache.getBytes(UTF_8)) {
      boolean plain = b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '_';
      name.append(plain ? String.valueOf((char) b) : "%%%02x".formatted(b));
    }
    return name.length() <= LONGEST_READABLE ? name.toString() : compact(cache);
  }

  /** All bytes as one number to base 36, behind a sign that no readable name has. */
  private static String compact(String cache) {
    return "~" + new BigInteger(1, cache.getBytes(UTF_8)).toString(36).toLowerCase(Locale.ROOT);
  }
}
