package io.ensemble.rest.resource.cache;

import io.ensemble.PrimaryTerm;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.resource.context.IdempotentChange;
import io.ensemble.rest.resource.context.RestContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The terms of SWMR caches: their primaries, and changes of them. */
public final class TermsResource {

  private static final String TAG = "terms";
  private static final String WITHOUT = "without";
  private static final int LONGEST_SECONDS = 60;
  private static final int USUAL_SECONDS = 10;

  private final RestContext context;

  public TermsResource(RestContext context) {
    this.context = context;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/term",
            Role.READ,
            0,
            RouteDescription.of(
                    "inspectTerm", TAG, "Returns the primary site and the writer of an SWMR cache.")
                .json(200, "The term", "Term")
                .fails(ProblemType.SITES_UNAVAILABLE),
            authorizedRequest ->
                context
                    .workers()
                    .reply(authorizedRequest, () -> readTerm(authorizedRequest.path("cache")))),
        new RestRoute(
            HttpMethod.POST,
            "/caches/{cache}/promote",
            Role.ADMIN,
            context.limits().jsonBytes(),
            RouteDescription.of("promoteSite", TAG, "Makes a site the primary of an SWMR cache.")
                .takes("application/json", "PromotionRequest")
                .json(200, "The site is the primary", "Term")
                .fails(
                    ProblemType.CONFLICT,
                    ProblemType.CHANGE_IN_PROGRESS,
                    ProblemType.UNKNOWN_OUTCOME,
                    ProblemType.SITE_FAILED,
                    ProblemType.UNSUPPORTED_TYPE),
            this::promote),
        new RestRoute(
            HttpMethod.POST,
            "/caches/{cache}/resign",
            Role.ADMIN,
            0,
            RouteDescription.of("resignWriter", TAG, "Releases the writer lease of this process.")
                .empty(204, "This process is not the writer")
                .fails(ProblemType.SITES_UNAVAILABLE, ProblemType.UNKNOWN_OUTCOME),
            authorizedRequest ->
                context
                    .workers()
                    .reply(
                        authorizedRequest,
                        () -> {
                          context.manager().resign(authorizedRequest.path("cache"));
                          return RestResponse.noContent();
                        })));
  }

  private RestResponse readTerm(String cache) {
    return RestResponse.json(200, CacheView.of(context.manager().primaryTerm(cache)));
  }

  private CompletionStage<RestResponse> promote(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, "site", WITHOUT, "timeoutSeconds");
    String site = fields.needed("site");
    Optional<String> without = fields.text(WITHOUT);
    Duration timeout =
        Duration.ofSeconds(
            fields.integer("timeoutSeconds", 1, LONGEST_SECONDS).orElse(USUAL_SECONDS));
    String cache = authorizedRequest.path("cache");
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              List<String> sites = listSites(cache);
              checkSite(sites, "site", site);
              without.ifPresent(other -> checkWithout(sites, site, other));
              PrimaryTerm term =
                  IdempotentChange.changeSlowly(
                      () ->
                          without.isPresent()
                              ? context.manager().promote(cache, site, without.get(), timeout)
                              : context.manager().promote(cache, site, timeout));
              return RestResponse.json(200, CacheView.of(term));
            });
  }

  /** The sites of a cache, and its replicas. */
  private List<String> listSites(String cache) {
    return context
        .manager()
        .stored(cache)
        .map(stored -> stored.definition())
        .map(
            definition ->
                Stream.concat(definition.siteNames().stream(), definition.sites().stream())
                    .distinct()
                    .toList())
        .orElseThrow(() -> Problem.notFound("cache", cache));
  }

  private static void checkSite(List<String> sites, String field, String site) {
    if (!sites.contains(site)) {
      throw Problem.invalid(field, "one of " + sites, site);
    }
  }

  /**
   * Checks the site to continue without. Of two sites, one continues without the other by command;
   * of more, the others continue by themselves.
   */
  private static void checkWithout(List<String> sites, String site, String without) {
    checkSite(sites, WITHOUT, without);
    if (sites.size() != 2 || without.equals(site)) {
      throw Problem.invalid(
          WITHOUT, "the other of the two sites of the cache, which are " + sites, without);
    }
  }
}
