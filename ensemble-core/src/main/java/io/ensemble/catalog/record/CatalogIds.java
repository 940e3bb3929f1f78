package io.ensemble.catalog.record;

import java.security.SecureRandom;
import java.util.regex.Pattern;

/** Ids of catalogs: 12 random hexadecimal digits, with which the catalog's births begin. */
public final class CatalogIds {

  public static final int LENGTH = 12;

  private static final Pattern ID = Pattern.compile("[0-9a-f]{" + LENGTH + "}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private CatalogIds() {}

  static String random() {
    return "%012x".formatted(RANDOM.nextLong() >>> 16);
  }

  static boolean isOne(String text) {
    return ID.matcher(text).matches();
  }
}
