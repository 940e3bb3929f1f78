package io.ensemble.catalog.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Locale;

/**
 * Cache names as file names: at most 215 characters, different for different names even if the file
 * system ignores case, and readable if possible.
 */
public final class FileNames {

  private static final int LONGEST_READABLE = 200;

  private FileNames() {}

  /** Keeps lower-case letters, digits, '-' and '_', and writes every other byte as %xx. */
  public static String of(String cache) {
    StringBuilder name = new StringBuilder();
    for (byte b : cache.getBytes(UTF_8)) {
      boolean plain = b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '_';
      name.append(plain ? String.valueOf((char) b) : "%%%02x".formatted(b));
    }
    return name.length() <= LONGEST_READABLE ? name.toString() : compact(cache);
  }

  /** Writes all bytes as one number in base 36, after a character that no readable name has. */
  private static String compact(String cache) {
    return "~" + new BigInteger(1, cache.getBytes(UTF_8)).toString(36).toLowerCase(Locale.ROOT);
  }

  /**
   * The inverse of {@link #of}.
   *
   * @throws IllegalArgumentException if {@code file} is not the result for any name
   */
  static String cache(String file) {
    try {
      byte[] bytes = file.startsWith("~") ? expanded(file) : plain(file);
      String cache = new String(bytes, UTF_8);
      if (of(cache).equals(file)) {
        return cache;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new IllegalArgumentException("file name is not one that Ensemble writes: " + file);
  }

  private static byte[] expanded(String file) {
    byte[] bytes = new BigInteger(file.substring(1), 36).toByteArray();
    return bytes.length > 1 && bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
  }

  private static byte[] plain(String file) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < file.length(); i++) {
      if (file.charAt(i) == '%' && i + 2 < file.length()) {
        bytes.write(Integer.parseInt(file, i + 1, i + 3, 16));
        i += 2;
      } else {
        bytes.write(file.charAt(i));
      }
    }
    return bytes.toByteArray();
  }
}
