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
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.IdempotentChange;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.operation.DrainService;
import io.ensemble.rest.resource.operation.OperationId;
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

  private final RestContext federation;
  private final DrainService drainService;

  public SitesResource(RestContext federation, DrainService drainService) {
    this.federation = federation;
    this.drainService = drainService;
  }

  public List<RestRoute> routes() {
    int json = federation.limits().jsonBytes();
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/sites",
            Role.READ,
            0,
            described("listSites", "Lists all sites and the caches at each site.")
                .json(200, "The sites", "Sites"),
            authorizedRequest -> federation.workers().reply(authorizedRequest, this::list)),
        new RestRoute(
            HttpMethod.POST,
            "/sites",
            Role.ADMIN,
            json,
            described("registerSite", "Registers a site, without a request to the site.")
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
            described("inspectSite", "Returns a site and the caches at the site.")
                .json(200, "The site", "Site"),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> inspect(authorizedRequest.path("site")))),
        new RestRoute(
            HttpMethod.DELETE,
            "/sites/{site}",
            Role.ADMIN,
            0,
            described(
                    "removeSite",
                    "Removes a site without caches from the catalog. Data at the site stays.")
                .empty(204, "The site was removed")
                .fails(ProblemType.SITE_IN_USE),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> remove(authorizedRequest.path("site")))),
        new RestRoute(
            HttpMethod.POST,
            "/sites/{site}/drain",
            Role.ADMIN,
            0,
            described(
                    "drainSite",
                    "Moves all caches away from a site, which accepts no further "
                        + "caches. Starts an operation.")
                .gives("Location", "The address of the operation.")
                .json(202, "The drain has begun, or continues", "Operation")
                .fails(ProblemType.SITE_IN_USE, ProblemType.CHANGE_IN_PROGRESS),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> drain(authorizedRequest.path("site")))),
        new RestRoute(
            HttpMethod.POST,
            "/sites/{site}/serve",
            Role.ADMIN,
            0,
            described("serveSite", "Lets a drained site accept caches again.")
                .json(200, "The site accepts caches", "Site"),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> serve(authorizedRequest.path("site")))),
        new RestRoute(
            HttpMethod.POST,
            "/sites/{site}/recover",
            Role.ADMIN,
            json,
            described(
                    "recoverSite",
                    "Creates new stores for the caches whose store the site has lost, and refills "
                        + "them from other sites. Waits for the result; may be retried.")
                .takes("application/json", "RecoveryRequest")
                .json(200, "The result for each cache", "Recovery")
                .fails(ProblemType.UNSUPPORTED_TYPE),
            this::recover));
  }

  private static RouteDescription described(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  private Membership membership() {
    return federation.manager().membership();
  }

  private RestResponse list() {
    Map<String, SiteHealth> health = health();
    return RestResponse.json(
        200,
        Map.of("sites", membership().sites().stream().map(use -> shown(use, health)).toList()));
  }

  private Map<String, SiteHealth> health() {
    Map<String, SiteHealth> all = new LinkedHashMap<>();
    membership().health().forEach(one -> all.put(one.site(), one));
    return all;
  }

  private SiteUsage use(String site) {
    return membership().sites().stream()
        .filter(use -> use.entry().name().equals(site))
        .findFirst()
        .orElseThrow(() -> Problem.notFound("site", site));
  }

  private RestResponse inspect(String site) {
    return RestResponse.json(200, shown(use(site), health()));
  }

  private static Map<String, Object> shown(SiteUsage use, Map<String, SiteHealth> health) {
    SiteEntry entry = use.entry();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", entry.name());
    shown.put("endpoints", entry.endpoints().stream().map(Object::toString).toList());
    shown.put("state", entry.state().name().toLowerCase(Locale.ROOT));
    shown.put("storage", entry.storage().name().toLowerCase(Locale.ROOT));
    shown.put("labels", entry.labels());
    shown.put("secured", entry.credentials().isPresent());
    shown.put("tls", entry.tls().isPresent());
    shown.put("caches", use.caches());
    shown.put("onlyCopies", use.only());
    SiteHealth seen = health.get(entry.name());
    if (seen != null) {
      shown.put(
          "health",
          StrictJson.object(
              "state", seen.state().name().toLowerCase(Locale.ROOT),
              "phi", seen.phi(),
              "silentMillis", seen.silent().toMillis()));
    }
    return shown;
  }

  private CompletionStage<RestResponse> register(AuthorizedRequest authorizedRequest) {
    SiteEntry wanted = SiteBody.entry(JsonFields.of(authorizedRequest, SiteBody.FIELDS));
    authorizedRequest.caller().naming().accept(wanted.name());
    return federation
        .workers()
        .reply(authorizedRequest, () -> registered(SiteBody.usable(federation.admitted(wanted))));
  }

  private RestResponse registered(SiteEntry wanted) {
    Optional<SiteEntry> there = membership().entry(wanted.name());
    if (there.isEmpty()) {
      try {
        IdempotentChange.change(() -> added(wanted));
      } catch (IllegalArgumentException e) {
        // Another request may have registered the site first.
        there = membership().entry(wanted.name());
        if (there.isEmpty()) {
          throw e;
        }
      }
    }
    there.ifPresent(entry -> checkSame(entry, wanted));
    return RestResponse.json(there.isEmpty() ? 201 : 200, entered(there.orElse(wanted)))
        .with("Location", ResourceLinks.site(wanted.name()));
  }

  private boolean added(SiteEntry wanted) {
    membership().add(wanted);
    return true;
  }

  /**
   * The registered site; also if the catalog can no longer be read, since the site is registered.
   */
  private Map<String, Object> entered(SiteEntry entry) {
    try {
      return shown(use(entry.name()), health());
    } catch (CatalogException e) {
      Map<String, Object> shown = shown(new SiteUsage(entry, List.of(), List.of()), health());
      shown.keySet().removeAll(Set.of("caches", "onlyCopies")); // The values are unknown.
      return shown;
    }
  }

  private static void checkSame(SiteEntry there, SiteEntry wanted) {
    List<String> different = new ArrayList<>();
    if (!there.endpoints().equals(wanted.endpoints())) {
      different.add("endpoints");
    }
    if (!there.labels().equals(wanted.labels())) {
      different.add("labels");
    }
    if (there.storage() != wanted.storage()) {
      different.add("storage");
    }
    if (!there.credentials().equals(wanted.credentials())) {
      different.add("credentials");
    }
    if (!there.tls().equals(wanted.tls())) {
      different.add("tls");
    }
    if (!different.isEmpty()) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.EXISTS_WITH_OTHER_SETTINGS,
                  "a site of this name exists with other settings; site=" + there.name())
              .with("site", there.name())
              .with("differences", different));
    }
  }

  private RestResponse remove(String site) {
    membership().remove(site);
    return RestResponse.noContent();
  }

  private RestResponse drain(String site) {
    use(site);
    return RestResponse.json(202, IdempotentChange.change(() -> drainService.begin(site)))
        .with("Location", ResourceLinks.operation(OperationId.drain(site)));
  }

  private RestResponse serve(String site) {
    IdempotentChange.change(
        () -> {
          membership().serve(site);
          return site;
        });
    return IdempotentChange.look(() -> inspect(site));
  }

  private CompletionStage<RestResponse> recover(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, "discard", "timeoutSeconds");
    boolean discard = fields.flag("discard").orElse(false);
    Duration longest =
        Duration.ofSeconds(
            fields
                .integer("timeoutSeconds", 1, LONGEST_RECOVERY_SECONDS)
                .orElse(LONGEST_RECOVERY_SECONDS));
    return federation
        .workers()
        .reply(
            authorizedRequest, () -> recovered(authorizedRequest.path("site"), discard, longest));
  }

  private RestResponse recovered(String site, boolean discard, Duration longest) {
    use(site);
    List<Map<String, Object>> all = new ArrayList<>();
    for (String cache : federation.manager().getCacheNames()) {
      Optional<StoredDefinition> stored = federation.manager().stored(cache);
      if (stored.filter(there -> there.definition().isAtSite(site)).isPresent()) {
        all.add(recovered(cache, site, discard, longest));
      }
    }
    return RestResponse.json(200, StrictJson.object("site", site, "caches", all));
  }

  private Map<String, Object> recovered(
      String cache, String site, boolean discard, Duration longest) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("cache", cache);
    try {
      shown.put("keys", copied(cache, site, discard, longest));
      shown.put("outcome", "recovered");
    } catch (StoreIntactException unharmed) {
      shown.put("outcome", "unharmed");
    } catch (RuntimeException e) {
      Problem why = ProblemMapper.problem(e);
      shown.put("outcome", "failed");
      shown.put("problem", why.type().uri());
      shown.put("detail", why.detail());
    }
    return shown;
  }

  /** The number of copied keys. A store is discarded only if it refuses permanently. */
  private long copied(String cache, String site, boolean discard, Duration longest) {
    try {
      return federation.manager().recoverSite(cache, site, longest);
    } catch (SplitBrainException | SiteException refused) {
      boolean forGood =
          !(refused instanceof SiteException why) || federation.manager().canDiscard(cache, why);
      if (discard && forGood) {
        return federation.manager().recoverSite(cache, site, longest, FormerStorePolicy.DISCARD);
      }
      throw refused;
    }
  }
}
