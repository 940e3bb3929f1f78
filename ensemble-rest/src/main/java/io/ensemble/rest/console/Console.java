package io.ensemble.rest.console;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Serves the console page. The page contains no secrets, so every client may load it; the page
 * requests its data with the token of its user.
 */
public final class Console {

  /** The files of the page, the page itself first. */
  static final List<String> FILES =
      List.of(
          "index.html",
          "console.css",
          "icon.svg",
          "main.js",
          "actions.js",
          "caches.js",
          "changes.js",
          "dom.js",
          "events.js",
          "federation.js",
          "findings.js",
          "heat.js",
          "lookup.js",
          "operations.js",
          "pages.js",
          "plot.js",
          "sites.js",
          "story.js",
          "stream.js",
          "talk.js");

  /**
   * The page may load from and connect to its own origin only. No frame may show the page. Inline
   * scripts do not run, and text cannot become markup ({@code require-trusted-types-for}).
   */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private static final String TAG = "console";

  private final Map<String, ConsoleFile> files = new LinkedHashMap<>();

  private Console() {
    FILES.forEach(name -> files.put(name, ConsoleFile.of(name)));
  }

  /** The routes of the page and of its files. */
  public static List<RestRoute> routes() {
    Console console = new Console();
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/",
            Role.NONE,
            0,
            described("showConsole", "The console, a web page for operators.", "text/html"),
            authorizedRequest -> console.answer(authorizedRequest, FILES.get(0))),
        new RestRoute(
            HttpMethod.GET,
            "/console/{file}",
            Role.NONE,
            0,
            described("loadConsole", "A file of the console.", "*/*"),
            authorizedRequest ->
                console.answer(authorizedRequest, authorizedRequest.path("file"))));
  }

  private static RouteDescription described(String id, String summary, String type) {
    return RouteDescription.of(id, TAG, summary)
        .header("If-None-Match", "string", "Answers 304 if the caller has this version.")
        .bytes(200, "The file", type)
        .empty(304, "The caller has this version");
  }

  private CompletionStage<RestResponse> answer(AuthorizedRequest authorizedRequest, String name) {
    ConsoleFile file = files.get(name);
    if (file == null) {
      return CompletableFuture.failedFuture(Problem.notFound("file", name));
    }
    boolean known =
        authorizedRequest
            .head()
            .header("If-None-Match")
            .filter(tags -> tags.contains(file.etag()))
            .isPresent();
    RestResponse reply =
        known ? RestResponse.of(304) : RestResponse.of(200, file.type(), file.content());
    return CompletableFuture.completedFuture(
        reply
            .with("ETag", file.etag())
            .with("Cache-Control", "no-cache")
            .with("Content-Security-Policy", POLICY)
            .with("X-Content-Type-Options", "nosniff")
            .with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Opener-Policy", "same-origin"));
  }
}
