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

  private final List<RestRoute> own;
  private final List<RestRoute> all;
  private byte @Nullable [] document;

  /**
   * @param others the routes of all other groups
   */
  AboutResource(List<RestRoute> others) {
    own = made();
    List<RestRoute> every = new ArrayList<>(others);
    every.addAll(own);
    all = List.copyOf(every);
  }

  /**
   * Created at the first request: few clients ask for it, and its creation takes longer than the
   * rest of the start.
   */
  private synchronized byte[] document() {
    byte[] made = document;
    if (made == null) {
      made = OpenApi.of(all);
      document = made;
    }
    return made;
  }

  List<RestRoute> routes() {
    return own;
  }

  private List<RestRoute> made() {
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
                            Stream.of(ProblemType.values()).map(AboutResource::shown).toList())))),
        new RestRoute(
            HttpMethod.GET,
            "/problems/{problem}",
            Role.NONE,
            0,
            RouteDescription.of("inspectProblem", TAG, "Describes a type of problem.")
                .json(200, "The type of problem", "ProblemKind"),
            AboutResource::problem));
  }

  private static CompletionStage<RestResponse> problem(AuthorizedRequest authorizedRequest) {
    String word = authorizedRequest.path("problem");
    return CompletableFuture.completedFuture(
        Stream.of(ProblemType.values())
            .filter(type -> type.word().equals(word))
            .findFirst()
            .map(type -> RestResponse.json(200, shown(type)))
            .orElseThrow(() -> Problem.notFound("problem", word)));
  }

  private static Map<String, Object> shown(ProblemType type) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("type", type.uri());
    shown.put("title", type.title());
    shown.put("status", type.status());
    shown.put("retrySafe", type.retrySafe());
    return shown;
  }
}
