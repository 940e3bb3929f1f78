package io.ensemble.rest.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.http.RouteTable;
import io.ensemble.rest.json.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates the OpenAPI document. */
public final class OpenApi {

  private static final Pattern PARAMETER = Pattern.compile("\\{([a-z]+)}");
  private static final String PROBLEM = "application/problem+json";

  /**
   * All authentication schemes; each service reports the ones that it accepts in WWW-Authenticate.
   */
  private static final Map<String, Object> SCHEMES = securitySchemes();

  /** The schemas of path parameters. */
  private static final Map<String, String> IN_PATHS =
      Map.of("cache", "Name", "site", "Name", "version", "Moment");

  private OpenApi() {}

  /** The document of these routes, as JSON. */
  public static byte[] of(List<RestRoute> routes) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("openapi", "3.1.0");
    document.put(
        "info",
        StrictJson.object(
            "title",
            "Ensemble",
            "version",
            "1",
            "description",
            "A data grid over several independent Infinispan clusters. Paths that support GET also "
                + "support HEAD."));
    document.put(
        "servers",
        List.of(
            StrictJson.object("url", RouteTable.VERSION, "description", "Version 1"),
            StrictJson.object("url", "/", "description", "The same without a version")));
    JsonNode schemas = schemas();
    document.put("paths", paths(routes, schemas));
    document.put("components", StrictJson.object("schemas", schemas, "securitySchemes", SCHEMES));
    return StrictJson.bytes(document);
  }

  private static Map<String, Object> securitySchemes() {
    Map<String, Object> schemes = new LinkedHashMap<>();
    schemes.put("bearer", StrictJson.object("type", "http", "scheme", "bearer"));
    schemes.put("basic", StrictJson.object("type", "http", "scheme", "basic"));
    schemes.put("clientCertificate", Map.of("type", "mutualTLS"));
    return schemes;
  }

  private static Map<String, Object> paths(List<RestRoute> routes, JsonNode schemas) {
    Map<String, Object> paths = new LinkedHashMap<>();
    for (RestRoute route : routes) {
      @SuppressWarnings("unchecked") // Created by this class, below.
      Map<String, Object> path =
          (Map<String, Object>)
              paths.computeIfAbsent(route.path(), one -> new LinkedHashMap<String, Object>());
      path.put(route.method().name().toLowerCase(Locale.ROOT), operation(route, schemas));
    }
    return paths;
  }

  private static Map<String, Object> operation(RestRoute route, JsonNode schemas) {
    RouteDescription described = route.description();
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("operationId", described.id());
    operation.put("tags", List.of(described.tag()));
    operation.put("summary", described.summary());
    operation.put("x-role", route.role().name().toLowerCase(Locale.ROOT));
    operation.put(
        "security",
        route.role() == Role.NONE
            ? List.of()
            : SCHEMES.keySet().stream().map(one -> Map.of(one, List.of())).toList());
    List<Object> parameters = parameters(route);
    if (!parameters.isEmpty()) {
      operation.put("parameters", parameters);
    }
    if (!described.requestType().isEmpty()) {
      operation.put(
          "requestBody",
          StrictJson.object(
              "required",
              schemas.path(described.requestSchema()).has("required"),
              "content",
              Map.of(described.requestType(), body(described.requestSchema()))));
    }
    operation.put("responses", responses(route));
    return operation;
  }

  private static List<Object> parameters(RestRoute route) {
    List<Object> parameters = new ArrayList<>();
    Matcher names = PARAMETER.matcher(route.path());
    while (names.find()) {
      String name = names.group(1);
      Map<String, Object> parameter =
          StrictJson.object("in", "path", "name", name, "required", true);
      parameter.put("schema", schema(IN_PATHS.getOrDefault(name, "Segment")));
      parameters.add(parameter);
    }
    for (RouteDescription.Parameter one : route.description().parameters()) {
      if (one.in().equals(RouteDescription.ANSWER)) {
        continue;
      }
      Map<String, Object> parameter =
          StrictJson.object("in", one.in(), "name", one.name(), "description", one.text());
      parameter.put("required", false);
      parameter.put("schema", schema(one.schema()));
      parameters.add(parameter);
    }
    return parameters;
  }

  private static Map<String, Object> responses(RestRoute route) {
    Map<String, Object> responses = new TreeMap<>();
    for (RouteDescription.Answer answer : route.description().answers()) {
      Map<String, Object> response = new LinkedHashMap<>();
      response.put("description", answer.text());
      Map<String, Object> headers = new TreeMap<>();
      for (RouteDescription.Parameter one : route.description().parameters()) {
        if (one.in().equals(RouteDescription.ANSWER)) {
          headers.put(
              one.name(),
              Map.of("description", one.text(), "schema", Map.of("type", one.schema())));
        }
      }
      if (!headers.isEmpty()) {
        response.put("headers", headers);
      }
      if (!answer.type().isEmpty()) {
        response.put("content", Map.of(answer.type(), body(answer.schema())));
      }
      responses.put(String.valueOf(answer.status()), response);
    }
    Map<Integer, List<ProblemType>> byStatus =
        problems(route)
            .distinct()
            .collect(Collectors.groupingBy(ProblemType::status, TreeMap::new, Collectors.toList()));
    byStatus.forEach(
        (status, types) ->
            responses.put(
                String.valueOf(status),
                Map.of(
                    "description",
                    types.stream().map(ProblemType::uri).collect(Collectors.joining(", ")),
                    "content",
                    Map.of(PROBLEM, body("Problem")))));
    return responses;
  }

  private static Stream<ProblemType> problems(RestRoute route) {
    Stream<ProblemType> own =
        Stream.concat(ProblemType.EVERYWHERE.stream(), route.description().problems().stream());
    if (route.role() == Role.NONE) {
      return own.filter(
          type -> type != ProblemType.UNAUTHENTICATED && type != ProblemType.FORBIDDEN);
    }
    Stream<ProblemType> more = Stream.concat(own, ProblemType.OF_THE_CATALOG.stream());
    return route.method() == HttpMethod.GET
        ? more
        : Stream.concat(
            more, Stream.of(ProblemType.CHANGE_IN_PROGRESS, ProblemType.UNKNOWN_OUTCOME));
  }

  private static Map<String, Object> body(String schema) {
    return schema.isEmpty() ? Map.of() : Map.of("schema", schema(schema));
  }

  /** A schema of the document, if the name begins with a capital; otherwise a type. */
  private static Map<String, Object> schema(String name) {
    return Character.isUpperCase(name.charAt(0))
        ? Map.of("$ref", "#/components/schemas/" + name)
        : Map.of("type", name);
  }

  private static JsonNode schemas() {
    try (InputStream in = OpenApi.class.getResourceAsStream("schemas.json")) {
      if (in == null) {
        throw new AssertionError("the schemas are missing in the jar");
      }
      return StrictJson.parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
