package io.ensemble.rest.resource;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.openapi.OpenApi;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The service's description of itself: the OpenAPI document and the list of problems. */
final class AboutResource {

  private static final String TAG = "about";

  private final List<RestRoute> ownRoutes;
  private final List<RestRoute> allRoutes;
  private byte @Nullable [] document;

  /**
   * @param otherRoutes the routes of all other groups
   */
  AboutResource(List<RestRoute> otherRoutes) {
    ownRoutes = createRoutes();
    List<RestRoute> routes = new ArrayList<>(otherRoutes);
    routes.addAll(ownRoutes);
    allRoutes = List.copyOf(routes);
  }

  /**
   * Created at the first request: few clients ask for it, and its creation takes longer than the
   * rest of the start.
   */
  private synchronized byte[] document() {
    byte[] bytes = document;
    if (bytes == null) {
      bytes = OpenApi.of(allRoutes);
      document = bytes;
    }
    return bytes;
  }

  List<RestRoute> routes() {
    return ownRoutes;
  }

  private List<RestRoute> createRoutes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/openapi.json",
            Role.NONE,
            0,
            RouteDescription.of("describe", TAG, "Returns this document.")
                .json(200, "The document", "OpenApi"),
            authorizedRequest ->
                CompletableFuture.completedFuture(
                    RestResponse.of(200, "application/json", document()))),
        new RestRoute(
            HttpMethod.GET,
            "/problems",
            Role.NONE,
            0,
            RouteDescription.of("listProblems", TAG, "Lists the types of problems.")
                .json(200, "The types of problems", "ProblemKinds"),
            authorizedRequest ->
                CompletableFuture.completedFuture(
                    RestResponse.json(
                        200,
                        Map.of(
                            "problems",
                            Stream.of(ProblemType.values())
                                .map(AboutResource::toDocument)
                                .toList())))),
        new RestRoute(
            HttpMethod.GET,
            "/problems/{problem}",
            Role.NONE,
            0,
            RouteDescription.of("inspectProblem", TAG, "Describes a type of problem.")
                .json(200, "The type of problem", "ProblemKind"),
            AboutResource::describeProblem));
  }

  private static CompletionStage<RestResponse> describeProblem(
      AuthorizedRequest authorizedRequest) {
    String word = authorizedRequest.path("problem");
    return CompletableFuture.completedFuture(
        Stream.of(ProblemType.values())
            .filter(type -> type.word().equals(word))
            .findFirst()
            .map(type -> RestResponse.json(200, toDocument(type)))
            .orElseThrow(() -> Problem.notFound("problem", word)));
  }

  private static Map<String, Object> toDocument(ProblemType type) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", type.uri());
    document.put("title", type.title());
    document.put("status", type.status());
    document.put("retrySafe", type.retrySafe());
    return document;
  }
}
