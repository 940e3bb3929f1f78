package io.ensemble.rest.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The precondition of a request on an existing thing (RFC 9110, section 13). A null list means an
 * absent header; an empty one means {@code *}.
 */
public record Precondition(@Nullable List<String> match, @Nullable List<String> noneMatch) {

  private static final Pattern ETAG = Pattern.compile("\\s*(W/)?(\"[\\x21\\x23-\\x7e]*\")\\s*");
  private static final int MOST = 64;

  /** Requires that nothing exists. */
  public static final Precondition ABSENT = new Precondition(null, List.of());

  /**
   * The precondition of a request; empty if it has none.
   *
   * @throws ProblemException if a header has no tags, or too many
   */
  public static Precondition of(RequestHead head) {
    return new Precondition(readTags(head, "If-Match"), readTags(head, "If-None-Match"));
  }

  private static @Nullable List<String> readTags(RequestHead head, String name) {
    Optional<String> header = head.header(name);
    if (header.isEmpty()) {
      return null;
    }
    if (header.get().strip().equals("*")) {
      return List.of();
    }
    List<String> tags = new ArrayList<>();
    for (String text : header.get().split(",", MOST + 1)) {
      Matcher tag = ETAG.matcher(text);
      if (!tag.matches() || tags.size() == MOST) {
        throw Problem.invalid(name, "* or at most %d quoted tags".formatted(MOST), header.get());
      }
      // A weak tag is never strongly equal, and all tags of this service are strong.
      tags.add(tag.group(1) == null || name.equals("If-None-Match") ? tag.group(2) : "");
    }
    return tags;
  }

  /** Whether there is no precondition. */
  public boolean isEmpty() {
    return match == null && noneMatch == null;
  }

  /** Whether one of the reader's tags is the tag of the present value. */
  public boolean isNotModified(String etag) {
    return noneMatch != null && (noneMatch.isEmpty() || noneMatch.contains(etag));
  }

  /**
   * @param etag the tag of the present value; null if nothing exists
   * @throws ProblemException if the precondition does not hold
   */
  public void check(@Nullable String etag) {
    boolean matches = match == null || (etag != null && (match.isEmpty() || match.contains(etag)));
    boolean differs =
        noneMatch == null || etag == null || !(noneMatch.isEmpty() || noneMatch.contains(etag));
    if (!matches || !differs) {
      Problem problem =
          Problem.bare(
                  ProblemType.PRECONDITION_FAILED,
                  "expected %s; got %s".formatted(describe(), etag == null ? "no entry" : etag))
              .with("field", matches ? "If-None-Match" : "If-Match");
      throw new ProblemException(
          etag == null ? problem : problem.with("etag", etag).header("ETag", etag));
    }
  }

  private String describe() {
    List<String> conditions = new ArrayList<>();
    if (match != null) {
      conditions.add("one of " + (match.isEmpty() ? "all tags" : match.toString()));
    }
    if (noneMatch != null) {
      conditions.add("none of " + (noneMatch.isEmpty() ? "all tags" : noneMatch.toString()));
    }
    return String.join(", ", conditions);
  }
}
