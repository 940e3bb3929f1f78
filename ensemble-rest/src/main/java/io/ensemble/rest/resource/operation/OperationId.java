package io.ensemble.rest.resource.operation;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.rest.http.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of something that takes its time, made of what the catalog holds, so that every process
 * can tell how far it is, and what became of it, without having begun it.
 *
 * @param number the configuration, or the generation of parts, that it leads to, or would have if
 *     it was not restarted; 0 of a drain
 * @param birth which creation of the cache it is of; empty of a drain
 * @param aim a digest of what the cache shall be, by which two changes that lead to one number are
 *     told apart; empty of a drain
 * @param name of the cache, or the site
 */
public record OperationId(Kind kind, long number, String birth, String aim, String name) {

  private static final Pattern CHANGE =
      Pattern.compile("(change|parts)\\.([0-9]{1,18})\\.([0-9a-f]{12,16})\\.([0-9a-f]{8})\\.(.+)");
  private static final Pattern DRAIN = Pattern.compile("drain\\.(.+)");
  private static final int AIM_DIGITS = 8;
  private static final int CATALOG_DIGITS = 12;

  enum Kind {
    /** Of a cache's configuration. */
    CHANGE,
    /** Of a distributed cache's parts. */
    PARTS,
    /** Of a site. */
    DRAIN
  }

  /** The change that is under way in {@code stored}. */
  public static OperationId of(StoredDefinition stored) {
    return new OperationId(
        Kind.CHANGE,
        stored.leadsFrom() + 1, // The same after a restart.
        birth(stored),
        digest(stored.change().orElseThrow().to().toString()),
        stored.definition().name());
  }

  /** The change of parts that is under way in {@code stored}. */
  public static OperationId of(StoredDistribution stored) {
    return new OperationId(
        Kind.PARTS,
        stored.generation() + 1,
        stored.birth(),
        digest(stored.growth().orElseThrow().to().toString()),
        stored.definition().name());
  }

  /** Whether it leads to what {@code definition} is. */
  boolean leadsTo(Object definition) {
    return aim.equals(digest(definition.toString()));
  }

  public static String drain(String site) {
    return "drain." + site;
  }

  static String birth(StoredDefinition stored) {
    return stored.birth().substring(CATALOG_DIGITS);
  }

  /**
   * @throws io.ensemble.rest.http.ProblemException if it is none
   */
  public static OperationId parse(String text) {
    Matcher drain = DRAIN.matcher(text);
    if (drain.matches()) {
      return new OperationId(Kind.DRAIN, 0, "", "", drain.group(1));
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

  /** As it stands in addresses. */
  public String text() {
    return switch (kind) {
      case DRAIN -> drain(name);
      case CHANGE -> "change.%d.%s.%s.%s".formatted(number, birth, aim, name);
      case PARTS -> "parts.%d.%s.%s.%s".formatted(number, birth, aim, name);
    };
  }

  private static String digest(String of) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(of.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, AIM_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
