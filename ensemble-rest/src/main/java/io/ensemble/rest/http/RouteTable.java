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

/** All operations of the service, as data, and the search for the route of a request. Immutable. */
public final class RouteTable {

  private final List<RestRoute> all;
  private final List<Known> known;

  private record Known(PathTemplate template, RestRoute route) {}

  /** A route, and the parameters of the path. */
  public record Found(RestRoute route, Map<String, String> parameters) {}

  /**
   * @throws IllegalArgumentException if two routes are the same
   */
  public RouteTable(List<RestRoute> routes) {
    all = List.copyOf(routes);
    Set<String> names = new HashSet<>();
    List<Known> parsed = new ArrayList<>();
    for (RestRoute route : all) {
      if (!names.add(route.method() + " " + route.path()) || !names.add(route.id())) {
        throw new IllegalArgumentException(
            "two routes have the same method and path, or the same id: "
                + route.method()
                + route.path());
      }
      parsed.add(new Known(PathTemplate.parse(route.path()), route));
    }
    parsed.sort(Comparator.comparingLong((Known one) -> one.template().words()).reversed());
    known = List.copyOf(parsed);
  }

  /** All routes, in their original order. */
  public List<RestRoute> all() {
    return all;
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
    List<String> path =
        PathTemplate.split(rawPath).stream()
            .map(segment -> PercentEncoding.decode(segment, false))
            .toList();
    String wanted = method.equals("HEAD") ? "GET" : method;
    Set<String> others = new TreeSet<>();
    String first = null;
    for (Known one : known) {
      Optional<Map<String, String>> parameters = one.template().match(path);
      // If a word matches where another template has a parameter, the other template does not
      // apply.
      if (parameters.isPresent() && (first == null || first.equals(one.route().path()))) {
        first = one.route().path();
        if (one.route().method().name().equals(wanted)) {
          return new Found(one.route(), parameters.get());
        }
        others.add(one.route().method().name());
      }
    }
    if (others.isEmpty()) {
      throw Problem.notFound("address", rawPath);
    }
    if (others.contains("GET")) {
      others.add("HEAD");
    }
    throw new ProblemException(
        Problem.bare(
                ProblemType.METHOD_NOT_ALLOWED,
                "expected one of %s; got %s"
                    .formatted(others, Problem.shown(method.toUpperCase(Locale.ROOT))))
            .header("Allow", String.join(", ", others)));
  }
}
