package io.ensemble.cache.weak.replica;

import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.site.SiteException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Interprets the failure of a request to a site. */
public final class RequestFailures {

  /** Why a site had not answered when the engine closed. */
  public static final String CLOSED = "no answer before the cache was closed by this process";

  private RequestFailures() {}

  /**
   * Whether the request certainly had no effect, and never will: the request was not sent, or no
   * store can hold its effect. A lost store has lost the effects of all requests too; an unsuitable
   * store was never returned to callers. Refusals are recognized by their text alone, which may
   * belong to another connection than the request's. They therefore do not count as harmless.
   */
  public static boolean isHarmless(Throwable failure) {
    if (failure instanceof RequestNotSentException) {
      return true;
    }
    return failure instanceof SiteException siteException
        && (siteException.isNotSent()
            || switch (siteException.reason()) {
              case STORE_LOST, UNSUITABLE -> true;
              case BUSY, DELETED, NOT_ALLOWED, UNREACHABLE, TIMED_OUT, DEGRADED, FAILED -> false;
            });
  }

  /** The reason in a few words. */
  public static String reason(Throwable failure) {
    if (failure instanceof RequestNotSentException requestNotSentException) {
      return requestNotSentException.siteException().reason().name();
    }
    if (failure instanceof SiteException siteException) {
      return siteException.reason().name();
    }
    return failure instanceof MalformedEnvelopeException ? "MALFORMED" : failure.toString();
  }

  /** The failure for a call that asked no site, because its deadline had passed. */
  public static Map<String, String> late(List<WeakSite> members) {
    Map<String, String> failures = new TreeMap<>();
    members.forEach(member -> failures.put(member.name(), "not sent: the deadline had passed"));
    return failures;
  }
}
