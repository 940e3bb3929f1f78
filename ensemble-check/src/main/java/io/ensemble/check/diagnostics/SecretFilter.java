package io.ensemble.check.diagnostics;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Removes secrets from a text: the values that are known, and what stands where secrets usually
 * stand. The second rule is a net below the first one, and below the rule that a bundle is composed
 * of fields that hold no secret.
 *
 * <p>A known value of fewer than {@value #SHORTEST} characters is not searched, because it would
 * remove parts of ordinary words.
 */
public final class SecretFilter {

  /** What stands in place of a secret. */
  public static final String REMOVED = "[removed]";

  static final int SHORTEST = 4;

  /** A name that ends like that of a secret, and its value; a reference to a secret stays. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)((?:password|passwd|pwd|secret|token|api[-_]?key|private[-_]?key|credential)s?"
              + "[\"']?\\s*[=:]\\s*)(?!(?:null|true|false)\\b)"
              + "(?:\"(?:[^\"\\\\\\n]|\\\\.)*\"|'[^'\\n]*'|[^\\s,;&\"'<>{}\\[\\]]+)");

  private static final Pattern AUTHORIZATION =
      Pattern.compile("(?i)\\b(Bearer|Basic|Digest)\\s+[A-Za-z0-9+/=._~-]{8,}");
  private static final Pattern USER_INFO = Pattern.compile("(://)[^/@\\s\"']+@");
  private static final Pattern PEM =
      Pattern.compile("(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*KEY-----|\\z)");

  private final List<String> known;

  /**
   * @param secrets the values of passwords, tokens and keys
   */
  public SecretFilter(Collection<String> secrets) {
    TreeSet<String> all =
        new TreeSet<>(
            Comparator.comparingInt(String::length).reversed().thenComparing(text -> text));
    secrets.stream()
        .map(String::strip)
        .flatMap(secret -> Stream.of(secret, inJson(secret), inXml(secret)))
        .filter(secret -> secret.length() >= SHORTEST)
        .forEach(all::add);
    this.known = List.copyOf(all);
  }

  private static String inJson(String secret) {
    return secret.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  private static String inXml(String secret) {
    return secret.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  /** The text without secrets. */
  public String clean(String text) {
    String cleaned = text;
    for (String secret : known) { // The longest first: one may contain another.
      cleaned = cleaned.replace(secret, REMOVED);
    }
    cleaned = PEM.matcher(cleaned).replaceAll(REMOVED);
    cleaned = AUTHORIZATION.matcher(cleaned).replaceAll("$1 " + REMOVED);
    cleaned = USER_INFO.matcher(cleaned).replaceAll("$1" + REMOVED + "@");
    return NAMED
        .matcher(cleaned)
        .replaceAll(
            found -> {
              String value = found.group().substring(found.group(1).length());
              boolean quoted = value.startsWith("\"");
              return Matcher.quoteReplacement(
                  found.group(1) + (quoted ? "\"" + REMOVED + "\"" : REMOVED));
            });
  }
}
