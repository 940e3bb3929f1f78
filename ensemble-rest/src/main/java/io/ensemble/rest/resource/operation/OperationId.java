package io.ensemble.rest.resource.operation;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.rest.http.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identifier of a long-running operation. That of a change or a drain is derived from the
 * catalog. So every process can report its progress and its result, also if another process began
 * it.
 *
 * @param number the configuration, or the generation of parts, that the operation leads to, or
 *     would lead to without restarts; 0 for another kind
 * @param cacheId the birth of the cache; empty for another kind
 * @param targetDigest a digest of the new definition, which tells two changes to one number apart;
 *     empty for another kind
 * @param name the cache, or the site
 */
public record OperationId(
    Kind kind, long number, String cacheId, String targetDigest, String name) {

  private static final Pattern CHANGE =
      Pattern.compile("(change|parts)\\.([0-9]{1,18})\\.([0-9a-f]{12,16})\\.([0-9a-f]{8})\\.(.+)");
  private static final Pattern NAMED = Pattern.compile("(drain|recover|clear)\\.(.+)");
  private static final int AIM_DIGITS = 8;
  private static final int CATALOG_DIGITS = 12;

  enum Kind {
    /** A change of a cache's configuration. */
    CHANGE,
    /** A change of a distributed cache's parts. */
    PARTS,
    /** A drain of a site. */
    DRAIN,
    /** A recovery of a site, known to the service that carries it out. */
    RECOVER,
    /** A removal of all entries of a cache, known to the service that carries it out. */
    CLEAR;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the operation concerns a site; otherwise it concerns a cache. */
    boolean isOfSite() {
      return this == DRAIN || this == RECOVER;
    }

    /** Whether only the service that carries the operation out reports it. */
    boolean isOfService() {
      return this == RECOVER || this == CLEAR;
    }
  }

  /** The change in progress in {@code stored}. */
  public static OperationId of(StoredDefinition stored) {
    return new OperationId(
        Kind.CHANGE,
        stored.leadsFrom() + 1, // The same number after a restart of the change.
        shortCacheId(stored),
        digest(stored.change().orElseThrow().to().toString()),
        stored.definition().name());
  }

  /** The change of parts in progress in {@code stored}. */
  public static OperationId of(StoredDistribution stored) {
    return new OperationId(
        Kind.PARTS,
        stored.generation() + 1,
        stored.birth(),
        digest(stored.growth().orElseThrow().to().toString()),
        stored.definition().name());
  }

  /** Whether the operation leads to {@code definition}. */
  boolean isLeadingTo(Object definition) {
    return targetDigest.equals(digest(definition.toString()));
  }

  public static String drain(String site) {
    return "drain." + site;
  }

  public static OperationId recover(String site) {
    return new OperationId(Kind.RECOVER, 0, "", "", site);
  }

  public static OperationId clear(String cache) {
    return new OperationId(Kind.CLEAR, 0, "", "", cache);
  }

  static String shortCacheId(StoredDefinition stored) {
    return stored.birth().substring(CATALOG_DIGITS);
  }

  /**
   * @throws io.ensemble.rest.http.ProblemException if the text is not an identifier
   */
  public static OperationId parse(String text) {
    Matcher named = NAMED.matcher(text);
    if (named.matches()) {
      Kind kind = Kind.valueOf(named.group(1).toUpperCase(Locale.ROOT));
      return new OperationId(kind, 0, "", "", named.group(2));
    }
    Matcher change = CHANGE.matcher(text);
    if (!change.matches()) {
      throw Problem.notFound("operation", text);
    }
    return new OperationId(
        change.group(1).equals("parts") ? Kind.PARTS : Kind.CHANGE,
        Long.parseLong(change.group(2)),
        change.group(3),
        change.group(4),
        change.group(5));
  }

  /** The form in addresses. */
  public String text() {
    return switch (kind) {
      case DRAIN, RECOVER, CLEAR -> kind.word() + "." + name;
      case CHANGE -> "change.%d.%s.%s.%s".formatted(number, cacheId, targetDigest, name);
      case PARTS -> "parts.%d.%s.%s.%s".formatted(number, cacheId, targetDigest, name);
    };
  }

  private static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, AIM_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
