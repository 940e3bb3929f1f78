package io.ensemble.rest.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * All operations of the service, as data, and the search for the route of a request. Each path also
 * has its route below {@value #VERSION}: paths without a version are those of version 1. Immutable.
 */
public final class RouteTable {

  /** The first segment of paths with a version. */
  public static final String VERSION = "/v1";

  private final List<RestRoute> routes;
  private final List<Known> sortedRoutes;

  private record Known(PathTemplate template, RestRoute route) {}

  /** A route, and the parameters of the path. */
  public record Found(RestRoute route, Map<String, String> parameters) {}

  /**
   * @throws IllegalArgumentException if two routes are the same
   */
  public RouteTable(List<RestRoute> routes) {
    this.routes = List.copyOf(routes);
    Set<String> names = new HashSet<>();
    List<Known> parsed = new ArrayList<>();
    for (RestRoute route : this.routes) {
      if (!names.add(route.method() + " " + route.path()) || !names.add(route.id())) {
        throw new IllegalArgumentException(
            "two routes have the same method and path, or the same id: "
                + route.method()
                + route.path());
      }
      parsed.add(new Known(PathTemplate.parse(route.path()), route));
    }
    parsed.sort(
        Comparator.comparingLong((Known route) -> route.template().countWords()).reversed());
    sortedRoutes = List.copyOf(parsed);
  }

  /** All routes, in their original order. */
  public List<RestRoute> routes() {
    return routes;
  }

  /**
   * Finds the route of a request.
   *
   * @param rawPath the path in its encoded form
   * @throws ProblemException if there is no route
   */
  public Found find(String method, String rawPath) {
    if (!rawPath.startsWith("/")) {
      throw Problem.of(ProblemType.MALFORMED, "a path must begin with a slash");
    }
    String unversionedPath =
        rawPath.startsWith(VERSION + "/") ? rawPath.substring(VERSION.length()) : rawPath;
    List<String> path =
        PathTemplate.split(unversionedPath).stream()
            .map(segment -> PercentEncoding.decode(segment, false))
            .toList();
    String routedMethod = method.equals("HEAD") ? "GET" : method;
    Set<String> allowedMethods = new TreeSet<>();
    String matchedPath = null;
    for (Known candidate : sortedRoutes) {
      Optional<Map<String, String>> parameters = candidate.template().match(path);
      // If a word matches where another template has a parameter, the other template does not
      // apply.
      if (parameters.isPresent()
          && (matchedPath == null || matchedPath.equals(candidate.route().path()))) {
        matchedPath = candidate.route().path();
        if (candidate.route().method().name().equals(routedMethod)) {
          return new Found(candidate.route(), parameters.get());
        }
        allowedMethods.add(candidate.route().method().name());
      }
    }
    if (allowedMethods.isEmpty()) {
      throw Problem.notFound("address", rawPath);
    }
    if (allowedMethods.contains("GET")) {
      allowedMethods.add("HEAD");
    }
    throw new ProblemException(
        Problem.bare(
                ProblemType.METHOD_NOT_ALLOWED,
                "expected one of %s; got %s"
                    .formatted(allowedMethods, Problem.abbreviate(method.toUpperCase(Locale.ROOT))))
            .header("Allow", String.join(", ", allowedMethods)));
  }
}
