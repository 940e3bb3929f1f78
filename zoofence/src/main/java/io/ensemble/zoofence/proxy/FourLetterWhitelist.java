package io.ensemble.zoofence.proxy;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The four-letter words that a proxy answers, with the meaning of ZooKeeper's {@code
 * 4lw.commands.whitelist}.
 *
 * @param words the words; {@code *} stands for all
 */
public record FourLetterWhitelist(Set<String> words) {
  /** ZooKeeper's property. */
  static final String PROPERTY = "zookeeper.4lw.commands.whitelist";

  private static final String ANY = "*";

  /** All words that a proxy has. */
  public static final FourLetterWhitelist ALL = new FourLetterWhitelist(Set.of(ANY));

  public FourLetterWhitelist {
    words = Set.copyOf(words);
  }

  /**
   * Reads words that are separated by commas, as in a configuration of ZooKeeper. Words that a
   * proxy does not have are without effect.
   *
   * @param text the words, or {@code *} for all; null for the default, which is all. ZooKeeper's
   *     default is {@code srvr} alone
   */
  public static FourLetterWhitelist parse(@Nullable String text) {
    return text == null
        ? ALL
        : new FourLetterWhitelist(
            Arrays.stream(text.split(","))
                .map(String::trim)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toSet()));
  }

  static FourLetterWhitelist fromProperties() {
    return parse(System.getProperty(PROPERTY));
  }

  boolean allows(String word) {
    return words.contains(ANY) || words.contains(word);
  }
}
