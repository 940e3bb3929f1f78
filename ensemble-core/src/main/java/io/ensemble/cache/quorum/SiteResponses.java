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
  private final @Nullable Object[] last;

  public SiteResponses(List<String> sites) {
    this.sites = sites;
    last = new Object[sites.size()];
  }

  /** A failure for a call that asked no site, with the reason. */
  public static QuorumFailure notAsked(List<String> sites, String why) {
    SiteResponses none = new SiteResponses(sites);
    Arrays.fill(none.last, new IllegalStateException(why));
    return none.shortfall();
  }

  public void heard(int site) {
    last[site] = HEARD;
  }

  public void silent(int site, Throwable why) {
    last[site] = why;
  }

  /** How many sites hold a malformed entry, where waiting does not help. */
  public int strange() {
    int count = 0;
    for (Object one : last) {
      if (one instanceof MalformedEnvelopeException) {
        count++;
      }
    }
    return count;
  }

  public QuorumFailure shortfall() {
    Set<String> heard = new TreeSet<>();
    Map<String, String> silent = new TreeMap<>();
    for (int i = 0; i < last.length; i++) {
      if (last[i] == HEARD) {
        heard.add(sites.get(i));
      } else {
        silent.put(sites.get(i), last[i] instanceof Throwable why ? reason(why) : "no answer yet");
      }
    }
    return new QuorumFailure(sites.size() / 2 + 1, sites.size(), heard, silent);
  }

  private static String reason(Throwable why) {
    if (why instanceof SiteException known && known.reason() != SiteException.Reason.FAILED) {
      return known.reason().name().toLowerCase(Locale.ROOT);
    }
    String text = why.getMessage() == null ? why.toString() : why.getMessage();
    return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
  }
}
