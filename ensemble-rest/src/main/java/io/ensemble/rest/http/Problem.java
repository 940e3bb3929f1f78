package io.ensemble.rest.http;

import io.ensemble.rest.json.StrictJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A problem document (RFC 9457).
 *
 * @param detail the expected value, the actual one, and the place
 * @param members further members, by name
 * @param headers headers of the response
 */
public record Problem(
    ProblemType type, String detail, Map<String, Object> members, Map<String, String> headers) {

  private static final int LONGEST_SHOWN = 80;
  private static final Pattern HALF_PAIR = Pattern.compile("\\p{Cs}");

  /** An exception with a problem, to be thrown. */
  public static ProblemException of(ProblemType type, String detail) {
    return new ProblemException(bare(type, detail));
  }

  /** A problem with the required members only. */
  public static Problem bare(ProblemType type, String detail) {
    return new Problem(type, detail, Map.of(), Map.of());
  }

  /** A field, parameter or header with an invalid value. */
  public static ProblemException invalid(String field, String expected, String actual) {
    return new ProblemException(
        mismatch(ProblemType.INVALID_FIELD, Map.of("field", field), expected, actual));
  }

  /** A value differs from the expected one. */
  public static Problem mismatch(ProblemType type, String expected, String actual) {
    return mismatch(type, Map.of(), expected, actual);
  }

  private static Problem mismatch(
      ProblemType type, Map<String, Object> extraMembers, String expected, String actual) {
    String detail = "expected %s; got %s".formatted(expected, abbreviate(actual));
    return new Problem(type, detail, extraMembers, Map.of())
        .with("expected", expected)
        .with("got", abbreviate(actual));
  }

  /** The thing does not exist. */
  public static ProblemException notFound(String kind, String name) {
    return new ProblemException(
        bare(ProblemType.NOT_FOUND, "there is no %s '%s'".formatted(kind, abbreviate(name)))
            .with(kind, abbreviate(name)));
  }

  /** The same problem with one more member. */
  public Problem with(String member, Object value) {
    Map<String, Object> newMembers = new LinkedHashMap<>(members);
    newMembers.put(member, value);
    return new Problem(type, detail, newMembers, headers);
  }

  /** The same problem with another detail. */
  Problem withDetail(String newDetail) {
    return new Problem(type, newDetail, members, headers);
  }

  /** The same problem without a member. */
  Problem without(String member) {
    Map<String, Object> newMembers = new LinkedHashMap<>(members);
    newMembers.remove(member);
    return new Problem(type, detail, newMembers, headers);
  }

  /** The same problem with one more header. */
  public Problem header(String name, String value) {
    Map<String, String> newHeaders = new LinkedHashMap<>(headers);
    newHeaders.put(name, value);
    return new Problem(type, detail, members, newHeaders);
  }

  /** The response to a request for {@code target}. */
  public RestResponse reply(String target) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", type.uri());
    document.put("title", type.title());
    document.put("status", type.status());
    document.put("detail", detail);
    document.put("instance", target);
    document.put("retrySafe", type.retrySafe());
    document.putAll(members);
    RestResponse reply =
        RestResponse.of(type.status(), "application/problem+json", StrictJson.bytes(document));
    for (Map.Entry<String, String> header : headers.entrySet()) {
      reply = reply.with(header.getKey(), header.getValue());
    }
    return reply;
  }

  /** The received text, shortened for display, as text that UTF-8 can encode. */
  public static String abbreviate(String text) {
    boolean isShort = text.length() <= LONGEST_SHOWN;
    boolean splitsPair = !isShort && Character.isHighSurrogate(text.charAt(LONGEST_SHOWN - 1));
    String prefix = isShort ? text : text.substring(0, LONGEST_SHOWN - (splitsPair ? 1 : 0)) + "…";
    return HALF_PAIR.matcher(prefix).replaceAll("\uFFFD");
  }
}
