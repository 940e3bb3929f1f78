package io.ensemble.cache.mwmr;

import io.ensemble.Shortfall;
import io.ensemble.site.SiteException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Which sites answered during one call, and why the others did not. Guarded by the call. */
final class Answers {

  private static final int LONGEST_REASON = 120;

  private final Set<String> heard = new HashSet<>();
  private final Map<String, String> silent = new HashMap<>();

  void heard(String site) {
    heard.add(site);
    silent.remove(site);
  }

  void silent(String site, Throwable why) {
    heard.remove(site);
    silent.put(site, reason(why));
  }

  Shortfall shortfall(List<String> sites) {
    Map<String, String> missing = new HashMap<>(silent);
    for (String site : sites) {
      if (!heard.contains(site)) {
        missing.putIfAbsent(site, "no answer in time");
      }
    }
    return new Shortfall(sites.size() / 2 + 1, sites.size(), heard, missing);
  }

  private static String reason(Throwable why) {
    if (why instanceof SiteException known) {
      return known.reason().name().toLowerCase(Locale.ROOT);
    }
    String text = String.valueOf(why.getMessage());
    return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
  }
}
