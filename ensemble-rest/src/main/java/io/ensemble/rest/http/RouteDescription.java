package io.ensemble.rest.http;

import java.util.ArrayList;
import java.util.List;

/**
 * What the OpenAPI document says of a route besides its method and path.
 *
 * @param id unique, as {@code createCache}
 * @param tag the group that it is of
 * @param answers the statuses of success
 * @param problems what may go wrong, besides {@link ProblemType#EVERYWHERE}
 * @param requestType the media type of the body; empty for none, or any
 * @param requestSchema the schema of the body in the document; empty for none, or bytes
 * @param parameters of query and header, and headers that answers of success may have
 */
public record RouteDescription(
    String id,
    String tag,
    String summary,
    List<Answer> answers,
    List<ProblemType> problems,
    String requestType,
    String requestSchema,
    List<Parameter> parameters) {

  /** Where headers are that answers have. */
  public static final String ANSWER = "answer";

  /**
   * An answer of success.
   *
   * @param type of its body; empty for none
   * @param schema of its body; empty for bytes, or none
   */
  public record Answer(int status, String text, String type, String schema) {}

  /**
   * A parameter.
   *
   * @param in {@code query}, {@code header}, or {@link #ANSWER}
   * @param schema a schema of the document, or {@code string}, {@code integer} or {@code boolean}
   */
  public record Parameter(String in, String name, String schema, String text) {}

  /** Starts a description. */
  public static RouteDescription of(String id, String tag, String summary) {
    return new RouteDescription(id, tag, summary, List.of(), List.of(), "", "", List.of());
  }

  /** With an answer of JSON. */
  public RouteDescription json(int status, String text, String schema) {
    return answer(new Answer(status, text, "application/json", schema));
  }

  /** With an answer of a type. */
  public RouteDescription bytes(int status, String text, String type) {
    return answer(new Answer(status, text, type, ""));
  }

  /** With an answer without a body. */
  public RouteDescription empty(int status, String text) {
    return answer(new Answer(status, text, "", ""));
  }

  private RouteDescription answer(Answer one) {
    return new RouteDescription(
        id,
        tag,
        summary,
        more(answers, List.of(one)),
        problems,
        requestType,
        requestSchema,
        parameters);
  }

  /** With problems that may come. */
  public RouteDescription fails(ProblemType... types) {
    return new RouteDescription(
        id,
        tag,
        summary,
        answers,
        more(problems, List.of(types)),
        requestType,
        requestSchema,
        parameters);
  }

  /** With a body. */
  public RouteDescription takes(String type, String schema) {
    return new RouteDescription(id, tag, summary, answers, problems, type, schema, parameters);
  }

  /** With a parameter of the query. */
  public RouteDescription query(String name, String schema, String text) {
    return parameter(new Parameter("query", name, schema, text));
  }

  /** With a header of answers of success. */
  public RouteDescription gives(String name, String text) {
    return parameter(new Parameter(ANSWER, name, "string", text));
  }

  /** With a header. */
  public RouteDescription header(String name, String schema, String text) {
    return parameter(new Parameter("header", name, schema, text));
  }

  private RouteDescription parameter(Parameter one) {
    return new RouteDescription(
        id,
        tag,
        summary,
        answers,
        problems,
        requestType,
        requestSchema,
        more(parameters, List.of(one)));
  }

  private static <T> List<T> more(List<T> before, List<T> others) {
    List<T> all = new ArrayList<>(before);
    all.addAll(others);
    return List.copyOf(all);
  }
}
