package io.ensemble.rest.resource.federation;

import io.ensemble.FormerStorePolicy;
import io.ensemble.Membership;
import io.ensemble.SplitBrainException;
import io.ensemble.StoreIntactException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.membership.SiteHealth;
import io.ensemble.membership.SiteUsage;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.http.SettingsChange;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.IdempotentChange;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.operation.DrainService;
import io.ensemble.rest.resource.operation.OperationId;
import io.ensemble.rest.resource.operation.ServiceOperation;
import io.ensemble.rest.resource.operation.ServiceOperations;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The sites of the federation: registration, drain, return to service, and removal. */
public final class SitesResource {

  private static final String TAG = "sites";
  private static final int LONGEST_RECOVERY_SECONDS = 600;

  private final RestContext context;
  private final DrainService drainService;
  private final ServiceOperations serviceOperations;

  public SitesResource(
      RestContext context, DrainService drainService, ServiceOperations serviceOperations) {
    this.context = context;
    this.drainService = drainService;
    this.serviceOperations = serviceOperations;
  }

  public List<RestRoute> routes() {
    int maxBodyBytes = context.limits().jsonBytes();
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/sites",
            Role.READ,
            0,
            describe("listSites", "Lists all sites and the caches at each site.")
                .json(200, "The sites", "Sites"),
            authorizedRequest -> context.workers().reply(authorizedRequest, this::list)),
        new RestRoute(
            HttpMethod.POST,
            "/sites",
            Role.ADMIN,
            maxBodyBytes,
            describe("registerSite", "Registers a site, without a request to the site.")
                .takes("application/json", "SiteRequest")
                .gives("Location", "The address of the site.")
                .json(201, "The site was registered", "Site")
                .json(200, "The site is registered with the same settings", "Site")
                .fails(ProblemType.EXISTS_WITH_OTHER_SETTINGS, ProblemType.UNSUPPORTED_TYPE),
            this::register),
        new RestRoute(
            HttpMethod.GET,
            "/sites/{site}",
            Role.READ,
            0,
            describe("inspectSite", "Returns a site and the caches at the site.")
                .json(200, "The site", "Site"),
            authorizedRequest ->
                context
                    .workers()
                    .reply(authorizedRequest, () -> inspect(authorizedRequest.path("site")))),
        new RestRoute(
            HttpMethod.DELETE,
            "/sites/{site}",
            Role.ADMIN,
            0,
            describe(
                    "removeSite",
                    "Removes a site without caches from the catalog. Data at the site stays.")
                .empty(204, "The site was removed")
                .fails(ProblemType.SITE_IN_USE),
            authorizedRequest ->
                context.workers().reply(authorizedRequest, () -> remove(authorizedRequest))),
        new RestRoute(
            HttpMethod.POST,
            "/sites/{site}/drain",
            Role.ADMIN,
            0,
            describe(
                    "drainSite",
                    "Moves all caches away from a site, which accepts no further "
                        + "caches. Starts an operation.")
                .gives("Location", "The address of the operation.")
                .json(202, "The drain has begun, or continues", "Operation")
                .fails(ProblemType.SITE_IN_USE, ProblemType.CHANGE_IN_PROGRESS),
            authorizedRequest ->
                context.workers().reply(authorizedRequest, () -> drain(authorizedRequest))),
        new RestRoute(
            HttpMethod.POST,
            "/sites/{site}/serve",
            Role.ADMIN,
            0,
            describe("serveSite", "Lets a drained site accept caches again.")
                .json(200, "The site accepts caches", "Site"),
            authorizedRequest ->
                context.workers().reply(authorizedRequest, () -> serve(authorizedRequest))),
        new RestRoute(
            HttpMethod.POST,
            "/sites/{site}/recover",
            Role.ADMIN,
            maxBodyBytes,
            describe(
                    "recoverSite",
                    "Creates new stores for the caches whose store the site has lost, and refills "
                        + "them from other sites. May be repeated.")
                .takes("application/json", "RecoveryRequest")
                .gives("Location", "The address of the operation.")
                .json(202, "The operation, with the result for each cache so far", "Operation")
                .fails(ProblemType.CONFLICT, ProblemType.UNSUPPORTED_TYPE),
            this::recover));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  private Membership membership() {
    return context.manager().membership();
  }

  private RestResponse list() {
    Map<String, SiteHealth> health = health();
    return RestResponse.json(
        200,
        Map.of(
            "sites",
            membership().sites().stream().map(usage -> toDocument(usage, health)).toList()));
  }

  private Map<String, SiteHealth> health() {
    Map<String, SiteHealth> healthBySite = new LinkedHashMap<>();
    membership().health().forEach(siteHealth -> healthBySite.put(siteHealth.site(), siteHealth));
    return healthBySite;
  }

  private SiteUsage findUsage(String site) {
    return membership().sites().stream()
        .filter(usage -> usage.entry().name().equals(site))
        .findFirst()
        .orElseThrow(() -> Problem.notFound("site", site));
  }

  private RestResponse inspect(String site) {
    return RestResponse.json(200, toDocument(findUsage(site), health()));
  }

  private static Map<String, Object> toDocument(SiteUsage usage, Map<String, SiteHealth> health) {
    SiteEntry entry = usage.entry();
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", entry.name());
    document.put("endpoints", entry.endpoints().stream().map(Object::toString).toList());
    document.put("state", word(entry.state()));
    document.put("storage", entry.storage().name().toLowerCase(Locale.ROOT));
    document.put("labels", entry.labels());
    document.put("secured", entry.credentials().isPresent());
    document.put("tls", entry.tls().isPresent());
    document.put("caches", usage.caches());
    document.put("onlyCopies", usage.only());
    SiteHealth siteHealth = health.get(entry.name());
    if (siteHealth != null) {
      document.put(
          "health",
          StrictJson.object(
              "state", siteHealth.state().name().toLowerCase(Locale.ROOT),
              "phi", siteHealth.phi(),
              "silentMillis", siteHealth.silent().toMillis()));
    }
    return document;
  }

  private CompletionStage<RestResponse> register(AuthorizedRequest authorizedRequest) {
    SiteEntry site = SiteBody.readEntry(JsonFields.of(authorizedRequest, SiteBody.FIELDS));
    authorizedRequest.caller().nameRecorder().accept(site.name());
    return context
        .workers()
        .reply(
            authorizedRequest,
            () ->
                registerOrCompare(
                    SiteBody.requireUsable(context.admitSite(site)), authorizedRequest.caller()));
  }

  private RestResponse registerOrCompare(SiteEntry site, RestCaller caller) {
    Optional<SiteEntry> existing = membership().entry(site.name());
    if (existing.isEmpty()) {
      caller.changeRecorder().accept(SettingsChange.between(Map.of(), settings(site)));
      try {
        IdempotentChange.change(() -> addSite(site));
      } catch (IllegalArgumentException e) {
        // Another request may have registered the site first.
        existing = membership().entry(site.name());
        if (existing.isEmpty()) {
          throw e;
        }
      }
    }
    existing.ifPresent(entry -> checkSame(entry, site));
    return RestResponse.json(
            existing.isEmpty() ? 201 : 200, describeRegistered(existing.orElse(site)))
        .with("Location", ResourceLinks.site(site.name()));
  }

  private boolean addSite(SiteEntry site) {
    membership().add(site);
    return true;
  }

  /**
   * The registered site; also if the catalog can no longer be read, since the site is registered.
   */
  private Map<String, Object> describeRegistered(SiteEntry entry) {
    try {
      return toDocument(findUsage(entry.name()), health());
    } catch (CatalogException e) {
      Map<String, Object> document =
          toDocument(new SiteUsage(entry, List.of(), List.of()), health());
      document.keySet().removeAll(Set.of("caches", "onlyCopies")); // The values are unknown.
      return document;
    }
  }

  private static void checkSame(SiteEntry existing, SiteEntry site) {
    List<String> differences = new ArrayList<>();
    if (!existing.endpoints().equals(site.endpoints())) {
      differences.add("endpoints");
    }
    if (!existing.labels().equals(site.labels())) {
      differences.add("labels");
    }
    if (existing.storage() != site.storage()) {
      differences.add("storage");
    }
    if (!existing.credentials().equals(site.credentials())) {
      differences.add("credentials");
    }
    if (!existing.tls().equals(site.tls())) {
      differences.add("tls");
    }
    if (!differences.isEmpty()) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.EXISTS_WITH_OTHER_SETTINGS,
                  "a site of this name exists with other settings; site=" + existing.name())
              .with("site", existing.name())
              .with("differences", differences));
    }
  }

  /** The settings of a site for the audit; of its secrets, only whether there are any. */
  private static Map<String, Object> settings(SiteEntry entry) {
    Map<String, Object> document = toDocument(new SiteUsage(entry, List.of(), List.of()), Map.of());
    document.keySet().removeAll(Set.of("name", "caches", "onlyCopies"));
    return document;
  }

  private void recordState(AuthorizedRequest authorizedRequest, SiteEntry.State now) {
    membership()
        .entry(authorizedRequest.path("site"))
        .ifPresent(
            entry ->
                authorizedRequest
                    .caller()
                    .changeRecorder()
                    .accept(
                        SettingsChange.between(
                            Map.of("state", word(entry.state())), Map.of("state", word(now)))));
  }

  private static String word(SiteEntry.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  private RestResponse remove(AuthorizedRequest authorizedRequest) {
    String site = authorizedRequest.path("site");
    membership()
        .entry(site)
        .ifPresent(
            entry ->
                authorizedRequest
                    .caller()
                    .changeRecorder()
                    .accept(SettingsChange.between(settings(entry), Map.of())));
    membership().remove(site);
    return RestResponse.noContent();
  }

  private RestResponse drain(AuthorizedRequest authorizedRequest) {
    String site = authorizedRequest.path("site");
    findUsage(site);
    recordState(authorizedRequest, SiteEntry.State.DRAINING);
    return RestResponse.json(202, IdempotentChange.change(() -> drainService.begin(site)))
        .with("Location", ResourceLinks.operation(OperationId.drain(site)));
  }

  private RestResponse serve(AuthorizedRequest authorizedRequest) {
    String site = authorizedRequest.path("site");
    recordState(authorizedRequest, SiteEntry.State.SERVING);
    IdempotentChange.change(
        () -> {
          membership().serve(site);
          return site;
        });
    return IdempotentChange.readState(() -> inspect(site));
  }

  private CompletionStage<RestResponse> recover(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, "discard", "timeoutSeconds");
    boolean discard = fields.flag("discard").orElse(false);
    Duration timeout =
        Duration.ofSeconds(
            fields
                .integer("timeoutSeconds", 1, LONGEST_RECOVERY_SECONDS)
                .orElse(LONGEST_RECOVERY_SECONDS));
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              String site = authorizedRequest.path("site");
              findUsage(site);
              return serviceOperations.begin(
                  OperationId.recover(site),
                  Map.of("discard", discard, "timeout", timeout),
                  operation -> recoverCaches(site, discard, timeout, operation));
            });
  }

  private void recoverCaches(
      String site, boolean discard, Duration timeout, ServiceOperation operation) {
    for (String cache : context.manager().getCacheNames()) {
      Optional<StoredDefinition> stored = context.manager().stored(cache);
      if (stored.filter(existing -> existing.definition().isAtSite(site)).isPresent()) {
        operation.addResult(recoverCache(cache, site, discard, timeout));
      }
    }
  }

  private Map<String, Object> recoverCache(
      String cache, String site, boolean discard, Duration timeout) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("cache", cache);
    try {
      document.put("keys", recoverStore(cache, site, discard, timeout));
      document.put("outcome", "recovered");
    } catch (StoreIntactException unharmed) {
      document.put("outcome", "unharmed");
    } catch (RuntimeException e) {
      Problem problem = ProblemMapper.problem(e);
      document.put("outcome", "failed");
      document.put("problem", problem.type().uri());
      document.put("detail", problem.detail());
    }
    return document;
  }

  /** The number of copied keys. A store is discarded only if it refuses permanently. */
  private long recoverStore(String cache, String site, boolean discard, Duration timeout) {
    try {
      return context.manager().recoverSite(cache, site, timeout);
    } catch (SplitBrainException | SiteException refused) {
      boolean isPermanent =
          !(refused instanceof SiteException why) || context.manager().canDiscard(cache, why);
      if (discard && isPermanent) {
        return context.manager().recoverSite(cache, site, timeout, FormerStorePolicy.DISCARD);
      }
      throw refused;
    }
  }
}
