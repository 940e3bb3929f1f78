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

  /** The end of the name of a secret. */
  private static final String NAME =
      "(?:password|passwd|pwd|passphrase|secret|token|api[-_]?key|private[-_]?key|credential)s?";

  /** A text in quotes, which may be cut, or in the escaped quotes of JSON within JSON. */
  private static final String QUOTED =
      "(?:(\\\\++)\"(?:[^\"\\\\\\n]++|(?!\\2\")\\\\++\"?)*+(?:\\2\")?"
          + "|\"(?:[^\"\\\\\\n]++|\\\\.)*+\"?|'[^'\\n]*+'?)";

  /** A text without quotes: only a space or a quote is not in a secret. */
  private static final String BARE = "(?!\\{(?:[\\s\"'\\\\]|\\z))[^\\s\"']++";

  private static final String LIST = "\\[(?!\\s*\\])(?:[^\\]]++|\\](?=[\\w+/=.~!@#$%^&*-]))*+\\]?";

  /** A value that is no secret, and not the beginning of one. */
  private static final String NO_SECRET =
      "(?!(?:null|true|false)(?=[,;})\\]]*+(?:[\\s\"'{<]|\\\\[n\"]|\\z)))";

  /** A name that ends like that of a secret, and its value; a reference to a secret stays. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)("
              + NAME
              + "\\\\*[\"']?\\s*+[=:]\\s*+)"
              + NO_SECRET
              + "(?:"
              + QUOTED
              + "|\\[removed\\][^\\s\"']*+|"
              + LIST
              + "|(?!\\[\\s*\\])"
              + BARE
              + ")");

  /** A number in JSON, which ends before the comma. */
  private static final Pattern NUMBER =
      Pattern.compile("(?i)(" + NAME + "\"\\s*+:\\s*+)-?[0-9][0-9.e+-]*+(?=\\s*+[,}])");

  /** An option of a command, its value behind it, perhaps as the next element of a list. */
  private static final Pattern OPTION =
      Pattern.compile(
          "(?i)((?<![\\w.-])--?[\\w.-]*"
              + NAME
              + "(?:[ \\t]++|[\"']\\s*+,\\s*+(?=[\"'])))(?!-)(?:"
              + QUOTED
              + "|"
              + BARE
              + ")");

  /** A user of a JAAS file with its password. */
  private static final Pattern JAAS_USER =
      Pattern.compile("(?i)(\\buser_[^\\s=\"']++\\s*+=\\s*+)" + QUOTED);

  private static final Pattern ELEMENT =
      Pattern.compile(
          "(?i)(<[^<>\\s/]*"
              + NAME
              + "(?:\\s[^<>]*+)?>)\\s*+"
              + "(?:<!\\[CDATA\\[(?:[^\\]]++|\\](?!\\]>))*+(?:\\]\\]>)?|[^<\\s][^<]*+)");

  private static final Pattern HEADER =
      Pattern.compile("(?i)((?:authorization|cookie)\\\\*[\"']?[ \\t]*+[=:])[^\\r\\n]++");

  private static final Pattern AUTHORIZATION =
      Pattern.compile("(?i)\\b(Bearer|Basic|Digest)\\s+[A-Za-z0-9+/=._~-]{8,}");
  private static final Pattern USER_INFO = Pattern.compile("(://)[^/@\\s\"']+@");
  private static final String PEM_BEGIN = "-----BEGIN [A-Z ]*PRIVATE KEY-----";
  private static final Pattern PEM =
      Pattern.compile("(?s)" + PEM_BEGIN + ".*?(-----END [A-Z ]*KEY-----|\\z)");
  private static final Pattern PEM_EDGE =
      Pattern.compile(PEM_BEGIN + "|(-----END [A-Z ]*PRIVATE KEY-----)");

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
    cleaned = PEM.matcher(withoutCutKey(cleaned)).replaceAll(REMOVED);
    cleaned = HEADER.matcher(cleaned).replaceAll("$1 " + REMOVED);
    cleaned = AUTHORIZATION.matcher(cleaned).replaceAll("$1 " + REMOVED);
    cleaned = USER_INFO.matcher(cleaned).replaceAll("$1" + REMOVED + "@");
    cleaned = ELEMENT.matcher(cleaned).replaceAll("$1" + REMOVED);
    cleaned = NUMBER.matcher(cleaned).replaceAll("$1\"" + REMOVED + "\"");
    cleaned = replaced(OPTION, cleaned);
    cleaned = replaced(JAAS_USER, cleaned);
    return replaced(NAMED, cleaned);
  }

  /** A text whose beginning is cut may begin within a key. */
  private static String withoutCutKey(String text) {
    Matcher edge = PEM_EDGE.matcher(text);
    return edge.find() && edge.group(1) != null ? REMOVED + text.substring(edge.end()) : text;
  }

  private static String replaced(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .replaceAll(
            found -> {
              String value = found.group().substring(found.group(1).length());
              return Matcher.quoteReplacement(found.group(1) + inQuotesOf(value));
            });
  }

  /** Keeps the quotes of a value, so that JSON stays JSON. */
  private static String inQuotesOf(String value) {
    if (value.startsWith("[") && !value.startsWith(REMOVED)) {
      return value.contains("\\\"") ? "[\\\"" + REMOVED + "\\\"]" : "[\"" + REMOVED + "\"]";
    }
    int quote = 0;
    while (quote < value.length() && value.charAt(quote) == '\\') {
      quote++;
    }
    boolean quoted = quote < value.length() && value.charAt(quote) == '"';
    String mark = quoted ? value.substring(0, quote + 1) : "";
    return mark + REMOVED + mark;
  }
}
