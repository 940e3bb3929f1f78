package io.ensemble.rest.http;

import java.util.ArrayList;
import java.util.List;

/**
 * The content of the OpenAPI document for a route, besides its method and path.
 *
 * @param id unique, as {@code createCache}
 * @param tag the group of the route
 * @param answers the statuses of success
 * @param problems the possible problems, besides {@link ProblemType#EVERYWHERE}
 * @param requestType the media type of the body; empty for none, or any
 * @param requestSchema the schema of the body in the document; empty for none, or bytes
 * @param parameters query parameters, request headers, and headers of successful responses
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

  /** The location of response headers. */
  public static final String ANSWER = "answer";

  /**
   * A successful response.
   *
   * @param type the media type of its body; empty for none
   * @param schema the schema of its body; empty for bytes, or none
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

  /** Adds a JSON response. */
  public RouteDescription json(int status, String text, String schema) {
    return addAnswer(new Answer(status, text, "application/json", schema));
  }

  /** Adds a response of a media type. */
  public RouteDescription bytes(int status, String text, String type) {
    return addAnswer(new Answer(status, text, type, ""));
  }

  /** Adds a response without a body. */
  public RouteDescription empty(int status, String text) {
    return addAnswer(new Answer(status, text, "", ""));
  }

  private RouteDescription addAnswer(Answer answer) {
    return new RouteDescription(
        id,
        tag,
        summary,
        append(answers, List.of(answer)),
        problems,
        requestType,
        requestSchema,
        parameters);
  }

  /** Adds possible problems. */
  public RouteDescription fails(ProblemType... types) {
    return new RouteDescription(
        id,
        tag,
        summary,
        answers,
        append(problems, List.of(types)),
        requestType,
        requestSchema,
        parameters);
  }

  /** Sets the body. */
  public RouteDescription takes(String type, String schema) {
    return new RouteDescription(id, tag, summary, answers, problems, type, schema, parameters);
  }

  /** Adds a query parameter. */
  public RouteDescription query(String name, String schema, String text) {
    return addParameter(new Parameter("query", name, schema, text));
  }

  /** Adds a header of successful responses. */
  public RouteDescription gives(String name, String text) {
    return addParameter(new Parameter(ANSWER, name, "string", text));
  }

  /** Adds a request header. */
  public RouteDescription header(String name, String schema, String text) {
    return addParameter(new Parameter("header", name, schema, text));
  }

  private RouteDescription addParameter(Parameter parameter) {
    return new RouteDescription(
        id,
        tag,
        summary,
        answers,
        problems,
        requestType,
        requestSchema,
        append(parameters, List.of(parameter)));
  }

  private static <T> List<T> append(List<T> existing, List<T> additions) {
    List<T> joined = new ArrayList<>(existing);
    joined.addAll(additions);
    return List.copyOf(joined);
  }
}
