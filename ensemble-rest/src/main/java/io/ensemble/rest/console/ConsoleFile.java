package io.ensemble.rest.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A file of the page, as in the jar.
 *
 * @param content must not be changed
 * @param etag a digest of the content
 */
record ConsoleFile(String name, String type, byte[] content, String etag) {

  private static final int ETAG_BYTES = 16;

  /** The file of that name beside this class. */
  static ConsoleFile of(String name) {
    try (InputStream in = ConsoleFile.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new AssertionError("file of the console is missing in the jar; file=" + name);
      }
      byte[] content = in.readAllBytes();
      return new ConsoleFile(name, type(name), content, etag(content));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String type(String name) {
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "html" -> "text/html;charset=utf-8";
      case "css" -> "text/css;charset=utf-8";
      case "js" -> "text/javascript;charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> throw new AssertionError("file of the console has an unknown type; file=" + name);
    };
  }

  private static String etag(byte[] content) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
      return '"' + HexFormat.of().formatHex(Arrays.copyOf(hash, ETAG_BYTES)) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
