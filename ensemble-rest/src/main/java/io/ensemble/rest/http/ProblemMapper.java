package io.ensemble.rest.http;

import io.ensemble.CacheDeletedException;
import io.ensemble.ChangeInProgressException;
import io.ensemble.ClockSkewException;
import io.ensemble.PrivateCacheException;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.RepartitionInProgressException;
import io.ensemble.SiteInUseException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriterPresentException;
import io.ensemble.catalog.SitesNotKnownHereException;
import io.ensemble.catalog.UnknownSitesException;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.keyset.KeysetException;
import io.ensemble.partition.UnknownPartitionerException;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.site.SiteException;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps failures to problems; no other class does. */
public final class ProblemMapper {

  private static final Logger LOG = LoggerFactory.getLogger(ProblemMapper.class);
  private static final String RETRY_AFTER = "Retry-After";
  private static final String SOON = "1";
  private static final String SILENT = "silent";

  private ProblemMapper() {}

  /**
   * Maps a failure for this caller. Messages of sites, of the catalog and of placement contain
   * hosts, addresses, files and other sites. A caller without the right to read the federation gets
   * only the fact of the failure. If the failure is logged for that purpose, the problem has the
   * incident number.
   */
  public static Problem problem(Throwable thrown, RestCaller caller) {
    return caller.seesSites() ? problem(thrown) : toUserProblem(thrown);
  }

  /** Maps a failure for a user of a cache. */
  public static Problem toUserProblem(Throwable failure) {
    if (unwrap(failure) instanceof UnknownSitesException sites) {
      return Problem.mismatch(
          ProblemType.INVALID_FIELD, "sites of the federation", sites.unknown().toString());
    }
    if (unwrap(failure) instanceof SitesNotKnownHereException sites) {
      return Problem.bare(
          ProblemType.CONFLICT,
          "not all sites of the cache are configured in the service; expected=" + sites.wanted());
    }
    Problem problem = problem(failure);
    return switch (problem.type()) {
      case SITE_FAILED -> hideDetail(problem, "a site cannot be used");
      case CATALOG_UNAVAILABLE, CATALOG_CORRUPT ->
          hideDetail(problem, "the catalog cannot be used");
      case PLACEMENT_IMPOSSIBLE ->
          hideDetail(problem, "no sites satisfy the placement policy").without("reasons");
      case SITES_UNAVAILABLE -> hideReasons(problem, "too few sites answered; nothing was done");
      case UNKNOWN_OUTCOME -> hideReasons(problem, "the outcome is unknown");
      default -> problem;
    };
  }

  /** Shows which of the cache's own sites did not answer, but not the reasons. */
  private static Problem hideReasons(Problem problem, String summary) {
    Map<String, String> silentSites = new TreeMap<>();
    if (problem.members().get(SILENT) instanceof Map<?, ?> reasons) {
      reasons.keySet().forEach(site -> silentSites.put(String.valueOf(site), "did not answer"));
    }
    Problem shortened = problem.withDetail(summary);
    return problem.members().containsKey(SILENT) ? shortened.with(SILENT, silentSites) : shortened;
  }

  private static Problem hideDetail(Problem problem, String summary) {
    String incident = UUID.randomUUID().toString();
    LOG.warn("{}; incident={}: {} {}", summary, incident, problem.detail(), problem.members());
    return problem
        .withDetail(summary + "; the log of the service contains the cause")
        .with("incident", incident);
  }

  /**
   * Maps a failure. An unexpected failure is logged under an incident number that the response
   * contains.
   */
  public static Problem problem(Throwable thrown) {
    Throwable failure = unwrap(thrown);
    if (failure instanceof ProblemException problemException) {
      return problemException.problem();
    }
    if (failure instanceof QuorumUnavailableException quorum) {
      return withQuorumFailure(
          of(ProblemType.SITES_UNAVAILABLE, quorum).header(RETRY_AFTER, SOON), quorum.shortfall());
    }
    if (failure instanceof UnknownOutcomeException unknown) {
      return unknown(unknown.shortfall(), String.valueOf(unknown.getMessage()), false);
    }
    if (failure instanceof ClockSkewException skew) {
      return of(ProblemType.CONFLICT, skew);
    }
    if (failure instanceof WriterPresentException writer) {
      return of(ProblemType.WRITER_PRESENT, writer)
          .with("writer", writer.writer().toString())
          .header(RETRY_AFTER, String.valueOf(writer.retryAfter().toSeconds() + 1));
    }
    if (failure instanceof CatalogException catalog) {
      return catalog(catalog);
    }
    if (failure instanceof SiteException site) {
      return of(ProblemType.SITE_FAILED, site)
          .with("site", site.site())
          .with("reason", site.reason().name())
          .header(RETRY_AFTER, SOON);
    }
    if (failure instanceof CancellationException) {
      // The service is stopping; the work in progress continues.
      return of(ProblemType.UNKNOWN_OUTCOME, failure);
    }
    if (failure instanceof RejectedExecutionException) {
      return Problem.bare(ProblemType.BUSY, "too many requests are waiting; nothing was done")
          .header(RETRY_AFTER, SOON);
    }
    return toStateProblem(failure);
  }

  private static Problem toStateProblem(Throwable failure) {
    if (failure instanceof PrivateCacheException privateCache) {
      Problem problem =
          of(ProblemType.PRIVATE_CACHE, privateCache)
              .with("reason", privateCache.reason().name().toLowerCase(Locale.ROOT));
      return privateCache.keyId().isPresent()
          ? problem.with("keyId", Integer.toUnsignedLong(privateCache.keyId().getAsInt()))
          : problem;
    }
    if (failure instanceof KeysetException) {
      return of(ProblemType.PRIVATE_CACHE, failure).with("reason", "keyset");
    }
    if (failure instanceof SiteInUseException siteInUse) {
      return of(ProblemType.SITE_IN_USE, siteInUse)
          .with("site", siteInUse.site())
          .with("caches", siteInUse.caches())
          .with("only", siteInUse.only())
          .with("reasons", new TreeMap<>(siteInUse.reasons()));
    }
    if (failure instanceof PlacementImpossibleException impossible) {
      return of(ProblemType.PLACEMENT_IMPOSSIBLE, impossible)
          .with("reasons", new TreeMap<>(impossible.reasons()));
    }
    if (failure instanceof ChangeInProgressException
        || failure instanceof RepartitionInProgressException) {
      return of(ProblemType.CHANGE_IN_PROGRESS, failure);
    }
    if (failure instanceof CacheDeletedException || failure instanceof NoSuchElementException) {
      return of(ProblemType.NOT_FOUND, failure);
    }
    if (failure instanceof UnknownPartitionerException unknown) {
      return of(ProblemType.INVALID_FIELD, unknown).with("field", "partitioner.name");
    }
    if (failure instanceof IllegalArgumentException) {
      return of(ProblemType.INVALID_FIELD, failure);
    }
    if (failure instanceof IllegalStateException
        || failure instanceof UnsupportedOperationException) {
      return of(ProblemType.CONFLICT, failure);
    }
    String incident = UUID.randomUUID().toString();
    LOG.error("a request failed with an internal error; incident={}", incident, failure);
    return Problem.bare(ProblemType.INTERNAL, "the log of the service contains the cause")
        .with("incident", incident);
  }

  private static Problem catalog(CatalogException failure) {
    return switch (failure.reason()) {
      case EXISTS ->
          failure instanceof CacheExistsException exists
              ? of(ProblemType.EXISTS_WITH_OTHER_SETTINGS, exists)
                  .with("cache", exists.existing().name())
              : of(ProblemType.EXISTS_WITH_OTHER_SETTINGS, failure);
      case CHANGED -> of(ProblemType.CHANGE_IN_PROGRESS, failure).header(RETRY_AFTER, SOON);
      case CORRUPT -> of(ProblemType.CATALOG_CORRUPT, failure);
      case UNAVAILABLE -> of(ProblemType.CATALOG_UNAVAILABLE, failure).header(RETRY_AFTER, SOON);
      case UNKNOWN -> of(ProblemType.UNKNOWN_OUTCOME, failure);
      case NOT_ALLOWED -> of(ProblemType.CATALOG_UNAVAILABLE, failure).with("retrySafe", false);
    };
  }

  /**
   * A write with an unknown outcome.
   *
   * @param retrySafe whether the same request may be sent again without being applied twice
   */
  public static Problem unknown(QuorumFailure quorumFailure, String detail, boolean retrySafe) {
    return withQuorumFailure(Problem.bare(ProblemType.UNKNOWN_OUTCOME, detail), quorumFailure)
        .with("retrySafe", retrySafe);
  }

  /** Adds the number of required sites and the sites that answered. */
  public static Problem withQuorumFailure(Problem problem, QuorumFailure quorumFailure) {
    return problem
        .with("needed", quorumFailure.needed())
        .with("sites", quorumFailure.sites())
        .with("answered", quorumFailure.heard())
        .with(SILENT, quorumFailure.silent());
  }

  private static Problem of(ProblemType type, Throwable failure) {
    String message = failure.getMessage();
    return Problem.bare(type, message == null ? failure.getClass().getSimpleName() : message);
  }

  /** The failure itself, without the wrappers that futures add. */
  public static Throwable unwrap(Throwable failure) {
    Throwable unwrapped = failure;
    while ((unwrapped instanceof CompletionException || unwrapped instanceof ExecutionException)
        && unwrapped.getCause() != null) {
      unwrapped = unwrapped.getCause();
    }
    return unwrapped;
  }
}
