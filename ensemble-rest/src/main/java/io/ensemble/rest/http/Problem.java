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
  public static ProblemException invalid(String field, String wanted, String came) {
    return new ProblemException(
        other(ProblemType.INVALID_FIELD, Map.of("field", field), wanted, came));
  }

  /** A value differs from the expected one. */
  public static Problem other(ProblemType type, String wanted, String came) {
    return other(type, Map.of(), wanted, came);
  }

  private static Problem other(
      ProblemType type, Map<String, Object> where, String wanted, String came) {
    String detail = "expected %s; got %s".formatted(wanted, shown(came));
    return new Problem(type, detail, where, Map.of())
        .with("expected", wanted)
        .with("got", shown(came));
  }

  /** The thing does not exist. */
  public static ProblemException notFound(String what, String name) {
    return new ProblemException(
        bare(ProblemType.NOT_FOUND, "there is no %s '%s'".formatted(what, shown(name)))
            .with(what, shown(name)));
  }

  /** The same problem with one more member. */
  public Problem with(String member, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(members);
    more.put(member, value);
    return new Problem(type, detail, more, headers);
  }

  /** The same problem with another detail. */
  Problem saying(String other) {
    return new Problem(type, other, members, headers);
  }

  /** The same problem without a member. */
  Problem without(String member) {
    Map<String, Object> fewer = new LinkedHashMap<>(members);
    fewer.remove(member);
    return new Problem(type, detail, fewer, headers);
  }

  /** The same problem with one more header. */
  public Problem header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Problem(type, detail, members, more);
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
  public static String shown(String came) {
    boolean all = came.length() <= LONGEST_SHOWN;
    boolean inPair = !all && Character.isHighSurrogate(came.charAt(LONGEST_SHOWN - 1));
    String begin = all ? came : came.substring(0, LONGEST_SHOWN - (inPair ? 1 : 0)) + "…";
    return HALF_PAIR.matcher(begin).replaceAll("\uFFFD");
  }
}
