package io.ensemble.cache.quorum;

import io.ensemble.QuorumFailure;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.site.SiteException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which sites answered last during one call, and why the others did not. Guarded by the call. */
public final class SiteResponses {

  private static final int LONGEST_REASON = 120;
  private static final Object HEARD = new Object();

  private final List<String> sites;

  /** For each site {@link #HEARD}, the failure, or null without a response. */
  private final @Nullable Object[] lastResponses;

  public SiteResponses(List<String> sites) {
    this.sites = sites;
    lastResponses = new Object[sites.size()];
  }

  /** A failure for a call that asked no site, with the reason. */
  public static QuorumFailure notAsked(List<String> sites, String reason) {
    SiteResponses responses = new SiteResponses(sites);
    Arrays.fill(responses.lastResponses, new IllegalStateException(reason));
    return responses.shortfall();
  }

  public void heard(int site) {
    lastResponses[site] = HEARD;
  }

  public void silent(int site, Throwable cause) {
    lastResponses[site] = cause;
  }

  /** How many sites hold a malformed entry, where waiting does not help. */
  public int strange() {
    int count = 0;
    for (Object response : lastResponses) {
      if (response instanceof MalformedEnvelopeException) {
        count++;
      }
    }
    return count;
  }

  public QuorumFailure shortfall() {
    Set<String> answeredSites = new TreeSet<>();
    Map<String, String> failures = new TreeMap<>();
    for (int i = 0; i < lastResponses.length; i++) {
      if (lastResponses[i] == HEARD) {
        answeredSites.add(sites.get(i));
      } else {
        failures.put(
            sites.get(i),
            lastResponses[i] instanceof Throwable cause ? reason(cause) : "no answer yet");
      }
    }
    return new QuorumFailure(sites.size() / 2 + 1, sites.size(), answeredSites, failures);
  }

  private static String reason(Throwable cause) {
    if (cause instanceof SiteException siteException
        && siteException.reason() != SiteException.Reason.FAILED) {
      return siteException.reason().name().toLowerCase(Locale.ROOT);
    }
    String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
  }
}
