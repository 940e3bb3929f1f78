package io.ensemble.rest.resource;

import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Described;
import io.ensemble.rest.http.Method;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import io.ensemble.rest.openapi.OpenApi;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the service says of itself: its description, and what problems there are. */
final class AboutResource {

  private static final String TAG = "about";

  private final List<Route> own;
  private final List<Route> all;
  private byte @Nullable [] document;

  /**
   * @param others the routes of all other groups
   */
  AboutResource(List<Route> others) {
    own = made();
    List<Route> every = new ArrayList<>(others);
    every.addAll(own);
    all = List.copyOf(every);
  }

  /** Made when it is first asked for: few ask, and it takes longer than the rest of the start. */
  private synchronized byte[] document() {
    byte[] made = document;
    if (made == null) {
      made = OpenApi.of(all);
      document = made;
    }
    return made;
  }

  List<Route> routes() {
    return own;
  }

  private List<Route> made() {
    return List.of(
        new Route(
            Method.GET,
            "/openapi.json",
            Role.NONE,
            0,
            Described.of("describe", TAG, "This document.").json(200, "It", "OpenApi"),
            call ->
                CompletableFuture.completedFuture(Reply.of(200, "application/json", document()))),
        new Route(
            Method.GET,
            "/problems",
            Role.NONE,
            0,
            Described.of("listProblems", TAG, "The kinds of problems that there are.")
                .json(200, "Them", "ProblemKinds"),
            call ->
                CompletableFuture.completedFuture(
                    Reply.json(
                        200,
                        Map.of(
                            "problems",
                            Stream.of(ProblemType.values()).map(AboutResource::shown).toList())))),
        new Route(
            Method.GET,
            "/problems/{problem}",
            Role.NONE,
            0,
            Described.of("inspectProblem", TAG, "A kind of problem.")
                .json(200, "It", "ProblemKind"),
            AboutResource::problem));
  }

  private static CompletionStage<Reply> problem(Call call) {
    String word = call.path("problem");
    return CompletableFuture.completedFuture(
        Stream.of(ProblemType.values())
            .filter(type -> type.word().equals(word))
            .findFirst()
            .map(type -> Reply.json(200, shown(type)))
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
